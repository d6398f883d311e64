"""Judges each answer as soon as its file changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from practice import answers, terminal
from practice.commands import judge_one, judge_saved
from practice.exercise import Exercise
from practice.terminal import Judged
from practice.verdict import Judge


def watch(judge: Judge, exercises: list[Exercise], name: bool) -> int:
    """Shows how everything stands, then each change; ends with status 0 once all passed.

    Ctrl-C ends it earlier, with status 1.
    """
    judge.warm()
    state = dict(zip([e.id for e in exercises], judge_saved(judge, exercises, name), strict=True))
    for judged in state.values():
        _tell(judged)
    by_file = {answers.path(exercise).name: exercise for exercise in exercises}
    try:
        for changed in _changes(state):
            for file in changed & by_file.keys():
                exercise = by_file[file]
                state[exercise.id] = (exercise, judge_one(judge, exercise, name))
                _tell(state[exercise.id])
    except KeyboardInterrupt:
        pass
    return 0 if _all_passed(state) else 1


def _changes(state: dict[str, Judged]) -> Iterator[set[str]]:
    """The names of the files that changed, until all exercises have passed."""
    from watchfiles import watch as changes

    folder = answers.folder()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"watching {len(state)} exercises; Ctrl-C ends it", flush=True)
    # Network folders tell nobody of a change, so the folder is looked at again and again.
    seen = changes(folder, force_polling=True, poll_delay_ms=200, recursive=False, raise_interrupt=True)
    while not _all_passed(state):
        yield {Path(path).name for _, path in next(seen)}


def _all_passed(state: dict[str, Judged]) -> bool:
    return all(verdict.kind == "passed" for _, verdict in state.values())


def _tell(judged: Judged) -> None:
    exercise, verdict = judged
    if sys.stdout.isatty() and verdict.kind not in {"passed", "not written yet"}:
        Console().print(terminal.details(exercise, verdict))
    else:
        print(terminal.plain_line(exercise, verdict), flush=True)
