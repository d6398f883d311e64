"""Material for cases: random text, its bytes cut into pieces, and a tokenizer made of pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from practice.oracles import CHAR_OF, byte_level_bytes

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ALPHABETS = {
    "Latin": "the quick brown fox, naïve café – ¿qué?",
    "Chinese": "推理引擎把一个词拆成两半鱻龘䨻㐂",
    "kana": "ひらがなとカタカナはことばです",
    "Hangul": "한국어는글자가소리를담는다",
    "emoji": "😀🦩👩🔬🇯🇵👍🏽",
    "Devanagari": "नमस्तेदुनिया",
    "code": "def f(x):\n    return x[1:]\n",
}


def random_text(random: Random, length: int = 12) -> str:
    """Some characters from a few of the alphabets, with spaces between runs."""
    runs: list[str] = []
    while len("".join(runs)) < length:
        letters = ALPHABETS[random.choice(sorted(ALPHABETS))]
        runs.append("".join(random.choice(letters) for _ in range(random.randint(1, 4))))
    return random.choice(["", " "]).join(runs)


def random_pieces(random: Random, text: str | bytes, longest: int = 4) -> list[bytes]:
    """A text's bytes, cut anywhere into pieces of 1 to `longest` bytes."""
    data, pieces = text.encode() if isinstance(text, str) else text, []
    while data:
        size = random.randint(1, longest)
        pieces.append(data[:size])
        data = data[size:]
    return pieces


class PieceTokenizer:
    """A tokenizer whose n-th id stands for the n-th piece; it counts what it is asked for.

    `strips` removes one space from the front of every decoded text, as SentencePiece does;
    `eos` is the id that ends an answer.
    """

    eos_token_id = None

    def __init__(self, pieces: list[bytes], *, strips: bool = False, eos: int | None = None) -> None:
        self.pieces = pieces
        self.strips = strips
        self.eos_token_id = eos
        self.all_special_ids = [] if eos is None else [eos]
        self.calls = 0
        self.decoded_ids = 0

    def decode(self, ids: list[int], **options: Any) -> str:
        self.calls += 1
        return self._text(ids)

    def batch_decode(self, batch: list[list[int]], **options: Any) -> list[str]:
        self.calls += 1
        return [self._text(ids) for ids in batch]

    def _text(self, ids: list[int]) -> str:
        self.decoded_ids += len(ids)
        text = b"".join(self.pieces[id_] for id_ in ids).decode("utf-8", "replace")
        return text.removeprefix(" ") if self.strips else text


def byte_tokenizer(pieces: list[bytes]) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer of the library's own whose n-th id stands for the n-th piece.

    Its vocabulary is a map, so no piece may come twice. It has no end id.
    """
    assert len(set(pieces)) == len(pieces)
    return byte_level_tokenizer(["".join(CHAR_OF[byte] for byte in piece) for piece in pieces])


def byte_level_tokenizer(
    pieces: Sequence[str | None], *, end: str | None = None, special: Sequence[str] = ()
) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer whose n-th id stands for the n-th piece, written in its alphabet."""
    from tokenizers import decoders

    return _tokenizer(pieces, decoders.ByteLevel(), end, special)


def sentencepiece_tokenizer(
    pieces: Sequence[str | None], *, end: str | None = None, special: Sequence[str] = ()
) -> PreTrainedTokenizerFast:
    """A tokenizer of SentencePiece's kind whose n-th id stands for the n-th piece.

    Its decoder turns ▁ into a space and <0xE6> into a byte, and takes the first space away.
    """
    from tokenizers import decoders

    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    return _tokenizer(pieces, decoders.Sequence(steps), end, special)


def _tokenizer(
    pieces: Sequence[str | None], decoder: Any, end: str | None, special: Sequence[str]
) -> PreTrainedTokenizerFast:
    from tokenizers import AddedToken, Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    vocab = {piece: id_ for id_, piece in enumerate(pieces) if piece is not None}  # None: a hole
    backend = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    backend.decoder = decoder
    backend.add_special_tokens([AddedToken(text, special=True) for text in special])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        clean_up_tokenization_spaces=False,
        generation_end_ids=[] if end is None else [pieces.index(end)],
    )


