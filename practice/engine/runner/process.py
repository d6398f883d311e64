"""A child seen from the warm process: forked where that is possible, else a new interpreter."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any, NoReturn

from practice.engine.runner import child, frames, limits


class Process:
    """A child, the pipe of its outcomes, and the pipe of what it prints."""

    def __init__(self, pid: int, results: frames.Inbox, printed: frames.Inbox, go: int) -> None:
        self.pid, self.go = pid, go
        self.results, self.printed = results, printed
        self.kept, self.more = bytearray(), 0  # printed in this case: kept, and beyond
        self.ended: int | None = None

    def status(self) -> int | None:
        """The exit status, a signal's number below zero, or None while it runs."""
        if self.ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.ended = os.waitstatus_to_exitcode(status)
        return self.ended

    def collect(self) -> None:
        """Takes what has arrived. Outcomes first: what was printed before them is then here too."""
        self.results.pump()
        self.printed.pump()
        text = self.printed.take()
        room = max(limits.PRINTED - len(self.kept), 0)
        self.kept += text[:room]
        self.more += len(text) - len(text[:room])

    def take_printed(self) -> str:
        """What was printed since the last time, as text; bounded."""
        text = self.kept.decode("utf-8", "replace")
        if self.more:
            text += f"\n… and {self.more:,} bytes more"
        self.kept, self.more = bytearray(), 0
        return text

    def allow_next(self) -> None:
        """Lets it run the next case."""
        with contextlib.suppress(OSError):  # it is dead already; its status tells
            os.write(self.go, b".")

    def end(self) -> None:
        """Ends it with all that it started."""
        limits.kill_group(self.pid)
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)  # it may not have its session yet
            os.waitpid(self.pid, 0)
        limits.kill_strays()
        self.close()

    def close(self) -> None:
        self.results.close()
        self.printed.close()
        os.close(self.go)


class Spawned(Process):
    """A child that is an interpreter of its own."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        assert popen.stdin is not None and popen.stdout is not None and popen.stderr is not None
        self.popen = popen
        super().__init__(
            popen.pid,
            frames.ThreadedInbox(os.dup(popen.stdout.fileno())),
            frames.ThreadedInbox(os.dup(popen.stderr.fileno())),
            os.dup(popen.stdin.fileno()),
        )
        for pipe in (popen.stdin, popen.stdout, popen.stderr):
            pipe.close()

    def status(self) -> int | None:
        return self.popen.poll()

    def end(self) -> None:
        self.popen.kill()
        limits.kill_group(self.pid)
        self.popen.wait()
        limits.kill_strays()
        self.close()


def start(request: dict[str, Any], first: int, private: tuple[int, ...]) -> Process:
    """A child that runs a request's cases from number `first` on; it never sees `private` files."""
    return _fork(request, first, private) if limits.CAN_FORK else _spawn(request, first)


def _fork(request: dict[str, Any], first: int, private: tuple[int, ...]) -> Process:
    results, results_in = os.pipe()
    printed, printed_in = os.pipe()
    go_out, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_child(request, first, results_in, printed_in, go_out, (results, printed, go, *private))
    for fd in (results_in, printed_in, go_out):
        os.close(fd)
    return Process(pid, frames.Inbox(results), frames.Inbox(printed), go)


def _become_child(
    request: dict[str, Any], first: int, results: int, printed: int, go: int, close: tuple[int, ...]
) -> NoReturn:
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for fd in close:
            os.close(fd)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.close(printed)
        child.main(request, first, results, go)
    finally:
        os._exit(71)


def _spawn(request: dict[str, Any], first: int) -> Process:
    popen = subprocess.Popen(
        [sys.executable, "-P", "-m", "practice.engine.runner.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    process = Spawned(popen)
    with contextlib.suppress(frames.Closed):  # it died at once; its status tells
        frames.send(process.go, {"request": request, "first": first})
    return process
