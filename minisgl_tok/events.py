"""A log of the frames that went from one process to another."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from . import server
from .queues import ZmqPushQueue


class Event(NamedTuple):
    """A frame that went from one process to another."""

    time: float  # s, on the clock that all processes share
    sender: str
    receiver: str
    kind: str  # of its messages
    uids: list[int]  # one a message


class Log:
    """Notes frames, here or for somebody else."""

    def __init__(self, send_to: ZmqPushQueue | None = None) -> None:
        self.events: list[Event] = []
        self.send_to = send_to

    def note(self, sender: str, receiver: str, frame: Any) -> None:
        """Note a frame that was sent or received just now; an empty one was none."""
        msgs = server.unpack(frame)
        for kind in dict.fromkeys(type(msg).__name__ for msg in msgs):
            uids = [getattr(msg, "uid", -1) for msg in msgs if type(msg).__name__ == kind]
            event = Event(time.monotonic(), sender, receiver, kind, uids)
            if self.send_to is None:
                self.events.append(event)
            else:
                self.send_to.put(event)  # type: ignore[arg-type]  # this queue carries events
