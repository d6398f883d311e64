"""A reader's way through the chapters: which code runs where, what is judged, what comes next."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from practice.desk import finished
from practice.desk.chapters import chapter_title, in_chapter
from practice.engine import answers, overlay
from practice.engine.verdict import Judge, Verdict
from practice.exercise import Exercise, exercise_ids, load

FAILED = frozenset({"wrong", "error", "time limit"})


class UnknownExercise(KeyError):
    """No exercise has that id. The message names the nearest that there is."""

    def __str__(self) -> str:
        return str(self.args[0])


def find(id_: str) -> Exercise:
    """The exercise of that id. Raises UnknownExercise, with the nearest id, where there is none.

    >>> find("d3").title
    'the delta and the offsets'
    """
    import difflib

    known = exercise_ids()
    if id_ in known:
        return load(id_)
    near = difflib.get_close_matches(id_.lower(), known, n=3, cutoff=0.4) or known
    raise UnknownExercise(f"there is no exercise {id_!r}; did you mean {' or '.join(near)}?")


def mode() -> str:
    """How `%%answer` judges: "" for a reader, "reference" or "answers" for a check of the notebook.

    Raises ValueError for any other value of the environment's JUDGE.
    """
    value = os.environ.get("JUDGE", "")
    if value not in {"", "reference", "answers"}:
        raise ValueError(f"JUDGE={value!r} is neither empty nor 'reference' nor 'answers'")
    return value


@dataclass
class Session:
    """One kernel's stay in a chapter."""

    judge: Judge = field(default_factory=Judge)
    chapter: str | None = None
    judged: dict[str, Verdict] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)  # saved answers that cannot run any more

    def start(self, chapter: str) -> dict[str, overlay.Installed]:
        """Digs the chapter's holes and installs what the reader has; says which code runs where.

        Raises ValueError where there is no such chapter.
        """
        chapters = sorted({exercise.chapter for exercise in map(load, exercise_ids())})
        if chapter not in chapters and chapter_title(chapter) == chapter:
            raise ValueError(f"there is no chapter {chapter!r}; there are {', '.join(chapters)}")
        self.chapter, self.judged, self.troubles = chapter, {}, []
        self.judge.warm()
        return {exercise.id: self._install(exercise, chapter) for exercise in map(load, exercise_ids())}

    def _install(self, exercise: Exercise, chapter: str) -> overlay.Installed:
        (overlay.dig if exercise.chapter == chapter else overlay.restore)(exercise)
        if exercise.chapter <= chapter and mode() != "reference" and (trouble := install(exercise)):
            self.troubles.append(trouble)
        return overlay.installed(exercise)

    def answer(self, exercise: Exercise, cell: str) -> Verdict:
        """Judges the text of a cell; where it passes it runs in this kernel from now on."""
        strict, filename = mode(), str(answers.path(exercise))
        source = cell
        if strict == "reference":
            source = overlay.reference_source(exercise)
        elif strict == "answers":
            source = answers.read(exercise) or answers.starter(exercise)
        elif not answers.is_unwritten(exercise, source):
            answers.save(exercise, source)
        verdict = self.judge.judge(exercise.id, source, filename)
        self.judged[exercise.id] = verdict
        if verdict.kind == "passed":
            overlay.fill(exercise, source, filename)
        if strict != "reference":
            settle(self.judge, exercise, verdict)
        return verdict

    def what_now(self, exercise: Exercise, verdict: Verdict) -> str:
        """Which code runs in the target's place from now on, and where the answer is."""
        saved = f"Saved to {shown_path(answers.path(exercise))}."
        if verdict.kind == "passed":
            return f"Your code runs from now on. {saved} Judged in {verdict.seconds:.1f} s."
        stays = "Your last answer that passed stays in use." if overlay.installed(exercise) == "yours" else ""
        if verdict.kind == "not written yet":
            return f"Nothing was saved. {stays}".strip()
        return f"{saved} Judged in {verdict.seconds:.1f} s. {stays}".strip()

    def missing(self, chapter: str) -> list[str]:
        """The chapter's exercises that were not judged since `start`."""
        return [exercise.id for exercise in in_chapter(chapter) if exercise.id not in self.judged]


def settle(judge: Judge, exercise: Exercise, verdict: Verdict, *, asked: bool = False) -> None:
    """Keeps what a verdict brings: a passing answer, a try; names a mistake from the second try on."""
    if verdict.kind == "passed":
        answers.save_passed(exercise, verdict.source)
    failing = finished.remember(exercise, verdict)
    if verdict.kind in FAILED and (asked or failing >= finished.NAMED_FROM):
        judge.name(verdict)


def solution(exercise: Exercise) -> str:
    """The reference's source; that it was shown is remembered."""
    with answers.changing() as state:
        if exercise.id not in state.revealed:
            state.revealed.append(exercise.id)
    return overlay.reference_source(exercise)


def install(exercise: Exercise) -> str:
    """Puts the last answer that passed in its place; says why where it cannot run any more."""
    source = answers.passed(exercise)
    if source is None:
        return ""
    try:
        overlay.fill(exercise, source, str(answers.path(exercise)))
    except Exception as error:  # whatever a reader's own lines raise
        return f"{exercise.id}: your saved answer does not run any more ({error}); judge it again"
    return ""


def shown_path(path: Path) -> str:
    """A path as one types it from the project's folder or from here.

    >>> shown_path(finished.ROOT / "practice" / "answers" / "d3.py")
    'practice/answers/d3.py'
    """
    for folder in (finished.ROOT, Path.cwd()):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return str(path)


def next_hint(exercise: Exercise) -> tuple[int, list[str]]:
    """One hint more than before: how many there are by now, and all of those."""
    with answers.changing() as state:
        shown = min(state.hints.get(exercise.id, 0) + 1, len(exercise.hints))
        state.hints[exercise.id] = shown
    return shown, list(exercise.hints[:shown])


def progress() -> tuple[int, int]:
    """How many exercises have an answer that passed, and how many there are."""
    ids = exercise_ids()
    return sum(answers.passed(load(id_)) is not None for id_ in ids), len(ids)
