"""A scheduler without a model: it answers by sending tokens back, and misbehaves on request."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

import msgspec

from . import server
from .events import Log
from .messages import AbortBackendMsg, BatchTokenizerMsg, DetokenizeMsg, ExitMsg, UserMsg
from .processes import START_TIMEOUT, Child, Launched
from .queues import ZmqPullQueue, ZmqPushQueue

TROUBLES = ("two tokens", "late token", "odd ids", "crash")
ODD_IDS = [2**31 - 1, 2**40]  # outside the vocabulary, and beyond the library's 32 bits
CRASH_AFTER = 5  # steps
IDLE = 20  # ms between looks at the clock while no request is open


@dataclass
class Script:
    """The tokens that answer one request."""

    uid: int
    tokens: list[int]
    place: int = 0  # of the next token

    def next(self, count: int) -> list[DetokenizeMsg]:
        """The next tokens as messages; the last one of all says that it is the last."""
        here = self.tokens[self.place : self.place + count]
        self.place += len(here)
        last = self.place == len(self.tokens)
        return [DetokenizeMsg(self.uid, t, last and n == len(here) - 1) for n, t in enumerate(here)]


class Echo:
    """What the scheduler does, without its process: requests in, steps out.

    >>> from minisgl_tok.messages import SamplingParams, Tensor
    >>> echo = Echo(end_id=151645)
    >>> echo.receive(UserMsg(1, Tensor((9707).to_bytes(4, "little"), "torch.int32"), SamplingParams()))
    >>> [(msg.next_token, msg.finished) for msg in echo.step() + echo.step()]
    [(9707, False), (151645, True)]
    """

    def __init__(
        self,
        *,
        script: list[int] | None = None,
        end_id: int | None = None,
        trouble: tuple[str, ...] | list[str] = (),
    ) -> None:
        unknown = set(trouble).difference(TROUBLES)
        if unknown:
            raise ValueError(f"no trouble {', '.join(sorted(unknown))}: there are {', '.join(TROUBLES)}")
        self.script = script  # None: each request's own prompt
        self.end_id = end_id
        self.trouble = trouble
        self.open: dict[int, Script] = {}
        self.steps = 0

    def receive(self, msg: Any) -> None:
        """Begin or end a request."""
        if isinstance(msg, UserMsg):
            self.open[msg.uid] = Script(msg.uid, self._tokens(msg))
        elif isinstance(msg, AbortBackendMsg):
            self.open.pop(msg.uid, None)

    def _tokens(self, msg: UserMsg) -> list[int]:
        """The script, with an end id behind it, and no more tokens than the request allows."""
        raw = msg.input_ids.buffer
        prompt = [int.from_bytes(raw[n : n + 4], "little") for n in range(0, len(raw), 4)]
        tokens = list(prompt if self.script is None else self.script)
        if "odd ids" in self.trouble:
            tokens[1:1] = ODD_IDS
        if self.end_id is not None:
            tokens.append(self.end_id)
        return tokens[: max(1, msg.sampling_params.max_tokens)] or [0]

    def step(self) -> list[DetokenizeMsg]:
        """The next token of every open request; with trouble, two of them, or one after the end."""
        count = 2 if "two tokens" in self.trouble else 1
        step = [msg for script in self.open.values() for msg in script.next(count)]
        over = [msg for msg in step if msg.finished]
        for msg in over:
            del self.open[msg.uid]
        if "late token" in self.trouble:
            step += [DetokenizeMsg(msg.uid, msg.next_token, False) for msg in over]
        self.steps += bool(step)
        return step


def echo_scheduler(
    *,
    backend_addr: str,
    detokenizer_addr: str,
    create: bool,
    rate: float,
    log_addr: str | None = None,
    ack_queue: Any = None,
    **options: Any,
) -> None:
    """The process: `rate` steps a second, each of them one frame; `options` are `Echo`'s."""
    leaving = server.Leaving()
    echo = Echo(**options)
    inbox = ZmqPullQueue(backend_addr, create=True, tick=IDLE)
    outbox = ZmqPushQueue(detokenizer_addr, create, patience=lambda: not leaving())
    log_queue = ZmqPushQueue(log_addr, False, msgspec.msgpack.encode) if log_addr else None
    log = Log(log_queue)
    if ack_queue is not None:
        ack_queue.put("Scheduler is ready")
    exiting = False
    while not leaving() and not exiting:
        next_step = time.monotonic() + 1 / rate
        while (rest := next_step - time.monotonic()) > 0 or not inbox.empty():
            inbox.tick = max(0, round(rest * 1_000)) if echo.open else IDLE
            frame = inbox.get()
            log.note("tokenizer", "scheduler", frame)
            for msg in server.unpack(frame):
                exiting = exiting or isinstance(msg, ExitMsg)
                echo.receive(msg)
        step = echo.step()
        if step:
            batch = server.pack(step, BatchTokenizerMsg)
            log.note("scheduler", "tokenizer", batch)
            outbox.put(batch)
        if "crash" in echo.trouble and echo.steps >= CRASH_AFTER:
            os._exit(1)
    queues: list[Any] = [inbox, outbox, *([log_queue] if log_queue else [])]
    for queue in queues:
        queue.close()


class EchoScheduler:
    """A process that answers every UserMsg by replaying tokens; a context manager.

    It sends the prompt's own tokens, or `script`, and then `end_id` if there is one, a token
    of every open request in each of `rate` steps a second, and obeys aborts. `trouble` is
    any of: "two tokens" of a request in each step, a "late token" after the end, "odd ids"
    among the tokens, a "crash" after some steps.

    It creates `backend_addr`, and with `create` also `detokenizer_addr`.
    """

    def __init__(
        self,
        *,
        backend_addr: str,
        detokenizer_addr: str,
        create: bool = False,
        rate: float = 50.0,  # steps a second
        log_addr: str | None = None,  # where each frame is noted
        folder: str = "",  # goes with the process
        **options: Any,
    ) -> None:
        Echo(**options)  # says what is wrong with them here, not in the child
        addresses = {"backend_addr": backend_addr, "detokenizer_addr": detokenizer_addr, "log_addr": log_addr}
        arguments = {**addresses, "create": create, "rate": rate, **options}
        self.launched = Launched(
            [Child("scheduler", __name__ + ":echo_scheduler", arguments)], folder, restart=False
        )

    @property
    def pid(self) -> int | None:
        """Its process id, while it runs."""
        return self.launched.pids.get("scheduler")

    def start(self) -> None:
        """Start the process and wait until it listens."""
        self.launched.start(START_TIMEOUT)

    def stop(self) -> None:
        """Stop the process; twice is no fault."""
        self.launched.stop()

    def __enter__(self) -> EchoScheduler:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
