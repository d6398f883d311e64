"""What happened with each message, recorded once; the pictures are drawn from it.

    trace = record(tokenizer, DetokenizeManager, [DetokenizeMsg(1, 46602, False), …])

A recording sees the manager from outside: the offsets in `decode_map` before and after, the
text it returns. Right and wrong are decided by the bytes of the visible tokens, decoded as
they come, never by another manager.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..detokenize import DecodeStatus
from ..messages import DetokenizeMsg
from .frontend import Fault, Frontend, fault_kind
from .managers import name_of, new_manager
from .utf8 import Decoder
from .vocabulary import Vocabulary


@dataclass(frozen=True)
class Message:
    """One message as it arrives, and what is known of its token."""

    uid: int
    token: int
    finished: bool
    drain: int  # which call of the manager it came with
    data: bytes | None  # the token's bytes; None where the tokenizer has none to give
    hidden: bool  # an end id or a special token: no text of the answer
    alone: str  # the token decoded alone


@dataclass(frozen=True)
class Offsets:
    """A window's offsets, in ids; `sent` in characters. None: the status has no such number."""

    surr: int | None
    read: int | None
    end: int | None
    sent: int | None


@dataclass(frozen=True)
class Windows:
    """The two runs of ids that a manager decodes for one message, and their texts."""

    read_ids: tuple[int, ...]
    surr_ids: tuple[int, ...]
    read_text: str
    surr_text: str

    @property
    def new_text(self) -> str:
        return self.read_text[len(self.surr_text) :]


@dataclass(frozen=True)
class Step:
    """What one message did."""

    before: Offsets | None  # None: this manager keeps no offsets
    after: Offsets | None
    windows: Windows | None
    delta: str
    due: str  # characters that are complete and have not left
    open: bytes  # bytes of a character that is not complete yet
    complete: int  # characters that are complete so far
    cut: int  # ids that the manager has thrown away; its offsets count from there
    faults: tuple[Fault, ...] = ()
    error: str | None = None  # the manager raised, or returned what is no list of texts


@dataclass(frozen=True)
class Trace:
    """All messages, and a step for each until the end or the first error."""

    manager: str
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]
    strips_first_space: bool = False  # the tokenizer's own rule: one space goes from the front

    @property
    def uids(self) -> list[int]:
        """The requests, in the order in which they came."""
        return list(dict.fromkeys(message.uid for message in self.messages))

    def of(self, uid: int) -> list[int]:
        """The places of a request's messages."""
        return [n for n, message in enumerate(self.messages) if message.uid == uid]

    def received(self, n: int) -> str:
        """What the frontend has of message n's request before that message."""
        uid = self.messages[n].uid
        return "".join(s.delta for m, s in zip(self.messages[:n], self.steps, strict=False) if m.uid == uid)

    def first_fault(self) -> int | None:
        """The first message with a fault or an error."""
        return next((n for n, step in enumerate(self.steps) if step.faults or step.error), None)


def first_fault(deltas: list[str], pieces: list[bytes]) -> tuple[int, str] | None:
    """The first message at which a request's text went wrong, and how; None where it is right.

    `deltas` is what each message sent, `pieces` the bytes it brought; with the last one the
    request ends. "early": U+FFFD was sent while it could still become a character. "twice":
    text was sent that had left before. "lost": text was skipped, or never left. Text that is
    held while the request is open is no fault, nor is a U+FFFD that the bytes spell.

    >>> first_fault(["", "鱻"], [b"\\xe9\\xb1", b"\\xbb"])
    >>> first_fault(["�", "鱻"], [b"\\xe9\\xb1", b"\\xbb"])
    (0, 'early')
    """
    decoder = Decoder()
    due = ""  # complete, and not yet sent
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True), start=1):
        due += decoder.decode(piece, final=n == len(pieces))
        if not due.startswith(delta):
            return n - 1, fault_kind(delta, due)
        due = due[len(delta) :]
    return (len(pieces) - 1, "lost") if due else None


