"""The other end of the warm process: starts it, asks it, and starts it again where it is gone.

Nothing here waits without a limit. Where the answer's limits fail, the server's do; where the
server hangs, it is ended.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import msgspec

from practice.engine.runner import frames, limits
from practice.exercise import Case, Exercise
from practice.places import ROOT

SLACK = 30.0  # seconds that a run may take beyond all that its cases are allowed
GIVE_UP = 5.0  # seconds for the server to end an answer that is not wanted any more


class RunnerTrouble(Exception):
    """No answer can be judged here, whatever it is: the text says why."""


@dataclass
class Outcome:
    """What one case did: a value, or a word for what came instead of it."""

    value: Any = None
    raised: str | None = None  # type of an exception, "time limit", "memory", "ended", "crashed", "not run"
    message: str = ""
    traceback: list[tuple[int, str]] = field(default_factory=list)
    line: int | None = None  # of a syntax error
    printed: str = ""
    seconds: float = 0.0


@dataclass
class Run:
    """What an answer did on its cases; `unloadable` says why it could not even be put in its place."""

    outcomes: list[Outcome]
    unloadable: Outcome | None = None
    printed: str = ""  # by the cell itself, before the first case


class Client:
    """Starts the warm process when it is first needed. One request at a time."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.inbox: frames.Inbox | None = None
        self.ready = self.has_torch = False
        self.lock = threading.RLock()
        self.complaints: Any = None  # the server's standard error, an unnamed file

    # ---------------------------------------------------------------- start and end

    def start(self, torch: bool = False) -> None:
        """Starts the process, or asks it for torch, and does not wait for either."""
        with self.lock:
            if self.process is not None and self.process.poll() is not None:
                self.close()
            if self.process is None:
                self._start()
            if torch and not self.has_torch:
                self.has_torch = True
                self._send({"op": "torch"})

    def _start(self) -> None:
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        # A pool of threads would be lost in the fork, and whoever waits for it hangs.
        alone = {"TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "practice.engine.runner.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                env={**os.environ, **alone, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # an interrupt of the notebook is not for it
            )
        except OSError as error:
            raise RunnerTrouble(f"the judge's process cannot be started: {error}") from error
        assert self.process.stdout is not None
        new_inbox = frames.Inbox if os.name == "posix" else frames.ThreadedInbox
        self.inbox = new_inbox(os.dup(self.process.stdout.fileno()))
        self.ready = self.has_torch = False

    def wait_until_ready(self) -> None:
        """Raises RunnerTrouble, with what the process wrote, where it does not start."""
        with self.lock:
            self.start()
            until = time.monotonic() + limits.STARTING
            while not self.ready:
                try:
                    self.ready = "ready" in self._receive(until)
                except (TimeoutError, frames.Closed, frames.BadFrame) as error:
                    complaint = self._complaint()
                    self.close()
                    raise RunnerTrouble(
                        f"the judge's process does not start ({error})\n{complaint}".strip()
                    ) from error

    def close(self) -> None:
        """Ends the process, and with it the answer that runs."""
        with self.lock:
            process, self.process = self.process, None
            if process is None:
                return
            assert process.stdin is not None and process.stdout is not None and self.inbox is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(GIVE_UP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
            self.inbox.close()
            self.complaints.close()
            self.ready = self.has_torch = False

    # ---------------------------------------------------------------- run

    def run(
        self,
        exercise: Exercise,
        source: str,
        filename: str,
        cases: list[Case],
        beside: dict[str, str] | None = None,
    ) -> Run:
        """Runs an answer on cases; `beside` are answers to other exercises, by id.

        Raises RunnerTrouble where no answer could run. A KeyboardInterrupt ends the answer
        and leaves the process as it was.
        """
        request = {
            "op": "run",
            "exercise": exercise.id,
            "source": source.encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
            "filename": filename,
            "beside": beside or {},
            "cases": cases,
            "seconds": exercise.seconds,
        }
        with self.lock:
            for attempt in (1, 2):  # the process may have been ended since, or by the answer
                self.wait_until_ready()
                try:
                    if exercise.needs_torch:
                        self.start(torch=True)
                    return self._run(request)
                except (frames.Closed, frames.BadFrame, TimeoutError) as error:
                    why = str(error)
                    self.close()
                except BaseException:
                    self._cancel()
                    raise
                if attempt == 2:
                    break
        gone = Outcome(
            raised="ended", message=f"the judge's own process ended while this answer ran {why}".strip()
        )
        return Run([gone] + [_not_run() for _ in cases[1:]])

    def _run(self, request: dict[str, Any]) -> Run:
        cases = request["cases"]
        self._send(request)
        until = time.monotonic() + (len(cases) + 2) * request["seconds"] + SLACK
        run = Run([])
        while True:
            message = self._receive(until)
            if "outcome" in message:
                run.outcomes.append(_outcome(message["outcome"]))
            elif "printed" in message:
                run.printed = run.printed or message["printed"]
            elif "unloadable" in message:
                run.unloadable = _outcome(message["unloadable"])
            elif "broken" in message:
                raise RunnerTrouble(message["broken"])
            elif "done" in message:
                run.outcomes += [_not_run() for _ in cases[len(run.outcomes) :]]
                del run.outcomes[len(cases) :]
                return run

    def _cancel(self) -> None:
        """Ends the running answer; where that takes too long, the process."""
        if self.process is None:
            return
        try:
            self._send({"op": "cancel"})
            until = time.monotonic() + GIVE_UP
            while "cancelled" not in self._receive(until):
                pass
        except BaseException:  # a second interrupt as well
            self.process.kill()
            self.close()

    # ---------------------------------------------------------------- frames

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process is not None and self.process.stdin is not None
        frames.send(self.process.stdin.fileno(), message)

    def _receive(self, until: float) -> dict[str, Any]:
        assert self.inbox is not None
        while (message := self.inbox.frame()) is None:
            if self.inbox.closed:
                raise frames.Closed("its pipe is closed")
            if time.monotonic() > until:
                raise TimeoutError("it does not answer")
            frames.wait([self.inbox], min(1.0, until - time.monotonic()))
            self.inbox.pump()
        return dict(message)

    def _complaint(self) -> str:
        """The end of what the process wrote to its standard error."""
        with contextlib.suppress(OSError, ValueError):
            self.complaints.seek(0)
            return self.complaints.read().decode("utf-8", "replace")[-3000:].strip()
        return ""


def _outcome(data: dict[str, Any]) -> Outcome:
    try:
        return msgspec.convert(data, Outcome)
    except msgspec.ValidationError as error:
        return Outcome(raised="ended", message=f"the answer wrote to the judge's own pipe ({error})")


def _not_run() -> Outcome:
    return Outcome(raised="not run", message=f"not run: {limits.MOST_COSTLY} cases before it came to a limit")
