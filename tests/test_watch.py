"""`judge.py --watch`: each answer is judged as soon as its file changes."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


class Watching:
    """`judge.py --watch` at work, line by line."""

    def __init__(self, *ids: str) -> None:
        command = [sys.executable, "-u", str(ROOT / "practice" / "judge.py"), *ids, "--watch"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def line(self) -> str:
        return self.lines.get(timeout=60)


@pytest.fixture
def watching(answers_folder: Path) -> Iterator[Watching]:
    watching = Watching("a0", "d2")
    yield watching
    watching.process.kill()
    watching.process.wait()


def test_watch_judges_what_changed_and_ends_when_all_passed(watching: Watching, write) -> None:
    assert [watching.line(), watching.line()] == ["a0  not written yet", "d2  not written yet"]
    assert watching.line().startswith("watching 2 exercises")
    write("a0", "looks_anywhere")
    assert watching.line().startswith("a0  wrong")
    write("d2")
    assert watching.line() == "d2  passed"
    write("a0")
    assert watching.line() == "a0  passed"
    assert watching.process.wait(20) == 0
