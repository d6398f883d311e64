"""Anything that streams text, behind the one interface of a manager.

A recording wants `detokenize(list of DetokenizeMsg) -> list of str`. What takes one request
and one token at a time (`push(token) -> str`, as `WholeDetokenizer` does) gets one instance
for each request here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ..messages import DetokenizeMsg


class OneEach:
    """A manager made of streamers for a single request; `make(tokenizer)` gives a new one.

    The end id that finishes a request is no text and never reaches the streamer. A streamer
    with `end() -> str` is asked for its rest with the last message.
    """

    def __init__(self, make: Callable[[Any], Any], tokenizer: Any) -> None:
        self.make = make
        self.tokenizer = tokenizer
        self.streams: dict[int, Any] = {}  # uid -> streamer of an open request

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]:
        return [self._push(msg) for msg in msgs]

    def _push(self, msg: DetokenizeMsg) -> str:
        if msg.uid not in self.streams:
            self.streams[msg.uid] = self.make(self.tokenizer)
        stream = self.streams[msg.uid]
        if not msg.finished:
            return stream.push(msg.next_token)
        del self.streams[msg.uid]
        ends = msg.next_token == getattr(self.tokenizer, "eos_token_id", None)
        delta = "" if ends else stream.push(msg.next_token)
        return delta + stream.end() if hasattr(stream, "end") else delta


class Remembering(dict):
    """A `decode_map` that still knows a status after it was freed."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.last: dict[int, Any] = dict(self)

    def __setitem__(self, uid: int, status: Any) -> None:
        super().__setitem__(uid, status)
        self.last[uid] = status

    def setdefault(self, uid: int, status: Any = None) -> Any:
        if uid not in self:
            self[uid] = status
        return self[uid]


def new_manager(manager: Any, tokenizer: Any) -> Any:
    """A manager with no open request: of a class or function, or a copy of an object.

    Raises TypeError for what has neither `detokenize` nor `push`.
    """
    if isinstance(manager, type) or not _streams(manager):
        if not callable(manager):
            raise TypeError(f"{manager!r} is no manager: it has neither detokenize nor push")
        made = manager(tokenizer)
    else:
        made = _fresh(manager, tokenizer)
        if hasattr(made, "push") and not hasattr(made, "detokenize"):
            return OneEach(lambda _: _fresh(manager, tokenizer), tokenizer)
    if hasattr(made, "detokenize"):
        if type(getattr(made, "decode_map", None)) is dict:
            made.decode_map = Remembering()
        return made
    if hasattr(made, "push"):
        return OneEach(manager, tokenizer)
    raise TypeError(f"{type(made).__name__} is no manager: it has neither detokenize nor push")


def _fresh(manager: Any, tokenizer: Any) -> Any:
    """A copy of an object that knows no request; its tokenizer is shared."""
    own = getattr(manager, "tokenizer", tokenizer)
    made = copy.deepcopy(manager, {id(tokenizer): tokenizer, id(own): own})
    for name in ("decode_map", "ended"):
        if hasattr(made, name):
            setattr(made, name, type(getattr(made, name))())
    return made


def _streams(thing: Any) -> bool:
    return hasattr(thing, "detokenize") or hasattr(thing, "push")


def name_of(manager: Any) -> str:
    """What to call a manager: its class or function."""
    return getattr(manager, "__name__", type(manager).__name__)
