"""Streamers of other libraries, one request each, as `push(token)` and `end()`.

A recording makes one for each request; see `managers.OneEach`.
"""

from __future__ import annotations

from typing import Any


class TokenByToken:
    """The first idea: decode each token alone. What is split across two never arrives.

    >>> from minisgl_tok import load_tokenizer
    >>> alone = TokenByToken(load_tokenizer("qwen3"))
    >>> alone.push(46602), alone.push(101)
    (' �', '�')
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def push(self, token: int) -> str:
        return self.tokenizer.decode([token], skip_special_tokens=True)


class HubDecodeStream:
    """`DecodeStream` of Hugging Face's tokenizers. It has no end: what it still holds is lost."""

    def __init__(self, tokenizer: Any) -> None:
        from tokenizers.decoders import DecodeStream

        self.backend = tokenizer.backend_tokenizer
        self.stream = DecodeStream(skip_special_tokens=True)

    def push(self, token: int) -> str:
        return self.stream.step(self.backend, token) or ""


class HubTextStreamer:
    """`TextStreamer` of Hugging Face's transformers, its printing kept instead."""

    def __init__(self, tokenizer: Any) -> None:
        from transformers import TextStreamer

        self.printed: list[str] = []
        self.streamer = TextStreamer(tokenizer, skip_special_tokens=True)
        self.streamer.on_finalized_text = self._keep  # type: ignore[method-assign]

    def _keep(self, text: str, stream_end: bool = False) -> None:
        self.printed.append(text)

    def push(self, token: int) -> str:
        import numpy

        self.streamer.put(numpy.array([token]))
        return self._taken()

    def end(self) -> str:
        self.streamer.end()
        return self._taken()

    def _taken(self) -> str:
        text = "".join(self.printed)
        self.printed.clear()
        return text
