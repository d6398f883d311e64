"""A client to play with: it sends prompts, as an API server does, and waits with a time-out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from . import server
from .events import Log
from .messages import AbortMsg, SamplingParams, TokenizeMsg
from .queues import ZmqPullQueue, ZmqPushQueue

IDLE = 20  # ms between looks at the clock


@dataclass
class Answer:
    """What a client has received for one request."""

    uid: int
    deltas: list[str] = field(default_factory=list)
    reason: str | None = None  # None: open; else why it ended, or "time-out"
    matched_stop: str | None = None
    heard: float = 0.0  # s, when the last reply came

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self.deltas)


class Client:
    """Sends prompts and collects their replies, with a time-out.

    A process that is killed takes with it what it had read, and nobody can say whose
    request that was: only whoever waits can notice, by the clock.
    """

    def __init__(
        self,
        *,
        frontend_addr: str,
        tokenizer_addr: str,
        create: bool = False,
        timeout: float = 10.0,  # s without a reply after which a request is given up
        log: Log | None = None,
    ) -> None:
        self.inbox = ZmqPullQueue(frontend_addr, create=True, tick=IDLE)
        self.outbox = ZmqPushQueue(tokenizer_addr, create)
        self.timeout = timeout
        self.log = log or Log()
        self.answers: dict[int, Answer] = {}  # uid -> open request
        self.strays = 0  # replies to no open request
        self._uid = 0

    def ask(self, text: str | list[dict[str, Any]], *, uid: int | None = None, **params: Any) -> Answer:
        """Send a prompt; `params` are sampling parameters. The answer comes by `wait` or `stream`."""
        if uid is None:
            self._uid += 1
            uid = self._uid
        answer = self.answers[uid] = Answer(uid, heard=time.monotonic())
        self.send(TokenizeMsg(uid, text, SamplingParams(**params)))
        return answer

    def abort(self, answer: Answer) -> None:
        """Say that nobody waits for an answer any more."""
        self.send(AbortMsg(answer.uid))

    def send(self, msg: Any) -> None:
        """Send any message to the tokenizer."""
        self.log.note("client", "tokenizer", msg)
        self.outbox.put(msg)

    def receive(self) -> None:
        """Take the next frame of replies, if one comes soon, and give up what is overdue."""
        frame = self.inbox.get()
        self.log.note("tokenizer", "client", frame)
        now = time.monotonic()
        for reply in server.unpack(frame):
            answer = self.answers.get(getattr(reply, "uid", None))  # type: ignore[arg-type]
            if answer is None:
                self.strays += 1
                continue
            answer.heard = now
            answer.deltas.append(reply.incremental_output)
            if reply.finished:
                answer.matched_stop = None if reply.matched_stop is UNSET else reply.matched_stop
                self._end(answer, "finished" if reply.finish_reason is UNSET else reply.finish_reason)
        for answer in [a for a in self.answers.values() if now - a.heard > self.timeout]:
            self._end(answer, "time-out")

    def _end(self, answer: Answer, reason: str) -> None:
        answer.reason = reason
        del self.answers[answer.uid]

    def wait(self, *answers: Answer) -> None:
        """Receive until these answers have ended, one way or the other."""
        while any(answer.reason is None for answer in answers):
            self.receive()

    def stream(self, prompt: Answer | str | list[dict[str, Any]], **params: Any) -> Iterator[str]:
        """The deltas of an answer as they come; a prompt is sent first."""
        answer = prompt if isinstance(prompt, Answer) else self.ask(prompt, **params)
        seen = 0
        while answer.reason is None or seen < len(answer.deltas):
            if seen == len(answer.deltas):
                self.receive()
                continue
            yield answer.deltas[seen]
            seen += 1

    def close(self) -> None:
        """Close the sockets."""
        self.inbox.close()
        self.outbox.close()
