"""Judges each answer as soon as its file changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from rich.console import Console

from practice.desk import terminal
from practice.desk.commands import judge_one, judge_saved
from practice.desk.terminal import Judged
from practice.engine import answers
from practice.engine.verdict import Judge
from practice.exercise import Exercise

PAUSE = 0.3  # seconds between two looks at the files


def watch(judge: Judge, exercises: list[Exercise], name: bool) -> int:
    """Shows how everything stands, then each change; ends with status 0 once all passed.

    Ctrl-C ends it earlier, with status 1.
    """
    judge.warm()
    changes = _changes(exercises)
    next(changes)  # from here on nothing is missed
    state = {judged[0].id: judged for judged in judge_saved(judge, exercises, name)}
    for judged in state.values():
        _tell(judged, name)
    print(f"watching {len(state)} exercises; Ctrl-C ends it", flush=True)
    try:
        while any(verdict.kind != "passed" for _, verdict in state.values()):
            for exercise in next(changes):
                state[exercise.id] = (exercise, judge_one(judge, exercise, name))
                _tell(state[exercise.id], name)
    except KeyboardInterrupt:
        return 1
    return 0


def _changes(exercises: list[Exercise]) -> Iterator[list[Exercise]]:
    """At each look, the exercises whose answer has another text than before.

    It reads the files instead of asking to be told, since network folders tell nobody. A
    text counts once two looks have seen it: an editor may be in the middle of writing.
    """
    judged = {exercise.id: answers.read(exercise) for exercise in exercises}
    before = dict(judged)
    yield []
    while True:
        time.sleep(PAUSE)
        now = {exercise.id: answers.read(exercise) for exercise in exercises}
        changed = [e for e in exercises if now[e.id] == before[e.id] != judged[e.id]]
        judged |= {exercise.id: now[exercise.id] for exercise in changed}
        before = now
        yield changed


def _tell(judged: Judged, name: bool) -> None:
    exercise, verdict = judged
    if sys.stdout.isatty() and verdict.kind not in {"passed", "not written yet"}:
        Console().print(terminal.details(exercise, verdict, asked=name))
    else:
        print(terminal.plain_line(exercise, verdict, name), flush=True)
