"""Decode everything, every time: right on ordinary text, and slower with every token.

It is the step between decoding token by token, which breaks characters, and the window,
which decodes only what is recent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class WholeDetokenizer:
    """One request: all its ids, and the number of characters that have gone out.

    The n-th token decodes n ids, so a whole answer costs a number of decoded ids that grows
    with its square. A U+FFFD at the end is held, since it may be half a character.

    >>> from minisgl_tok import load_tokenizer
    >>> whole = WholeDetokenizer(load_tokenizer("qwen3"))
    >>> [whole.push(token) for token in (46602, 101, 21887)]
    [' ', '推', '理']
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self.ids: list[int] = []
        self.sent_offset = 0  # characters that have gone out

    def push(self, token: int) -> str:
        """Take the next token; the text that is new and safe."""
        self.ids.append(token)
        safe = str(self.tokenizer.decode(self.ids)).rstrip("\ufffd")
        delta = safe[self.sent_offset :]
        self.sent_offset = max(self.sent_offset, len(safe))
        return delta
