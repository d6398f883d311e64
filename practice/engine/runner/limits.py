"""What a child may use, and how it is ended. One place for all limits."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

import psutil

try:
    import resource
except ImportError:  # Windows: the wall clock is the only limit there
    resource = None  # type: ignore[assignment]

MEMORY = 512 << 20  # bytes beyond what the warm process has
MEMORY_IN_WORDS = "it asked for more than 512 MiB of memory"
STARTING = 60.0  # seconds until a child is ready; a spawned one imports everything anew
PROCESSES = 256  # that a child may add to those of its user
PRINTED = 20_000  # bytes kept of what is printed in one case
COSTLY = ("time limit", "memory")  # ends of a case that take long
MOST_COSTLY = 2  # after that many the remaining cases are not run

CAN_FORK = hasattr(os, "fork") and not os.environ.get("JUDGE_SPAWN")

# Linux, sys/prctl.h
DIE_WITH_PARENT, ADOPT_ORPHANS = 1, 36
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def confine(seconds: float, processes: int) -> None:
    """Sets this process's limits; `seconds` of CPU are the last resort behind the wall clock."""
    if _libc is not None:
        _libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if resource is None:
        return
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, int(seconds) + 1, more=2)  # at the first a signal that says so, then the end
    _limit(resource.RLIMIT_NPROC, processes)
    with contextlib.suppress(OSError, ValueError):  # macOS has no such limit
        # Relative to the present size: the libraries alone take gigabytes of addresses.
        _limit(resource.RLIMIT_AS, psutil.Process().memory_info().vms + MEMORY)


def _limit(what: int, most: int, more: int = 0) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard - more)
    resource.setrlimit(what, (most, most + more))


def most_processes() -> int:
    """The number for RLIMIT_NPROC: processes and threads of this user now, and some more."""
    if not hasattr(os, "getuid"):
        return PROCESSES
    found = PROCESSES
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.uids().real == os.getuid():
                found += process.num_threads()
    return found


def adopt_orphans() -> None:
    """Makes this process the parent of all that its children leave behind, so that it can end them."""
    if _libc is not None:
        _libc.prctl(ADOPT_ORPHANS, 1, 0, 0, 0)


def kill_group(pid: int) -> None:
    """Ends all that stayed in a child's session."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def kill_strays() -> None:
    """Ends what has left a child's session; it has become a child of this process."""
    for _ in range(100):
        strays = _children()
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:  # not Linux: orphans are not ours there
        return []


def death_in_words(status: int) -> tuple[str, str]:
    """How a child ended that nobody killed: a word for comparing, and a sentence.

    `status` is an exit status, or a signal's number below zero.

    >>> death_in_words(0)
    ('ended', 'the answer ended its process by itself, with status 0')
    """
    if status >= 0:
        return "ended", f"the answer ended its process by itself, with status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    if name == "SIGABRT":  # native code that gets no memory gives up like this
        return "memory", MEMORY_IN_WORDS
    if name == "SIGKILL":
        return "memory", "the system ended the process (SIGKILL), as it does where memory runs out"
    if name == "SIGXCPU":
        return "time limit", "it used up its time on the processor"
    return "crashed", f"the process crashed ({name})"