def messages_of(ids: Sequence[int], uid: int = 1) -> list[DetokenizeMsg]:
    """One request's ids as messages; the last one finishes it."""
    return [DetokenizeMsg(uid, token, n == len(ids)) for n, token in enumerate(ids, start=1)]


def interleave(requests: Mapping[int, Sequence[int]]) -> list[list[DetokenizeMsg]]:
    """Several requests' ids as drains, each with the next token of every open request."""
    queues = [messages_of(ids, uid) for uid, ids in requests.items()]
    longest = max(map(len, queues), default=0)
    return [[queue[n] for queue in queues if n < len(queue)] for n in range(longest)]


def record(
    tokenizer: Any,
    manager: Any,
    messages: Iterable[DetokenizeMsg | list[DetokenizeMsg]],
    *,
    pieces: Mapping[int, bytes] | None = None,
) -> Trace:
    """Feed messages to a manager and write down what happens; it never raises for its sake.

    `manager` is a class, or a function of the tokenizer, whose result has `detokenize` or
    `push`; an object is copied, its open requests left out. A list among `messages` is one
    drain. The tokenizer needs `decode` and `batch_decode`; the bytes of tokens come from
    `pieces` (id -> bytes) or from the tokenizer's own vocabulary, if it has such bytes.
    """
    vocabulary = Vocabulary(tokenizer, pieces)
    drains = [item if isinstance(item, list) else [item] for item in messages]
    arrived = tuple(_message(m, n, vocabulary) for n, drain in enumerate(drains) for m in drain)
    recorder = _Recorder(tokenizer, vocabulary)
    try:
        target = new_manager(manager, tokenizer)
        for drain in drains:
            recorder.drain(target, drain)
    except Exception as error:  # whatever a reader's code does is shown, at its message
        recorder.stop(error, arrived)
    return Trace(name_of(manager), arrived, tuple(recorder.steps), vocabulary.strips_first_space)


def _message(msg: DetokenizeMsg, drain: int, vocabulary: Vocabulary) -> Message:
    token = msg.next_token
    data, hidden, alone = vocabulary.bytes_of(token), token in vocabulary.hidden, vocabulary.alone(token)
    return Message(msg.uid, token, msg.finished, drain, data, hidden, alone)


