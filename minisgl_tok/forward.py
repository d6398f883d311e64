"""A thin process in front of several detokenizers: each request's messages go to its own.

A detokenizer's state is its own, so half of a request's tokens in one and half in another
are two broken texts. Tokens, openings, aborts and prompts are all split by `server.route`.
"""

from __future__ import annotations

from typing import Any

from . import server
from .messages import BatchTokenizerMsg, ExitMsg
from .queues import TICK, ZmqPullQueue, ZmqPushQueue

FORWARDED = 1_024  # messages that are taken together


def split(msgs: list, n: int) -> list[list]:
    """The messages for each of n processes, in their order.

    >>> from minisgl_tok.messages import OpenMsg
    >>> [[msg.uid for msg in share] for share in split([OpenMsg(0), OpenMsg(1), OpenMsg(2)], 2)]
    [[0, 2], [1]]
    """
    shares: list[list] = [[] for _ in range(n)]
    for msg in msgs:
        if isinstance(msg, ExitMsg):
            for share in shares:
                share.append(msg)
        elif (uid := getattr(msg, "uid", None)) is not None:
            shares[server.route(uid, n)].append(msg)
    return shares


def forward_worker(
    *,
    addr: str,
    create: bool,
    addrs: list[str],
    open_addr: str | None = None,
    ack_queue: Any = None,
) -> None:
    """The process: takes frames at `addr` (and `open_addr`), passes them on to `addrs`."""
    leaving = server.Leaving()
    inbox = ZmqPullQueue(addr, create, tick=TICK)
    if open_addr:
        inbox.also_create(open_addr)
    outboxes = [ZmqPushQueue(to, create=False, patience=lambda: not leaving()) for to in addrs]
    queues: list[Any] = [inbox, *outboxes]
    exiting = False
    if ack_queue is not None:
        ack_queue.put("Forwarder is ready")

    def pass_on() -> None:
        nonlocal exiting
        pending = server.drain(inbox, FORWARDED)
        while inbox.faults:  # whoever has the request answers for it
            fault = inbox.faults.popleft()
            if fault.uid is not None:
                outboxes[server.route(fault.uid, len(outboxes))].put_frame(fault.part)
        for outbox, msgs in zip(outboxes, split(pending, len(outboxes)), strict=True):
            batch = [msg for msg in msgs if not isinstance(msg, ExitMsg)]
            if batch:
                outbox.put(server.pack(batch, BatchTokenizerMsg))
            if len(batch) < len(msgs):
                exiting = True
                outbox.put(ExitMsg())

    try:
        while not leaving() and not exiting:
            pass_on()
        server.finish(inbox, pass_on)
    except KeyboardInterrupt:
        pass
    finally:
        for queue in queues:
            queue.close()
