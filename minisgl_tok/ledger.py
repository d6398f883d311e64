"""What a worker knows of each request: open, ended, or not yet opened.

Every message passes here before a manager sees it. What cannot be answered with text (a
late token, a negative id, a uid that is taken) is sorted out, so that one bad message costs
one request and no other.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import UNSET

from .ended import EndedUids
from .messages import AbortMsg, DetokenizeMsg, ExitMsg, Fault, OpenMsg, TokenizeMsg
from .stop import StopStrings

MAX_WAITING = 4_096  # tokens that wait for the opening of their requests
REMEMBERED = 10.0  # s for which an abort stops a request that was not yet opened

OPENING = {TokenizeMsg, OpenMsg}

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Request:
    """An open request's wishes."""

    stops: StopStrings | None = None
    ignore_eos: bool = False


PLAIN = Request()  # of a request that wishes nothing; shared


class Failure(NamedTuple):
    """A request that ends with an error."""

    uid: int
    reason: str
    computing: bool  # the scheduler works on it, so it must be told


@dataclass
class Part:
    """Messages of a drain, sorted: what managers may see, and what must be answered besides."""

    tokens: list[DetokenizeMsg] = field(default_factory=list)
    others: list[TokenizeMsg | AbortMsg] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)  # uids, before any of their tokens
    aborted: list[int] = field(default_factory=list)  # uids, after all of their tokens
    aborted_anew: list[int] = field(default_factory=list)  # uids whose abort came too early
    failures: list[Failure] = field(default_factory=list)
    last: dict[int, tuple[Request, int]] = field(default_factory=dict)  # uid -> request, last token


def parts(msgs: list) -> Iterator[list]:
    """A drain, cut before each message that opens a uid of which the part already speaks.

    >>> def opening(uid):
    ...     return OpenMsg(uid)
    >>> [len(part) for part in parts([opening(1), AbortMsg(1), opening(1), opening(2)])]
    [2, 2]
    """
    if OPENING.isdisjoint(map(type, msgs)):
        yield msgs
        return
    start = 0
    spoken_of: set[Any] = set()
    for place, msg in enumerate(msgs):
        uid = getattr(msg, "uid", None)
        if isinstance(msg, (TokenizeMsg, OpenMsg)) and uid in spoken_of:
            yield msgs[start:place]
            start, spoken_of = place, set()
        spoken_of.add(uid)
    yield msgs[start:]