class _Recorder:
    """The steps so far, and one `Frontend` for each request."""

    def __init__(self, tokenizer: Any, vocabulary: Vocabulary) -> None:
        self.tokenizer = tokenizer
        self.vocabulary = vocabulary
        self.frontends: dict[int, Frontend] = {}
        self.steps: list[Step] = []
        self.cut: dict[int, int] = {}  # uid -> ids that its status no longer has

    def drain(self, manager: Any, msgs: list[DetokenizeMsg]) -> None:
        statuses = {msg.uid: _status(manager, msg.uid) for msg in msgs}
        before = {uid: _offsets(status) for uid, status in statuses.items()}
        kept = {uid: _context(status, before[uid]) for uid, status in statuses.items()}
        deltas = manager.detokenize(list(msgs))
        if not isinstance(deltas, list) or [type(d) for d in deltas] != [str] * len(msgs):
            raise TypeError(f"detokenize returned {deltas!r:.80}, which is no list of {len(msgs)} text(s)")
        seen: dict[int, int] = {}  # uid -> its messages of this drain so far
        for msg, delta in zip(msgs, deltas, strict=True):
            seen[msg.uid] = seen.get(msg.uid, 0) + 1
            status = _status(manager, msg.uid, freed=True)
            after = _offsets(status)
            start = before[msg.uid] or (Offsets(0, 0, 0, 0) if after else None)
            windows = self._windows(manager, status, start, seen[msg.uid]) if after else None
            cut = self.cut.get(msg.uid, 0)
            gone = _gone(start, after, seen[msg.uid])
            if gone and start:
                confirmed = (start.read or 0) - (start.surr or 0)
                windows = self._by_definition([*kept[msg.uid], msg.next_token], 0, confirmed)
                self.cut[msg.uid] = cut + gone
            self.steps.append(self._step(manager, msg, delta, start if after else None, after, windows, cut))

    def _step(
        self,
        manager: Any,
        msg: DetokenizeMsg,
        delta: str,
        before: Offsets | None,
        after: Offsets | None,
        windows: Windows | None,
        cut: int,
    ) -> Step:
        frontend = self.frontends.setdefault(msg.uid, Frontend(self.vocabulary, manager))
        frontend.arrive(msg.next_token, msg.finished)
        faults = tuple(frontend.send(delta))
        return Step(
            before, after, windows, delta, frontend.due, frontend.open, frontend.complete, cut, faults
        )

    def _windows(self, manager: Any, status: Any, before: Offsets | None, new: int) -> Windows | None:
        """What the manager decoded, with `new` tokens: asked of its own `windows`, if it has that."""
        ids = getattr(status, "decoded_ids", None)
        if not isinstance(ids, list) or before is None or before.surr is None or before.read is None:
            return None
        ids = ids if before.end is None else ids[: before.end + new]
        probe = DecodeStatus(list(ids), "", before.surr, before.read, before.sent or 0)
        try:
            read, surr = copy.copy(manager).windows(probe)
            read_text, surr_text = self.tokenizer.batch_decode([list(read), list(surr)])
        except Exception:  # it has none, or they are no runs of ids: then by definition
            return self._by_definition(ids, before.surr, before.read)
        return Windows(tuple(read), tuple(surr), read_text, surr_text)

    def _by_definition(self, ids: list[int], surr: int, read: int) -> Windows | None:
        """The windows that the offsets mean."""
        runs = ids[surr:], ids[surr:read]
        try:
            read_text, surr_text = self.tokenizer.batch_decode(list(runs))
        except Exception:  # an id that the tokenizer refuses
            return None
        return Windows(tuple(runs[0]), tuple(runs[1]), read_text, surr_text)

    def stop(self, error: Exception, messages: tuple[Message, ...]) -> None:
        """Put the error at the first message that has no step."""
        n = len(self.steps)
        if n < len(messages):
            text = _said(error)
            known = self.frontends.get(messages[n].uid)
            due, open_, complete = (known.due, known.open, known.complete) if known else ("", b"", 0)
            self.steps.append(Step(None, None, None, "", due, open_, complete, 0, (), text))


def _said(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {str(error)[:300]}".removesuffix(": ")
    except Exception:  # a class of the reader's own, whose text fails too
        return type(error).__name__


def _status(manager: Any, uid: int, freed: bool = False) -> Any:
    statuses = getattr(manager, "decode_map", None)
    last = getattr(statuses, "last", None) if freed else None
    for known in (statuses, last):
        if isinstance(known, Mapping) and uid in known:
            return known[uid]
    return None


def _context(status: Any, offsets: Offsets | None) -> list[int]:
    """The ids from `surr` on, as they are before a manager may cut them off."""
    ids = getattr(status, "decoded_ids", None)
    return list(ids[offsets.surr :]) if isinstance(ids, list) and offsets and offsets.surr is not None else []


def _gone(before: Offsets | None, after: Offsets | None, new: int) -> int:
    """How many ids a manager has thrown away with the last of `new` messages."""
    if not before or not after or before.end is None or after.end is None or after.end >= before.end:
        return 0
    return before.end + new - after.end


def _offsets(status: Any) -> Offsets | None:
    """The numbers of a status; None where it is no window's."""
    if not hasattr(status, "surr_offset") or not hasattr(status, "read_offset"):
        return None
    ids = getattr(status, "decoded_ids", None)
    end = len(ids) if isinstance(ids, list) else None
    numbers = (getattr(status, name, None) for name in ("surr_offset", "read_offset", "sent_offset"))
    surr, read, sent = (n if isinstance(n, int) else None for n in numbers)
    return Offsets(surr, read, end, sent)
