"""What became of earlier answers: finished work is not judged again, failing tries are counted.

Only digests are kept. One covers the answer and everything that it is judged by, so that a
changed package or exercise makes finished work be judged anew.
"""

from __future__ import annotations

import functools
import hashlib

from practice.engine import answers
from practice.engine.verdict import Verdict
from practice.exercise import Exercise
from practice.places import ROOT

NAMED_FROM = 2  # with so many different failing tries a mistake is named without being asked
KEPT = 20  # digests an exercise


def is_finished(exercise: Exercise, source: str) -> bool:
    """Whether this very answer passed before, with the course as it is now."""
    return _digest(exercise, source) in answers.load_state().finished.get(exercise.id, [])


def verdict(exercise: Exercise, source: str) -> Verdict:
    """The verdict on an answer that `is_finished`."""
    cases = len(exercise.fixed())
    return Verdict(exercise.id, "passed", passed=cases, total=cases, marks=[True] * cases, source=source)


def remember(exercise: Exercise, judged: Verdict) -> int:
    """Notes a verdict; the number of different failing answers since the last one that passed."""
    if judged.kind not in {"passed", "wrong", "error", "time limit"}:
        return len(answers.load_state().failed.get(exercise.id, []))
    digest = _digest(exercise, judged.source)
    with answers.changing() as state:
        if judged.kind == "passed":
            _add(state.finished, exercise.id, digest)
            state.failed.pop(exercise.id, None)
        else:
            _add(state.failed, exercise.id, digest)
        return len(state.failed.get(exercise.id, []))


def _add(known: dict[str, list[str]], id_: str, digest: str) -> None:
    before = known.get(id_, [])
    if digest not in before:
        known[id_] = [*before, digest][-KEPT:]


def _digest(exercise: Exercise, source: str) -> str:
    text = f"{exercise.id}\0{source}\0{_course()}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


@functools.cache
def _course() -> str:
    """The state of everything that an answer is judged by: the package and `practice`."""
    digest = hashlib.sha256()
    for folder in (ROOT / "minisgl_tok", ROOT / "practice"):
        for path in sorted(folder.rglob("*.py")):
            if path.parent.name not in {"answers", "passed"}:
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