class Ledger:
    """The requests of one worker.

    With `needs_opening` a token of a request that was never opened waits `patience` seconds
    for its opening and then fails; without, it opens its request itself.
    """

    def __init__(
        self,
        *,
        needs_opening: bool = False,
        patience: float = 0.0,  # s
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.needs_opening = needs_opening
        self.patience = patience
        self.clock = clock
        self.open: dict[int, Request] = {}
        self.ended = EndedUids()
        self.stopping: set[int] = set()  # open requests with stop strings
        # uid -> until when its abort is remembered, and whether its end was already told
        self.aborted_early: dict[int, tuple[float, bool]] = {}
        self.unheard = EndedUids()  # aborts that may have reached the scheduler before the request
        self.waiting: dict[int, list[DetokenizeMsg]] = {}  # tokens that overtook it
        self.deadline: dict[int, float] = {}  # uid -> when its tokens have waited enough
        self.exiting = False  # an ExitMsg has come
        self.counts: Counter[str] = Counter()

    # -------------------------------------------------------------- a drain

    def admit(self, msgs: list) -> Part:
        """Sort the messages of a part (see `parts`) and note what begins and ends with them."""
        part = Part()
        open_, tokens = self.open, part.tokens
        for msg in msgs:
            if type(msg) is DetokenizeMsg:
                if msg.uid in open_ and msg.next_token >= 0:
                    tokens.append(msg)
                    if msg.finished:
                        self._finish(msg, part)
                else:
                    self._doubtful_token(msg, part)
            else:
                self._other(msg, part)
        return part

    def end(self, uid: int) -> None:
        """A request is over, for whatever reason."""
        self.open.pop(uid, None)
        self.stopping.discard(uid)
        self.waiting.pop(uid, None)
        self.deadline.pop(uid, None)
        self.ended.add(uid)

    def note(self, what: str, uid: Any, *, level: int = logging.WARNING) -> None:
        """Count an event and log it."""
        self.counts[what] += 1
        logger.log(level, "request %s: %s", uid, what)

    # -------------------------------------------------------------- tokens

    def _finish(self, msg: DetokenizeMsg, part: Part) -> None:
        part.last[msg.uid] = self.open.pop(msg.uid), msg.next_token
        self.stopping.discard(msg.uid)
        self.ended.add(msg.uid)

    def _doubtful_token(self, msg: DetokenizeMsg, part: Part) -> None:
        """A token that is late, early, or negative; or the first of a request."""
        uid = msg.uid
        if uid in self.ended:
            self.counts["late token"] += 1
            if uid in self.unheard:
                self.unheard.discard(uid)
                part.aborted_anew.append(uid)
        elif msg.next_token < 0:
            self._fail(
                part, uid, f"a token id is 0 or more, not {msg.next_token}", computing=not msg.finished
            )
        elif uid in self.open:
            part.tokens.append(msg)
        elif self.needs_opening:
            self._wait(msg, part)
        else:
            self._begin(uid, PLAIN, part)
            part.tokens.append(msg)
            if msg.finished:
                self._finish(msg, part)

    def _wait(self, msg: DetokenizeMsg, part: Part) -> None:
        self.waiting.setdefault(msg.uid, []).append(msg)
        self.deadline.setdefault(msg.uid, self.clock() + self.patience)
        if not self.patience or sum(map(len, self.waiting.values())) > MAX_WAITING:
            self._give_up(part, next(iter(self.waiting)))

    def end_overdue(self, part: Part) -> None:
        """End the requests whose tokens have waited long enough for an opening."""
        now = self.clock()
        for uid in [uid for uid, deadline in self.deadline.items() if deadline <= now]:
            self._give_up(part, uid)

    def _give_up(self, part: Part, uid: int) -> None:
        """A token's request was never opened here: most likely it began before a restart."""
        computing = not any(msg.finished for msg in self.waiting[uid])
        self._fail(part, uid, "this worker has not seen the beginning of the request", computing=computing)

    # -------------------------------------------------------------- the other messages

    def _other(self, msg: Any, part: Part) -> None:
        if isinstance(msg, TokenizeMsg):
            self._opening(msg.uid, msg.sampling_params.stop, msg.sampling_params.ignore_eos, part, msg)
        elif isinstance(msg, AbortMsg):
            self._abort(msg, part)
        elif isinstance(msg, OpenMsg):
            self._opening(msg.uid, msg.stop, msg.ignore_eos, part)
        elif isinstance(msg, ExitMsg):
            self.exiting = True
        else:
            self.note(f"a {type(msg).__name__} is no message to a tokenizer", getattr(msg, "uid", "?"))

    def _opening(
        self, uid: int, stop: Any, ignore_eos: bool, part: Part, prompt: TokenizeMsg | None = None
    ) -> None:
        if uid in self.open:
            self.note("its uid is in use, the second request is ignored", uid)
            return
        until, told = self.aborted_early.pop(uid, (0.0, False))
        if until > self.clock():
            self.unheard.add(uid)
            part.aborted_anew.append(uid)
            part.aborted += [] if told else [uid]
            return
        try:
            stops = StopStrings(stop) if stop is not UNSET and stop else None
        except ValueError as error:
            self._fail(part, uid, str(error), computing=prompt is None)
            return
        self._begin(uid, Request(stops, ignore_eos) if stops or ignore_eos else PLAIN, part)
        if prompt is not None:
            part.others.append(prompt)
        self.deadline.pop(uid, None)
        for token in self.waiting.pop(uid, []):
            if uid in self.open:
                part.tokens.append(token)
                if token.finished:
                    self._finish(token, part)

    def _begin(self, uid: int, request: Request, part: Part) -> None:
        self.ended.discard(uid)
        self.open[uid] = request
        if request.stops:
            self.stopping.add(uid)
        part.opened.append(uid)

    def _abort(self, msg: AbortMsg, part: Part) -> None:
        uid = msg.uid
        early = uid not in self.open and uid not in self.ended
        if uid in self.open or uid in self.waiting:
            part.aborted.append(uid)
            self.end(uid)
        elif early:
            self.note("an abort, but no such request is open", uid, level=logging.INFO)
        if early and self.patience:
            self._abort_early(uid, told=uid in part.aborted)
        part.others.append(msg)

    def _abort_early(self, uid: int, *, told: bool) -> None:
        """An abort that came before its request, by another road; the request will not begin."""
        now = self.clock()
        for old in [old for old, (until, _) in self.aborted_early.items() if until <= now]:
            del self.aborted_early[old]
        if len(self.aborted_early) < MAX_WAITING:
            self.aborted_early[uid] = now + REMEMBERED, told
        self.ended.add(uid)

    def _fail(self, part: Part, uid: int, reason: str, *, computing: bool) -> None:
        self.end(uid)
        part.failures.append(Failure(uid, reason, computing))

    # -------------------------------------------------------------- what was no message

    def fault(self, fault: Fault) -> Part:
        """What follows from a message that could not be read; mostly nothing but its log line."""
        part, uid = Part(), fault.uid
        self.counts["refused"] += 1
        if uid is None:
            return part
        if fault.kind == "TokenizeMsg" and uid not in self.open:
            self._fail(part, uid, fault.reason, computing=False)
        elif fault.kind == "DetokenizeMsg" and uid not in self.ended:
            self._fail(part, uid, fault.reason, computing=True)
        return part
