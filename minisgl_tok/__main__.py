"""A text as the window streams it: each token, what it decodes to alone, and what it sends.

python -m minisgl_tok "鱻䨻🦩 is rare, 推理 naïve"
python -m minisgl_tok --tokenizer toy --json "Hello world"
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from typing import TYPE_CHECKING, Any

from .detokenize import DetokenizeManager
from .messages import DetokenizeMsg
from .vocab import load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def stream(tokenizer: PreTrainedTokenizerFast, text: str) -> dict[str, Any]:
    """A text's tokens with what each sends, the joined text, and whether it equals the whole.

    The last token finishes the request; an end id there is no text, so the whole is decoded
    without it too.

    >>> stream(load_tokenizer("qwen3"), "推")["tokens"]
    [{'id': 83751, 'alone': '推', 'delta': '推'}]
    """
    ids = tokenizer(text, add_special_tokens=False).input_ids
    manager = DetokenizeManager(tokenizer)
    msgs = [DetokenizeMsg(1, token, n == len(ids)) for n, token in enumerate(ids, start=1)]
    deltas = [manager.detokenize([msg])[0] for msg in msgs]
    ended = bool(ids) and ids[-1] == tokenizer.eos_token_id
    whole = tokenizer.decode(ids[:-1] if ended else ids)
    tokens = [
        {"id": token, "alone": tokenizer.decode([token]), "delta": delta}
        for token, delta in zip(ids, deltas, strict=True)
    ]
    joined = "".join(deltas)
    return {"tokens": tokens, "joined": joined, "equal": joined == whole}


def table(result: dict[str, Any]) -> str:
    """The result of `stream` as lines of plain text."""
    rows = [(str(row["id"]), repr(row["alone"]), repr(row["delta"])) for row in result["tokens"]]
    lines = [f"{'token':>7}  {'decoded alone':<16} delta"]
    lines += [f"{token:>7}  {alone:<16} {delta}" for token, alone, delta in rows]
    lines.append(f"joined: {result['joined']!r}   equals the whole: {'yes' if result['equal'] else 'no'}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """The command; its exit status is 2 where the tokenizer or the text is none."""
    parser = argparse.ArgumentParser(
        prog="python -m minisgl_tok", description="Stream a text through the window, token by token."
    )
    parser.add_argument("text", metavar="TEXT", help="the text (after -- where it begins with a dash)")
    parser.add_argument(
        "--tokenizer", default="qwen3", metavar="NAME", help="qwen3 (default), toy, a folder or a Hub name"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    args = parser.parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that knows no 鱻 still gets its code
    try:
        args.text.encode("utf-8")
        result = stream(load_tokenizer(args.tokenizer), args.text)
    except UnicodeEncodeError as error:
        print(f"error: the text is no valid UTF-8 at character {error.start}", file=sys.stderr)
        return 2
    except ValueError as error:
        print("error: " + " ".join(str(error).split()), file=sys.stderr)
        return 2
    print(json.dumps(result, ensure_ascii=False) if args.json else table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
