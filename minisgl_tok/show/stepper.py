"""The stepper: one answer, token by token, with the window that turns it into text."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..detokenize import DetokenizeManager
from ..exact import ExactDetokenizeManager
from ..messages import DetokenizeMsg
from ..naive import WholeDetokenizer
from ..safe import SafeDetokenizeManager
from ..vocab import load_tokenizer
from . import html, text
from .managers import name_of
from .pieces import PieceTokenizer
from .player import Choices, Player
from .trace import Trace, interleave, messages_of, record

TEXT = "鱻䨻🦩 is rare, 推理 naïve"
BUILT_IN = ("qwen3", "toy")


class Steps:
    """A trace as a picture for a `Player`: all messages, or those of one request."""

    def __init__(self, trace: Trace, uid: int | None = None) -> None:
        self.trace = trace
        self.places = list(range(len(trace.messages))) if uid is None else trace.of(uid)

    def steps(self) -> int:
        return len(self.places)

    def place(self, step: int) -> int:
        return self.places[step] if self.places else 0

    def caption(self, step: int) -> str:
        return (
            f"message {self.place(step) + 1} of {len(self.trace.messages)}" if self.places else "no message"
        )

    def html(self, step: int) -> str:
        return html.draw(self.trace, self.place(step), style=False)

    def text(self, step: int) -> str:
        return text.draw(self.trace, self.place(step))

    def film(self, step: int) -> str:
        return html.film(self.trace, self.place(step) if step else None)

    def plain(self) -> str:
        return text.table(self.trace)


def stepper(
    text: str = TEXT,
    tokenizer: Any = "qwen3",
    manager: Any = None,
    *,
    at: int | None = None,
    ids: Sequence[Any] | None = None,
    requests: Mapping[int, Any] | None = None,
    pieces: Mapping[int, bytes] | Sequence[bytes] | None = None,
) -> Player:
    """Step through an answer as a manager streams it.

    * `text` is encoded by `tokenizer`: a name, or an object with `decode` and `batch_decode`
      (and, for texts, a call that returns `input_ids`).
    * `manager` is a class, a function of the tokenizer, an object, or a dict of name ->
      such, to choose from. Without one: the package's own.
    * `ids` are given instead of a text: token ids, `DetokenizeMsg`s, or lists of them (drains).
    * `requests` are several at once: uid -> text or ids; each drain has a token of each.
    * `pieces` are the bytes behind made-up ids (id -> bytes, or a sequence).
    * `at` is the message to show first, from 1.
    """
    tokenizers = tokenizer_menu(tokenizer, pieces)
    managers = _managers(manager)
    made_up = _mapping(pieces)

    def trace(choices: Choices) -> Trace:
        chosen = tokenizers[choices.tokenizer]()
        messages = request_messages(chosen, choices.text, ids, requests)
        return record(chosen, managers[choices.manager], messages, pieces=made_up)

    last: dict[Choices, Trace] = {}  # the request menu only looks at another part of the same trace

    def make(choices: Choices) -> Steps:
        key = Choices(choices.text, choices.tokenizer, choices.manager, None)
        if key not in last:
            last.clear()
            last[key] = trace(key)
        return Steps(last[key], choices.request)

    fixed = ids is not None or requests is not None
    return Player(
        make,
        text=text,
        tokenizers=list(tokenizers)[:1] if fixed or _is_object(manager) else list(tokenizers),
        managers=list(managers),
        requests=list(requests or ()),
        fixed=fixed,
        at=None if at is None else at - 1,
    )


def tokenizer_menu(tokenizer: Any, pieces: Any) -> dict[str, Callable[[], Any]]:
    """Names to choose from, the given one first."""
    if tokenizer is None or (pieces is not None and isinstance(tokenizer, str)):
        made_up = PieceTokenizer(pieces or {})
        return {made_up.name_or_path: lambda: made_up}
    built_in = {name: lambda name=name: load_tokenizer(name) for name in BUILT_IN}
    if isinstance(tokenizer, str):
        return {tokenizer: lambda: load_tokenizer(tokenizer)} | built_in
    name = str(getattr(tokenizer, "name_or_path", "")) or type(tokenizer).__name__
    return {name: lambda: tokenizer} | {k: v for k, v in built_in.items() if k != name}


def _managers(manager: Any) -> dict[str, Any]:
    if manager is None:
        return default_managers()
    if isinstance(manager, Mapping):
        if not manager:
            raise ValueError("manager is an empty dict; give it at least one name and its manager")
        return {str(name): one for name, one in manager.items()}
    return {name_of(manager): manager}


def default_managers() -> dict[str, Any]:
    """The package's own ways to stream, by a name for the menu."""
    return {
        "window": DetokenizeManager,
        "decode everything": WholeDetokenizer,
        "safe window": SafeDetokenizeManager,
        "exact": ExactDetokenizeManager,
    }


def _is_object(manager: Any) -> bool:
    return hasattr(manager, "detokenize") and not isinstance(manager, type)


def _mapping(pieces: Any) -> Mapping[int, bytes] | None:
    if pieces is None:
        return None
    return dict(pieces) if isinstance(pieces, Mapping) else dict(enumerate(pieces))


def request_messages(tokenizer: Any, text: str, ids: Any = None, requests: Any = None) -> list[Any]:
    """The messages of a text, of given ids, or of several requests that take turns."""
    if requests is not None:
        encoded = {
            uid: encode(tokenizer, one) if isinstance(one, str) else list(one)
            for uid, one in requests.items()
        }
        return interleave(encoded)
    if ids is None:
        return messages_of(encode(tokenizer, text))
    given = list(ids)
    return (
        copy.copy(given)
        if any(isinstance(one, (DetokenizeMsg, list)) for one in given)
        else messages_of(given)
    )


def encode(tokenizer: Any, text: str) -> list[int]:
    """A text as an answer's ids: without the marks that belong to a prompt.

    A lone surrogate, which no tokenizer takes, becomes U+FFFD.
    """
    valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return list(tokenizer(valid, add_special_tokens=False).input_ids)
