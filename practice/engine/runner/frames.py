"""Messages over pipes: four bytes of length, then MessagePack. Reading never waits for one writer."""

from __future__ import annotations

import os
import selectors
import threading
from typing import Any

import msgspec

LONGEST = 32_000_000  # bytes of one frame; more is no message of ours
CHUNK = 65_536
AT_ONCE = 16 * CHUNK  # bytes that one `pump` takes, however fast the writer is


class BadFrame(Exception):
    """Bytes on a pipe that are no frame."""


class Closed(Exception):
    """The other end of a pipe is gone."""


def send(fd: int, message: Any) -> None:
    """Writes one frame. Raises Closed where nobody can read it any more."""
    body = msgspec.msgpack.encode(message)
    data = memoryview(len(body).to_bytes(4, "big") + body)
    try:
        while data:
            data = data[os.write(fd, data) :]
    except (BrokenPipeError, OSError) as error:
        raise Closed(str(error)) from error


class Inbox:
    """What has arrived on a pipe."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.data = bytearray()
        self.closed = False  # nothing more can arrive
        os.set_blocking(fd, False)

    def pump(self) -> None:
        """Takes what is there now."""
        for _ in range(AT_ONCE // CHUNK):
            try:
                chunk = os.read(self.fd, CHUNK)
            except BlockingIOError:
                return
            except OSError:
                chunk = b""
            self.closed = self.closed or not chunk
            if not chunk:
                return
            self.data += chunk

    def frame(self) -> Any | None:
        """The next whole frame, or None. Raises BadFrame."""
        if len(self.data) < 4:
            return None
        length = int.from_bytes(self.data[:4], "big")
        if length > LONGEST:
            raise BadFrame(f"a frame of {length:,} bytes")
        if len(self.data) < 4 + length:
            return None
        body = bytes(self.data[4 : 4 + length])
        del self.data[: 4 + length]
        try:
            return msgspec.msgpack.decode(body)
        except (ValueError, RecursionError) as error:
            raise BadFrame(str(error)) from error

    def take(self) -> bytes:
        """All bytes, for a pipe without frames."""
        data = bytes(self.data)
        self.data.clear()
        return data

    def close(self) -> None:
        os.close(self.fd)


class ThreadedInbox(Inbox):
    """An inbox with a thread that reads: where no call waits for several pipes (Windows).

    It is used only where nothing forks.
    """

    arrived = threading.Event()  # one for all, so that one wait serves all

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.data = bytearray()
        self.closed = False
        self.chunks: list[bytes] = []
        self.room = threading.Semaphore(AT_ONCE // CHUNK)  # the writer waits, memory is bounded
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        chunk = b"-"
        while chunk:
            self.room.acquire()
            try:
                chunk = os.read(self.fd, CHUNK)
            except OSError:
                chunk = b""
            self.chunks.append(chunk)
            self.arrived.set()

    def pump(self) -> None:
        while self.chunks:
            chunk = self.chunks.pop(0)
            self.closed = self.closed or not chunk
            self.data += chunk
            self.room.release()

    def close(self) -> None:
        """The thread may still be reading: it ends with the pipe, which only then is closed."""


def wait(inboxes: list[Inbox], timeout: float) -> None:
    """Returns when something has arrived on one of the pipes, or after `timeout` seconds."""
    if any(isinstance(inbox, ThreadedInbox) for inbox in inboxes):
        ThreadedInbox.arrived.wait(timeout)
        ThreadedInbox.arrived.clear()
        return
    with selectors.DefaultSelector() as selector:
        for inbox in inboxes:
            if not inbox.closed:
                selector.register(inbox.fd, selectors.EVENT_READ)
        if selector.get_map():
            selector.select(max(timeout, 0))
