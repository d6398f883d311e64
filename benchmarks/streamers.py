"""What others use to stream text, each by its natural call, and all behind one interface.

`peers` gives the classes that take `DetokenizeMsg` themselves and, wrapped, those that
serve one request each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minisgl_tok
from minisgl_tok import DetokenizeMsg, WholeDetokenizer
from minisgl_tok.vocab import end_ids


class HubStream:
    """`DecodeStream` of Hugging Face's tokenizers: one request. It has no way to end."""

    def __init__(self, tokenizer: Any) -> None:
        from tokenizers.decoders import DecodeStream

        self.backend = tokenizer.backend_tokenizer
        self.stream = DecodeStream(skip_special_tokens=True)

    def push(self, token: int) -> str:
        return self.stream.step(self.backend, token) or ""

    def end(self) -> str:
        return ""


def text_streamer(tokenizer: Any) -> Any:
    """A `TextStreamer` of transformers that collects its text in `texts` instead of printing it."""
    from transformers import TextStreamer

    class Collecting(TextStreamer):
        def __init__(self) -> None:
            super().__init__(tokenizer, skip_special_tokens=True)
            self.texts: list[str] = []

        def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
            self.texts.append(text)

    return Collecting()


class HubTextStreamer:
    """`TextStreamer` of transformers: one request."""

    def __init__(self, tokenizer: Any) -> None:
        self.streamer = text_streamer(tokenizer)

    def push(self, token: int) -> str:
        import torch

        self.streamer.put(torch.tensor([token]))
        return self._taken()

    def end(self) -> str:
        self.streamer.end()
        return self._taken()

    def _taken(self) -> str:
        text = "".join(self.streamer.texts)
        self.streamer.texts.clear()
        return text


class Whole(WholeDetokenizer):
    """Decode everything each time; like the others it shows no special tokens."""

    def end(self) -> str:
        return ""


class OneEach:
    """A manager made of streamers for one request each; an end id that finishes is not fed."""

    def __init__(self, make: Callable[[Any], Any], tokenizer: Any) -> None:
        self.make = make
        self.tokenizer = tokenizer
        self.ends = end_ids(tokenizer)
        self.streams: dict[int, Any] = {}  # uid -> streamer of an open request

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]:
        return [self._one(msg) for msg in msgs]

    def _one(self, msg: DetokenizeMsg) -> str:
        stream = self.streams.get(msg.uid) or self.streams.setdefault(msg.uid, self.make(self.tokenizer))
        text = "" if msg.finished and msg.next_token in self.ends else stream.push(msg.next_token)
        return text + self.streams.pop(msg.uid).end() if msg.finished else text


def managers() -> dict[str, Callable[[Any], Any]]:
    """Name -> maker, of everything that is judged: the package's own, then the peers."""
    own = ["DetokenizeManager", "SafeDetokenizeManager", "ExactDetokenizeManager"]
    return {
        "WholeDetokenizer": lambda tokenizer: OneEach(Whole, tokenizer),
        **{name: getattr(minisgl_tok, name) for name in own if hasattr(minisgl_tok, name)},
        "DecodeStream": lambda tokenizer: OneEach(HubStream, tokenizer),
        "TextStreamer": lambda tokenizer: OneEach(HubTextStreamer, tokenizer),
    }
