"""Processes that shall run: started, started again when they die, and stopped.

They are spawned, never forked: a forked child of a notebook's kernel inherits locks and
threads that are not its own. A child whose parent dies leaves by itself (`server.Leaving`).
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import multiprocessing
import os
import queue
import shutil
import signal
import sys
import threading
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any

START_TIMEOUT = 120.0  # s until a process must be ready
STOP_TIMEOUT = 10.0  # s that processes have to leave before they are killed
PAUSE = 0.2  # s before a process is started again, doubled with each death before it was ready
MAX_DEATHS = 5  # in a row before it was ready: then it stays dead

logger = logging.getLogger(__name__)
_context = multiprocessing.get_context("spawn")
_main_lock = threading.Lock()


def enter(entry: str, arguments: dict[str, Any], folder: str) -> None:
    """What a child process does: call the function that `entry` names ("module:function").

    Signals to a kernel reach its whole process group, an interrupt and the kill at its end
    alike. So the child leaves the group: who wants it gone sends SIGTERM to it or goes away,
    and there is always somebody left to tidy up.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    module, _, name = entry.partition(":")
    try:
        getattr(importlib.import_module(module), name)(**arguments)
    finally:
        parent = multiprocessing.parent_process()
        if parent is not None and not parent.is_alive():
            shutil.rmtree(folder, ignore_errors=True)  # nobody else will


@contextlib.contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep a child from importing its parent's main module, as spawned ones do.

    It needs nothing of it, and a script without a guard would run a second time.
    """
    with _main_lock:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


@dataclass
class Child:
    """A process that shall run, and how to start it."""

    name: str
    entry: str
    arguments: dict[str, Any]
    behind: str = ""  # the child through which its messages come: when that dies, it starts anew as well
    process: Any = None
    ack_queue: Any = None
    ready: bool = False
    deaths: int = 0  # in a row, before it was ready
    start_at: float = 0.0  # time before which it is not started again


@dataclass
class Launched:
    """Running processes; a context manager that stops them.

    A process that dies is started again, at most `MAX_DEATHS` times in a row before it is
    ready. One that leaves with exit status 0 (after an ExitMsg) has left on request.
    """

    children: list[Child]
    folder: str
    restart: bool = True
    restarts: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _watcher: threading.Thread | None = None

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each process that runs, by name."""
        seen = [(child.name, child.process) for child in self.children]  # the watcher may take one away
        return {name: process.pid for name, process in seen if process is not None and process.is_alive()}

    def start(self, timeout: float) -> None:
        """Start all and wait until they are ready; raises RuntimeError where one is not."""
        atexit.register(self.stop)
        for child in self.children:
            self._spawn(child, restarted=False)
        deadline = time.monotonic() + timeout
        for child in self.children:
            self._wait_ready(child, deadline)
        self._watcher = threading.Thread(target=self._watch, name="launch-watcher", daemon=True)
        self._watcher.start()

    def _spawn(self, child: Child, *, restarted: bool) -> None:
        child.ready, child.ack_queue = False, _context.Queue()
        arguments = {**child.arguments, "ack_queue": child.ack_queue}
        if restarted and "restarted" in arguments:
            arguments["restarted"] = True
        process = _context.Process(
            target=enter, args=(child.entry, arguments, self.folder), name=child.name, daemon=True
        )
        with _no_main_module():
            process.start()
        child.process = process

    def _wait_ready(self, child: Child, deadline: float) -> None:
        while not self._is_ready(child, 0.05):
            if not child.process.is_alive():
                raise RuntimeError(
                    f"{child.name} died before it was ready (exit status {child.process.exitcode});"
                    " its own error stands above, on the standard error output"
                )
            if time.monotonic() > deadline:
                raise RuntimeError(f"{child.name} was not ready in time")

    def _is_ready(self, child: Child, patience: float = 0.0) -> bool:
        if not child.ready:
            with contextlib.suppress(queue.Empty, OSError, EOFError):
                child.ack_queue.get(timeout=patience) if patience else child.ack_queue.get_nowait()
                child.ready, child.deaths = True, 0
        return child.ready

    def _watch(self) -> None:
        """Start again what died."""
        while not self._stop.is_set():
            alive = [child.process.sentinel for child in self.children if child.process is not None]
            wait(alive, timeout=0.1)
            for child in self.children:
                if self._stop.is_set():
                    return
                self._look_after(child)

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is not None:
            self._is_ready(child)
            code = child.process.exitcode
            if code is None:
                return
            child.process = None
            if code == 0 or not self.restart:
                child.start_at = float("inf")
                return
            child.deaths += not child.ready
            if child.deaths >= MAX_DEATHS:
                logger.error("%s died %d times before it was ready; it stays dead", child.name, child.deaths)
                child.start_at = float("inf")
                return
            logger.warning("%s died (exit status %s) and is started again", child.name, code)
            for other in self.children:
                if other.behind == child.name and other.process is not None:
                    other.process.kill()  # what it has not received would be a gap in somebody's text
            child.start_at = now + (PAUSE * 2**child.deaths if child.deaths else 0.0)
        if now >= child.start_at:
            self._spawn(child, restarted=True)
            self.restarts += 1

    def wait_ready(self, timeout: float = START_TIMEOUT) -> None:
        """Wait until every process is ready, restarted ones included."""
        deadline = time.monotonic() + timeout
        while not all(child.process is not None and self._is_ready(child) for child in self.children):
            if time.monotonic() > deadline:
                raise RuntimeError("not all processes are ready in time")
            time.sleep(0.02)

    def stop(self) -> None:
        """Let the processes answer what has arrived and leave; nothing of them stays."""
        atexit.unregister(self.stop)
        self._stop.set()
        if self._watcher is not None:
            self._watcher.join()
        running = [child.process for child in self.children if child.process is not None]
        for process in running:
            process.terminate()
        deadline = time.monotonic() + STOP_TIMEOUT
        for process in running:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Launched:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
