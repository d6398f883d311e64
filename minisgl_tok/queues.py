"""One-way queues between processes: ZeroMQ's PUSH and PULL, a message a frame.

An address is ``ipc://`` and a path of at most about 100 characters, or ``tcp://host:port``.
Of two ends one creates the address (binds), the other connects, in any order; several may
connect.

What a receiver has read from its socket dies with it, so frames that had reached a killed
process are lost. Whoever needs an answer must have a time-out.

Source: mini-sglang, ``minisgl/utils/mp.py`` (class names and the argument `create`).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

import zmq

from .messages import BatchTokenizerMsg, Fault, Message, decode, encode, salvage

LINGER = 1_000  # ms that a closing queue waits for frames under way
TICK = 200  # ms after which a waiting queue looks up
MAX_FAULTS = 1_000  # of faulty messages that wait to be answered

logger = logging.getLogger(__name__)


def _socket(kind: int, addr: str, create: bool) -> zmq.Socket:
    socket: zmq.Socket = zmq.Context.instance().socket(kind)
    socket.linger = LINGER
    try:
        (socket.bind if create else socket.connect)(addr)
    except zmq.ZMQError as error:
        socket.close(0)
        verb = "create" if create else "connect to"
        raise OSError(f"cannot {verb} the address {addr!r}: {error}") from error
    return socket


class ZmqPushQueue:
    """Sends messages; they wait here until the other end is there.

    Where the other end takes nothing any more, `put` waits for it as long as `patience`
    allows (a function, asked five times a second), then drops the message and counts it.

    >>> queue = ZmqPushQueue("tcp://127.0.0.1:1", create=False)
    >>> queue.close()
    """

    def __init__(
        self,
        addr: str,
        create: bool,
        encoder: Callable[[Any], bytes] = encode,
        patience: Callable[[], bool] = lambda: True,
    ) -> None:
        self.encoder = encoder
        self.patience = patience
        self.dropped = 0  # messages
        self.socket = _socket(zmq.PUSH, addr, create)

    def put(self, msg: Message) -> None:
        """Send a message as one frame."""
        self.put_frame(self.encoder(msg))

    def put_frame(self, frame: bytes) -> None:
        """Send bytes as they are."""
        while True:
            try:
                return self.socket.send(frame, zmq.NOBLOCK)
            except zmq.Again:
                if not self.socket.poll(TICK, zmq.POLLOUT) and not self.patience():
                    self.dropped += 1
                    return None

    def close(self, linger: int = LINGER) -> None:
        """Close the socket; frames under way have `linger` ms left."""
        self.socket.close(linger)


class ZmqPullQueue:
    """Receives messages.

    A frame that is no message is never raised: what is good in it is delivered, its faults
    are logged, counted in `refused` and kept in `faults` for whoever answers them.
    """

    def __init__(
        self,
        addr: str,
        create: bool,
        decoder: Callable[[bytes], Message] = decode,
        tick: int | None = None,
    ) -> None:
        self.decoder = decoder
        self.tick = tick  # ms after which `get` returns without a message; None: never
        self.refused = 0  # faulty messages so far
        self.faults: deque[Fault] = deque(maxlen=MAX_FAULTS)
        self.socket = _socket(zmq.PULL, addr, create)
        self._next: bytes | None = None  # a frame that `empty` has already taken

    def also_create(self, addr: str) -> None:
        """Receive at a second address as well."""
        try:
            self.socket.bind(addr)
        except zmq.ZMQError as error:
            raise OSError(f"cannot create the address {addr!r}: {error}") from error

    def get(self) -> Message:
        """Wait for the next frame; its message, which may be a batch.

        An empty batch comes where the frame was faulty, and with a `tick` after that many
        ms without a frame. So a caller that looks at `empty` first never waits here.
        """
        frame, self._next = self._next, None
        while frame is None:
            if self.socket.poll(TICK if self.tick is None else self.tick):
                frame = self.socket.recv()
            elif self.tick is not None:
                return BatchTokenizerMsg([])
        try:
            return self.decoder(frame)
        except ValueError:
            return self._refuse(frame)

    def empty(self) -> bool:
        """Whether no frame has arrived."""
        if self._next is None:
            try:
                self._next = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return True
        return False

    def _refuse(self, frame: bytes) -> BatchTokenizerMsg:
        good, faults = salvage(frame)
        self.refused += len(faults)
        self.faults.extend(faults)
        for fault in faults[:10]:  # a flood of nonsense need not fill the log as well
            logger.warning("refused a message in a frame of %d bytes: %s", len(frame), fault.reason)
        return BatchTokenizerMsg(good)  # type: ignore[arg-type]  # whatever was good, in any direction

    def close(self) -> None:
        """Close the socket; frames that nobody took are lost."""
        self.socket.close(0)
