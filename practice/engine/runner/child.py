"""One answer in a process of its own: put it in its target's place, drive it, send outcomes.

On entry file 0 is empty, 1 and 2 are a pipe for whatever is printed, `results` is the private
pipe for outcomes, and a byte on `go` allows the next case: before it comes, all that the last
one printed has been read. Messages, each one a map:

    {"ready": …}        limits are set, the exercise is loaded
    {"unloadable": …}   the cell itself failed; nothing follows
    {"loaded": …}       the answer stands in its target's place
    {"outcome": …}      one for each case, in order
    {"done": …}         nothing follows
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import io
import linecache
import os
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

import msgspec

from practice.engine import overlay
from practice.engine.outcome import TooLarge, plain
from practice.engine.runner import frames, limits
from practice.engine.runner.checks import ChangedInput, WrongType, checked
from practice.exercise import Exercise, load

FRAMES = 6  # of a traceback that are kept at either end
MESSAGE = 2_000  # characters kept of an exception's text

_builtins = dict(vars(builtins))
_restore_builtins: Callable[[dict[str, Any]], None] = vars(builtins).update


def main(request: dict[str, Any], first: int, results: int, go: int) -> None:
    """Runs the answer of a request on its cases from number `first` on. Does not return."""
    status = 70
    try:
        _run(request, first, results, go)
        status = 0
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(status)


def _run(request: dict[str, Any], first: int, results: int, go: int) -> None:
    streams = _Streams()
    streams.fresh()
    exercise = without_answers(load(request["exercise"]))
    cases = request["cases"]
    limits.confine(exercise.seconds * (len(cases) - first + 2) + 10, request["processes"])
    frames.send(results, {"ready": os.getpid()})

    filename = request["filename"]
    failed = None
    try:
        _install(exercise, request["source"], filename, request["beside"])
    except overlay.BadAnswer as error:
        failed = {"raised": "BadAnswer", "message": _clean(str(error)), "line": error.line}
    except BaseException as error:
        failed = describe(error, filename, exercise)
    _restore_builtins(_builtins)
    streams.flush()
    frames.send(results, {"unloadable": failed} if failed else {"loaded": True})
    if failed:
        return
    for case in cases[first:]:
        if not os.read(go, 1):
            return
        streams.fresh()
        outcome = _outcome(exercise, case, filename)
        streams.flush()
        frames.send(results, {"outcome": outcome})
    frames.send(results, {"done": True})


def without_answers(exercise: Exercise) -> Exercise:
    """The exercise without what gives it away: its oracle, its cases and its wrong answers."""
    module = sys.modules[f"practice.exercises.{exercise.id}"]
    for name in ("oracle", "fixed", "fresh", "replay", *(wrong.name for wrong in exercise.wrong)):
        vars(module).pop(name, None)

    def gone(*_: Any) -> Any:
        raise RuntimeError("the child has no oracle and no cases of its own")

    return dataclasses.replace(exercise, oracle=gone, fixed=gone, fresh=gone, replay=None, wrong=())


def _install(exercise: Exercise, source: str, filename: str, beside: dict[str, str]) -> None:
    for id_, other in beside.items():
        try:
            overlay.fill(load(id_), other)
        except Exception as error:
            raise overlay.BadAnswer(f"the answer to {id_} beside it fails: {error}") from error
    original = overlay.target_function(exercise)
    function = overlay.function_from(source, filename, exercise)

    def after() -> None:
        _restore_builtins(_builtins)

    overlay.put(exercise, checked(function, original, mutates=exercise.mutates, after=after))


def _outcome(exercise: Exercise, case: Any, filename: str) -> dict[str, Any]:
    began = time.perf_counter()
    try:
        outcome = {"value": plain(exercise.run(case))}
    except BaseException as error:
        _restore_builtins(_builtins)
        outcome = describe(error, filename, exercise)
    _restore_builtins(_builtins)
    outcome["seconds"] = time.perf_counter() - began
    return outcome


# ------------------------------------------------------------------ exceptions


def describe(error: BaseException, filename: str, exercise: Exercise) -> dict[str, Any]:
    """An exception as data, with the answer's own lines of the traceback alone."""
    lines = own_lines(error.__traceback__, filename)
    error.__traceback__ = None  # lets go of what the frames hold, memory above all
    return {
        "raised": "memory" if isinstance(error, MemoryError) else type(error).__name__,
        "message": _message(error, exercise, own=bool(lines)),
        "traceback": lines,
    }


def own_lines(trace: TracebackType | None, filename: str) -> list[list[Any]]:
    """[line number, source line] of each frame that runs the answer's own code, the outermost first."""
    frames_ = traceback.walk_tb(trace)
    found = [number for frame, number in frames_ if frame.f_code.co_filename == filename]
    if len(found) > 2 * FRAMES:
        found = found[:FRAMES] + found[-FRAMES:]
    return [[number, _clean(linecache.getline(filename, number).rstrip())] for number in found]


def _message(error: BaseException, exercise: Exercise, *, own: bool) -> str:
    if isinstance(error, MemoryError):
        return limits.MEMORY_IN_WORDS
    if isinstance(error, SystemExit):
        return f"the answer asked the process to end (sys.exit or exit, with {error.code!r})"
    try:
        text = _clean(str(error))[:MESSAGE]
    except Exception:
        text = "(its text cannot be made)"
    if isinstance(error, NameError) and not isinstance(error, UnboundLocalError) and own:
        name = error.name or "that name"
        return f"`{name}` is not defined in this cell; an answer sees only its own cell and the package"
    if not own and not isinstance(error, (WrongType, ChangedInput, TooLarge)):
        return f"{text} (not in the answer itself, but where its result was used)"
    return text


def _clean(text: str) -> str:
    """Text that any pipe can carry."""
    return text.encode("utf-8", "backslashreplace").decode()


# ------------------------------------------------------------------ standard streams


class _Sink(io.RawIOBase):
    """Takes all bytes, for one of the files 1 and 2; closed or full, it takes them all the same."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.fd

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            os.write(self.fd, data)
        return len(data)


class _Stream(io.TextIOWrapper):
    """A standard stream that cannot be closed."""

    def close(self) -> None:
        self.flush()


class _Streams:
    """Standard input, output and error: whole again before each case, whatever an answer did to them."""

    def __init__(self) -> None:
        self.keep = os.dup(1)
        self.ours: list[_Stream] = []

    def fresh(self) -> None:
        with contextlib.suppress(OSError):
            for fd in (1, 2):
                os.dup2(self.keep, fd)
        # Through line by line, so that the text before a crash is not lost.
        self.ours = [
            _Stream(io.BufferedWriter(_Sink(fd)), "utf-8", "backslashreplace", line_buffering=True)
            for fd in (1, 2)
        ]
        for name, stream in zip(("stdin", "stdout", "stderr"), (io.StringIO(), *self.ours), strict=True):
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

    def flush(self) -> None:
        for stream in self.ours:
            with contextlib.suppress(Exception):
                stream.flush()


def spawned() -> None:
    """The entry of a child that was not forked: the request on file 0, outcomes to file 1."""
    inbox = sys.stdin.buffer
    order = msgspec.msgpack.decode(inbox.read(int.from_bytes(inbox.read(4), "big")))
    go, results = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    with open(os.devnull, "rb") as empty:
        os.dup2(empty.fileno(), 0)
    main(order["request"], order["first"], results, go)


if __name__ == "__main__":
    spawned()
