"""The tokenizer process: wait for messages, take what is there, answer in batches.

    API server ── TokenizeMsg, AbortMsg ──▶ ┌───────────┐ ── UserMsg, AbortBackendMsg ──▶ scheduler
    API server ◀── UserReply ────────────── │ tokenizer │ ◀── DetokenizeMsg ───────────── scheduler
                                            └───────────┘

One loop does both directions. It waits only while nothing is there; what has arrived
meanwhile is one drain and is handled together, since a batch costs little more than its
largest message. `python -m minisgl_tok.server` starts it; `launching.launch` starts several.

Source: mini-sglang, ``minisgl/tokenizer/server.py``.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from .ended import EndedUids
from .managers import Detokenizing
from .messages import (
    AbortBackendMsg,
    AbortMsg,
    BatchBackendMsg,
    BatchFrontendMsg,
    DetokenizeMsg,
    Tensor,
    TokenizeMsg,
    UserMsg,
    UserReply,
)
from .queues import TICK, ZmqPullQueue, ZmqPushQueue

if TYPE_CHECKING:
    from .tokenize import TokenizeManager

GRACE = 50  # ms for frames that are on their way when a worker is asked to leave
LEAVING = 5.0  # s that a leaving worker goes on answering what has arrived
PATIENCE = 1.0  # s that a token waits for the opening of its request
WAITING_TICK = 20  # ms between looks at tokens that wait

logger = logging.getLogger(__name__)


# ------------------------------------------------------------------ small functions


class Queue(Protocol):
    """What `drain` asks of a queue."""

    def get(self) -> Any: ...

    def empty(self) -> bool: ...


def pack(msgs: list, batch: type) -> Any:
    """One message as itself, several as one batch.

    >>> pack([AbortBackendMsg(1)], BatchBackendMsg)
    AbortBackendMsg(uid=1)
    >>> pack([AbortBackendMsg(1), AbortBackendMsg(2)], BatchBackendMsg)
    BatchBackendMsg(data=[AbortBackendMsg(uid=1), AbortBackendMsg(uid=2)])
    """
    return msgs[0] if len(msgs) == 1 else batch(msgs)


def unpack(msg: Any) -> list:
    """The messages of a frame: those of a batch, or the one itself; the opposite of `pack`."""
    return msg.data if hasattr(msg, "data") else [msg]


def drain(queue: Queue, local_bs: int) -> list:
    """Wait for one frame, then take what has already arrived, until there are `local_bs` messages.

    A frame is never cut, so there may be more; after the first one nothing waits.
    """
    pending = list(unpack(queue.get()))
    while len(pending) < local_bs and not queue.empty():
        pending += unpack(queue.get())
    return pending


def handle(pending: list, tokenizing: TokenizeManager, detokenizing: Detokenizing) -> tuple[list, list]:
    """Frames to the frontend and frames to the backend that answer a drain, one a kind at most.

    A token becomes new text for the frontend, a prompt becomes ids for the backend, and an
    abort goes on to the backend, after the prompts: it may concern one of them.
    """
    # `type` and not `isinstance`, which asks the messages' metaclass and costs as much as the answer.
    tokens = [msg for msg in pending if type(msg) is DetokenizeMsg]
    prompts = [msg for msg in pending if type(msg) is TokenizeMsg]
    aborts = [AbortBackendMsg(msg.uid) for msg in pending if type(msg) is AbortMsg]
    to_frontend, to_backend = [], []
    if tokens:
        deltas = detokenizing.detokenize(tokens)
        replies = [UserReply(msg.uid, delta, msg.finished) for msg, delta in zip(tokens, deltas, strict=True)]
        to_frontend.append(pack(replies, BatchFrontendMsg))
    if prompts:
        ids = map(Tensor.of, tokenizing.tokenize(prompts))
        requests = [UserMsg(msg.uid, t, msg.sampling_params) for msg, t in zip(prompts, ids, strict=True)]
        to_backend.append(pack(requests, BatchBackendMsg))
    if aborts:
        to_backend.append(pack(aborts, BatchBackendMsg))
    return to_frontend, to_backend


def route(uid: int, n: int) -> int:
    """Which of n detokenizers a request's messages go to: always the same one.

    >>> [route(uid, 3) for uid in (0, 1, 2, 3, 4)]
    [0, 1, 2, 0, 1]
    """
    return uid % n


def on_stop(uid: int, text: str, matched: str, ended: EndedUids) -> tuple[UserReply, AbortBackendMsg]:
    """A stop string has matched: the last reply, and the abort that stops the scheduler.

    `text` is what leaves before the stop. The uid counts as ended from here on, so tokens
    that are under way bring nothing more.

    >>> on_stop(3, "so ", "</s>", EndedUids())[1]
    AbortBackendMsg(uid=3)
    """
    ended.add(uid)
    reply = UserReply(uid, text, True, finish_reason="stop", matched_stop=matched)
    return reply, AbortBackendMsg(uid)


# ------------------------------------------------------------------ the process


class Leaving:
    """Whether it is time to leave: SIGTERM has come, or the process that started us is gone."""

    def __init__(self) -> None:
        self.asked = False
        self._parent = multiprocessing.parent_process()
        self._looked = 0.0
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True

    def __call__(self) -> bool:
        now = time.monotonic()
        if self._parent is not None and now - self._looked > TICK / 1_000:
            self._looked = now
            self.asked = self.asked or not self._parent.is_alive()
        return self.asked


def tokenize_worker(
    *,
    tokenizer_path: str,
    addr: str,
    create: bool,
    backend_addr: str,
    frontend_addr: str,
    local_bs: int,
    tokenizer_id: int = -1,
    ack_queue: Any = None,
    detokenizer: str = "exact",
    extended: bool = False,
    max_prompt_tokens: int | None = None,
    role: str = "both",
    open_addr: str | None = None,
    restarted: bool = False,
) -> dict[str, int]:
    """The process: answers messages until it is asked to leave; returns what it counted.

    The first eight arguments are mini-sglang's, so this function can stand in for its own:
    messages come in at `addr` (created here where `create`), answers go to `backend_addr`
    and `frontend_addr`, up to about `local_bs` messages are handled together, and
    `ack_queue` gets a line once the process is ready.

    `detokenizer` is "exact", "safe" or "window". With `extended` extension fields travel.
    With `role` "tokenizer" or "detokenizer" the two directions have processes of their own:
    the tokenizer announces each request at `open_addr`, where the detokenizer listens. A
    `restarted` worker answers tokens of requests that it has not seen begin with an error.
    """
    from .vocab import load_tokenizer
    from .worker import Worker

    leaving = Leaving()
    inbox = ZmqPullQueue(addr, create, tick=TICK)
    to_backend = ZmqPushQueue(backend_addr, create=False, patience=lambda: not leaving())
    to_frontend = ZmqPushQueue(frontend_addr, create=False, patience=lambda: not leaving())
    to_detokenizer = None
    if role == "tokenizer" and open_addr:
        to_detokenizer = ZmqPushQueue(open_addr, create=False, patience=lambda: not leaving())
    elif open_addr:
        inbox.also_create(open_addr)
    queues: list[Any] = [inbox, to_backend, to_frontend, *([to_detokenizer] if to_detokenizer else [])]
    worker = Worker(
        load_tokenizer(tokenizer_path),
        detokenizer=detokenizer,
        extended=extended,
        max_prompt_tokens=max_prompt_tokens,
        role=role,
        needs_opening=restarted or role == "detokenizer",
        patience=PATIENCE if role == "detokenizer" else 0.0,
    )
    if role != "detokenizer":
        import torch  # noqa: F401  # takes seconds; the first prompt shall not wait for it
    gc.collect()
    gc.freeze()  # what is loaded now stays; looking at it again and again would hold up everybody
    if ack_queue is not None:
        ack_queue.put(f"Tokenize server {tokenizer_id} is ready")

    def answer() -> None:
        inbox.tick = WAITING_TICK if worker.is_waiting() else TICK
        frames = worker.serve(drain(inbox, local_bs), inbox.faults)
        for outbox, msgs in zip((to_detokenizer, to_backend, to_frontend), frames, strict=True):
            for msg in msgs:
                if outbox is not None:
                    outbox.put(msg)

    try:
        while not leaving() and not worker.is_exiting():
            answer()
        finish(inbox, answer)
    except KeyboardInterrupt:
        pass
    finally:
        for queue in queues:
            queue.close()
    counts = worker.summary()
    logger.info("tokenizer %d leaves: %s", tokenizer_id, counts)
    return counts


def finish(inbox: ZmqPullQueue, answer: Callable[[], None]) -> None:
    """Answer what has arrived, and what is on its way, but not for ever."""
    deadline = time.monotonic() + LEAVING
    while time.monotonic() < deadline:
        if inbox.empty() and not inbox.socket.poll(GRACE):
            return
        answer()


if __name__ == "__main__":
    from .launching import main

    main()