def as_ids(stream: list[bytes]) -> tuple[list[int], list[bytes]]:
    """A stream of pieces as ids, and the piece of each id."""
    pieces = list(dict.fromkeys(stream))
    return [pieces.index(piece) for piece in stream], pieces


def in_stepper(stream: list[bytes], *, strips: bool = False) -> dict[str, Any]:
    """What the stepper needs to show an open request's stream of pieces."""
    from minisgl_tok import DetokenizeMsg

    ids = [DetokenizeMsg(1, token, False) for token in range(len(stream))]
    return {"tokenizer": PieceTokenizer(stream, strips=strips), "pieces": stream, "ids": ids}


def hexes(pieces: list[bytes]) -> list[str]:
    """Pieces as a case keeps them and as a table shows them: "e9 b1"."""
    return [piece.hex(" ") for piece in pieces]


def unhex(pieces: list[str]) -> list[bytes]:
    """The opposite of `hexes`."""
    return [bytes.fromhex(piece) for piece in pieces]


# ------------------------------------------------------------------ prompts

# Who puts a start mark in front of a prompt: nobody (Qwen3), both the tokenizer and its
# template (toy), one of them, or nobody although the vocabulary has one.
TOKENIZERS = ("qwen3", "toy", "toy, added", "toy, written", "toy, unused")


def tokenizer_of(kind: str) -> PreTrainedTokenizerFast:
    """One of `TOKENIZERS`."""
    from tokenizers.processors import TemplateProcessing

    from minisgl_tok import load_tokenizer, toy

    if kind in ("qwen3", "toy"):
        return load_tokenizer(kind)
    tokenizer = toy.build()
    if kind != "toy, added":
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single="$A", special_tokens=[])
    if kind != "toy, written":
        tokenizer.chat_template = None
    return tokenizer


def marks_and_text(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> dict[str, Any]:
    """The number of start marks in front of a prompt's ids, and the text that the others stand for."""
    mark = tokenizer.bos_token_id
    marks = next((n for n, id_ in enumerate(ids) if id_ != mark), len(ids))
    pieces = [str(piece) for piece in tokenizer.convert_ids_to_tokens(ids[marks:])]
    if mark is None:
        data = b"".join(byte_level_bytes(piece) for piece in pieces)
    else:  # a space stands at the front of the text and of what follows a mark inside it
        text = re.sub("(^|<s>)▁", r"\1", "".join(pieces)).replace("▁", " ")
        parts = re.split("<0x(..)>", text)  # text and bytes in turn
        data = b"".join(bytes.fromhex(part) if n % 2 else part.encode() for n, part in enumerate(parts))
    return {"start marks": marks, "text": data.decode("utf-8", "replace")}


class CountingTokenizer:
    """Stands in front of a tokenizer and counts how often the library is entered to encode."""

    ENCODES = ("encode", "encode_batch", "encode_batch_fast", "encode_plus", "batch_encode_plus", "tokenize")

    def __init__(self, inner: Any, counter: CountingTokenizer | None = None) -> None:
        self.inner = inner
        self.counter = counter or self
        self.calls = 0

    @property
    def backend_tokenizer(self) -> CountingTokenizer:
        return CountingTokenizer(self.inner.backend_tokenizer, self.counter)

    _tokenizer = backend_tokenizer

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.counter.calls += 1
        return self.inner(*args, **options)

    def apply_chat_template(self, *args: Any, **options: Any) -> Any:
        self.counter.calls += bool(options.get("tokenize", True))
        return self.inner.apply_chat_template(*args, **options)

    def __len__(self) -> int:
        return len(self.inner)

    def __getattr__(self, name: str) -> Any:
        if name in self.ENCODES:
            self.counter.calls += 1
        return getattr(self.inner, name)
