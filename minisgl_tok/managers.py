"""The detokenizers that a worker can have, by name."""

from __future__ import annotations

import logging
from collections.abc import Sized
from typing import TYPE_CHECKING, Protocol

from .detokenize import DetokenizeManager
from .exact import ExactDetokenizeManager
from .messages import DetokenizeMsg
from .safe import SafeDetokenizeManager, rounds
from .vocab import UnsupportedTokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

NAMES = ("exact", "safe", "window")

logger = logging.getLogger(__name__)


class Detokenizing(Protocol):
    """What a worker asks of its detokenizer."""

    @property
    def decode_map(self) -> Sized: ...

    def open(self, uid: int) -> None: ...

    def abort(self, uid: int) -> None: ...

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]: ...


def detokenizer(name: str, tokenizer: PreTrainedTokenizerFast) -> Detokenizing:
    """The detokenizer of that name; safe instead of exact where tokens have no bytes.

    >>> from minisgl_tok import load_tokenizer
    >>> type(detokenizer("exact", load_tokenizer("toy"))).__name__
    'ExactDetokenizeManager'
    """
    if name == "window":
        return WindowInRounds(tokenizer)
    if name == "safe":
        return SafeDetokenizeManager(tokenizer)
    if name != "exact":
        raise ValueError(f"no detokenizer {name!r}: there are {', '.join(NAMES)}")
    try:
        return ExactDetokenizeManager(tokenizer)
    except UnsupportedTokenizer as error:
        logger.warning("safe instead of exact: %s", error)
        return SafeDetokenizeManager(tokenizer)


class WindowInRounds:
    """The original window in a worker: no call holds a uid twice, since it cannot take that."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.manager = DetokenizeManager(tokenizer)
        self.decode_map = self.manager.decode_map
        self.outside = len(tokenizer)  # an id that decodes to nothing

    def open(self, uid: int) -> None:
        """A uid begins anew."""
        self.decode_map.pop(uid, None)

    def abort(self, uid: int) -> None:
        """Free the state of a request."""
        self.decode_map.pop(uid, None)

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]:
        """One delta for each message, in their order."""
        deltas = [""] * len(msgs)
        for places in rounds(msgs):
            texts = self.manager.detokenize([self._inside(msgs[place]) for place in places])
            for place, text in zip(places, texts, strict=True):
                deltas[place] = text
        return deltas

    def _inside(self, msg: DetokenizeMsg) -> DetokenizeMsg:
        """The library raises on an id of more than 32 bits."""
        if msg.next_token < 2**32:
            return msg
        return DetokenizeMsg(msg.uid, self.outside, msg.finished)
