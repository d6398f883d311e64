"""A worker without its sockets: a drain in, frames out.

`server.handle` answers messages that are all good. Around it stand here what a service
needs besides: the ledger decides who may be answered, a batch that raises is redone one by
one, stop strings end requests, and every request gets one finished reply and no more.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET

from . import server
from .ledger import PLAIN, Failure, Ledger, Part, Request, parts
from .limit import PromptLimit
from .managers import detokenizer as detokenizer_named
from .messages import (
    AbortBackendMsg,
    AbortMsg,
    BatchBackendMsg,
    BatchFrontendMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    Fault,
    OpenMsg,
    TokenizeMsg,
    UserMsg,
    UserReply,
)
from .tokenize import TokenizeManager
from .vocab import end_ids

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ROLES = ("both", "tokenizer", "detokenizer")

logger = logging.getLogger(__name__)


class Frames(NamedTuple):
    """What leaves after a drain, in the order in which it is sent."""

    detokenizer: list[Any]  # openings and aborts, where it is another process
    backend: list[Any]
    frontend: list[Any]


class Worker:
    """Both managers, and the requests between them.

    >>> from minisgl_tok import load_tokenizer
    >>> worker = Worker(load_tokenizer("qwen3"))
    >>> worker.serve([DetokenizeMsg(1, 9707, False), DetokenizeMsg(1, 1879, True)]).frontend[0].data
    [UserReply(uid=1, incremental_output='Hello', finished=False, finish_reason=UNSET, matched_stop=UNSET), \
UserReply(uid=1, incremental_output=' world', finished=True, finish_reason=UNSET, matched_stop=UNSET)]
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        *,
        detokenizer: str = "exact",
        extended: bool = False,
        max_prompt_tokens: int | None = None,
        role: str = "both",
        needs_opening: bool = False,
        patience: float = 0.0,
    ) -> None:
        if role not in ROLES:
            raise ValueError(f"no role {role!r}: there are {', '.join(ROLES)}")
        self.role = role
        self.extended = extended
        self.limit = PromptLimit(tokenizer, max_prompt_tokens)
        self.end_ids = end_ids(tokenizer)
        self.ledger = Ledger(needs_opening=needs_opening, patience=patience)
        self.tokenizing = TokenizeManager(tokenizer)
        # A process that only tokenizes never sees a token; the window is made at no cost.
        self.detokenizing = detokenizer_named("window" if role == "tokenizer" else detokenizer, tokenizer)

    def is_exiting(self) -> bool:
        """Whether an ExitMsg has come."""
        return self.ledger.exiting

    def is_waiting(self) -> bool:
        """Whether tokens wait for the opening of their requests."""
        return bool(self.ledger.waiting)

    def summary(self) -> dict[str, int]:
        """What was counted, and how many requests are still open and have state."""
        states = len(self.detokenizing.decode_map)
        return {"open": len(self.ledger.open), "states": states, **self.ledger.counts}

    # -------------------------------------------------------------- a drain

    def serve(self, pending: list, faults: deque[Fault] | None = None) -> Frames:
        """The frames that answer a drain; `faults` are emptied."""
        frames = Frames([], [], [])
        while faults:
            self._answer(self.ledger.fault(faults.popleft()), frames)
        for msgs in parts(pending):
            part = self.ledger.admit(msgs)
            if self.ledger.waiting:
                self.ledger.end_overdue(part)
            self._answer(part, frames)
        return frames

    def _answer(self, part: Part, frames: Frames) -> None:
        """Answer a part: at most one frame of each kind is added."""
        replies: list[UserReply] = []
        requests: list[UserMsg] = []
        aborts: list[AbortBackendMsg] = []
        for uid in part.opened:
            self.detokenizing.open(uid)
        if part.tokens:
            self._texts(part, replies, aborts)
        if part.others:
            self._prompts(part, requests, aborts)
        for uid in part.aborted:
            self.detokenizing.abort(uid)
        self._endings(part, replies, aborts)
        if self.role == "tokenizer":
            self._announce(part, requests, frames)
        for msgs in (requests, aborts):
            if msgs:
                frames.backend.append(server.pack(msgs, BatchBackendMsg))
        if replies:
            frames.frontend.append(server.pack(replies, BatchFrontendMsg))

    # -------------------------------------------------------------- text

    def _texts(self, part: Part, replies: list[UserReply], aborts: list[AbortBackendMsg]) -> None:
        """Replies with the deltas of a part's tokens."""
        to_frontend, _ = self._handled(part.tokens, part)
        if part.failures or part.aborted:  # their text is of no use any more
            gone = {failure.uid for failure in part.failures}.union(part.aborted)
            to_frontend = [reply for reply in to_frontend if reply.uid not in gone]
        if self.ledger.stopping or any(request.stops for request, _ in part.last.values()):
            to_frontend, stopped = self._cut_at_stops(to_frontend, part)
            aborts += stopped
        if self.extended:
            for reply in to_frontend:
                if reply.finished and reply.finish_reason is UNSET:
                    reply.finish_reason = self._reason(*part.last.get(reply.uid, (PLAIN, -1)))
        replies += to_frontend

    def _reason(self, request: Request, last_token: int) -> str:
        return "stop" if last_token in self.end_ids and not request.ignore_eos else "length"

    def _cut_at_stops(
        self, replies: list[UserReply], part: Part
    ) -> tuple[list[UserReply], list[AbortBackendMsg]]:
        """The replies with nothing of a stop and nothing after it, and aborts of what it ended."""
        kept, aborts = [], []
        stopped: set[int] = set()
        for reply in replies:
            uid = reply.uid
            if uid in stopped:
                continue
            request = self.ledger.open.get(uid) or (part.last[uid][0] if uid in part.last else None)
            if request is not None and request.stops:
                text, matched = request.stops.push(reply.incremental_output, reply.finished)
                if matched is None:
                    reply.incremental_output = text
                else:
                    stopped.add(uid)
                    reply, abort = server.on_stop(uid, text, matched, self.ledger.ended)
                    if uid not in part.last:  # else the scheduler has ended it already
                        aborts.append(abort)
                    self.ledger.end(uid)
                    self.detokenizing.abort(uid)
                    if not self.extended:
                        reply = UserReply(uid, text, True)
            kept.append(reply)
        return kept, aborts

    # -------------------------------------------------------------- prompts

    def _prompts(self, part: Part, requests: list[UserMsg], aborts: list[AbortBackendMsg]) -> None:
        """Requests for the scheduler, and aborts."""
        good: list[Any] = []
        for msg in part.others:
            if isinstance(msg, AbortMsg):
                if self.role != "detokenizer":  # there the tokenizer has told the scheduler
                    good.append(msg)
                continue
            try:
                self.limit.check_text(msg.text)
            except ValueError as error:
                self._fail_prompt(msg.uid, error, part)
            else:
                good.append(self._plain(msg))
        _, to_backend = self._handled(good, part)
        for msg in to_backend:
            if isinstance(msg, AbortBackendMsg):
                aborts.append(msg)
                continue
            try:
                self.limit.check(len(msg.input_ids.buffer) // 4)
            except ValueError as error:
                self._fail_prompt(msg.uid, error, part)
            else:
                requests.append(msg)

    def _plain(self, msg: TokenizeMsg) -> TokenizeMsg:
        """The message as the scheduler's decoder takes it: extension fields only where it asked."""
        if self.extended or msg.sampling_params.stop is UNSET:
            return msg
        return msgspec.structs.replace(
            msg, sampling_params=msgspec.structs.replace(msg.sampling_params, stop=UNSET)
        )

    def _fail_prompt(self, uid: int, error: Exception, part: Part) -> None:
        """A prompt that cannot be used; the scheduler never hears of it."""
        if uid not in part.aborted or self.role == "tokenizer":
            self.ledger.end(uid)
            part.failures.append(Failure(uid, _said(error), False))

    def _announce(self, part: Part, requests: list[UserMsg], frames: Frames) -> None:
        """Tell the detokenizer of requests and aborts, before the scheduler hears of them."""
        wishes = {msg.uid: msg for msg in part.others if isinstance(msg, TokenizeMsg)}
        news: list[Any] = []
        for request in requests:
            params = wishes[request.uid].sampling_params
            news.append(OpenMsg(request.uid, params.stop or [], params.ignore_eos))
        news += [msg for msg in part.others if isinstance(msg, AbortMsg)]
        if news:
            frames.detokenizer.append(server.pack(news, BatchTokenizerMsg))
        for uid in part.opened:  # its tokens come to another process
            self.ledger.open.pop(uid, None)

    # -------------------------------------------------------------- errors and ends

    def _handled(self, msgs: list, part: Part) -> tuple[list, list]:
        """The messages by which `server.handle` answers; a batch that raises is redone one by one."""
        if not msgs:
            return [], []
        try:
            return _flat(server.handle(msgs, self.tokenizing, self.detokenizing))
        except Exception as error:
            if len(msgs) == 1:
                self._fault_of(msgs[0], error, part)
                return [], []
        to_frontend, to_backend = [], []
        for msg in msgs:
            if all(failure.uid != msg.uid for failure in part.failures):
                frontend, backend = self._handled([msg], part)
                to_frontend += frontend
                to_backend += backend
        return to_frontend, to_backend

    def _fault_of(self, msg: Any, error: Exception, part: Part) -> None:
        """One message could not be answered: its request ends with an error."""
        if isinstance(msg, TokenizeMsg):
            self._fail_prompt(msg.uid, error, part)
        elif isinstance(msg, DetokenizeMsg):
            self.ledger.end(msg.uid)
            part.failures.append(Failure(msg.uid, _said(error), msg.uid not in part.last))

    def _endings(self, part: Part, replies: list[UserReply], aborts: list[AbortBackendMsg]) -> None:
        """Finished replies for requests that failed or were aborted, and the scheduler's share."""
        for failure in part.failures:
            logger.warning("request %s ends with an error: %s", failure.uid, failure.reason)
            self.ledger.counts["error"] += 1
            self.detokenizing.abort(failure.uid)
            replies.append(self._last_reply(failure.uid, "error"))
            if failure.computing:
                aborts.append(AbortBackendMsg(failure.uid))
        aborts += [AbortBackendMsg(uid) for uid in part.aborted_anew]
        if self.extended and self.role != "tokenizer":
            replies += [self._last_reply(uid, "abort") for uid in part.aborted]

    def _last_reply(self, uid: int, reason: str) -> UserReply:
        return UserReply(uid, "", True, finish_reason=reason if self.extended else UNSET)


def _flat(frames: tuple[list, list]) -> tuple[list, list]:
    to_frontend, to_backend = frames
    return (
        [msg for frame in to_frontend for msg in server.unpack(frame)],
        [msg for frame in to_backend for msg in server.unpack(frame)],
    )


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
