"""Verdicts: what an answer did on an exercise's cases, against what its oracle says.

    with Judge() as judge:
        verdict = judge.judge("d3", source)
        verdict.kind                   'passed', 'wrong', …
        verdict.failure                the first case that differs
        judge.name(verdict)            the wrong answer that behaves the same, or None

The answer runs in another process (`practice.engine.runner`), which returns outcomes alone. The
oracle runs here, so that what is expected is never where the answer could look.

The fixed cases come first. Fresh ones, drawn anew each time, decide passed or wrong as well,
so that constants copied from a case win nothing; a mistake is named by the fixed ones alone.
The environment variable JUDGE_SEED draws the same fresh cases each time.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from practice.engine import answers, overlay
from practice.engine.cases import Cases, cases_of
from practice.engine.files import Files
from practice.engine.outcome import Plain, same
from practice.engine.runner.client import Client, Outcome, Run, RunnerTrouble
from practice.exercise import BadExercise, Case, Exercise, Wrong, load

Kind = Literal["passed", "wrong", "error", "time limit", "not written yet", "course fault"]

NOT_YOURS = "This is a fault of the course, not of your answer."
PRINTED = 4_000  # characters kept of what all cases print


@dataclass
class Failure:
    """A case whose outcome is not the expected one."""

    case: Case
    fixed: bool  # or drawn afresh with `seed`
    number: int  # index among the fixed cases, or among the fresh ones
    expected: Plain
    given: Plain = None
    raised: str | None = None  # type of an exception, "time limit", "memory", "ended", "crashed"
    message: str = ""  # its text, or what happened in words
    traceback: list[tuple[int, str]] = field(default_factory=list)  # the answer's own lines
    printed: str = ""
    row: int | None = None  # the first row of "messages" that differs
    seed: int = 0


@dataclass
class Verdict:
    """What one answer is worth."""

    exercise: str
    kind: Kind
    passed: int = 0  # fixed cases
    total: int = 0  # fixed cases
    marks: list[bool] = field(default_factory=list)  # one for each fixed case
    failure: Failure | None = None
    note: str = ""  # a few words where no case says what is wrong
    line: int | None = None  # of the answer, where the note speaks of one
    printed: str = ""  # by the cell itself and by the cases; bounded
    seconds: float = 0.0
    source: str = ""
    filename: str = ""
    mistake: Wrong | None = None  # filled by `Judge.name`
    outcomes: list[Outcome] = field(default_factory=list, repr=False)  # on the fixed cases


class Judge:
    """One warm process for answers, and the verdicts on them. Start it once."""

    def __init__(self) -> None:
        self.client = Client()
        self.files = Files()
        self.wrong_outcomes: dict[str, list[tuple[Wrong, list[Outcome]]]] = {}  # id -> what they do

    def warm(self, ids: Sequence[str] = ()) -> None:
        """Starts the warm process in the background; for `ids` also the libraries they need."""
        self._refresh()
        with contextlib.suppress(RunnerTrouble, BadExercise):  # whoever judges meets it again, and is told
            self.client.start(torch=any(load(id_).needs_torch for id_ in ids))

    def close(self) -> None:
        """Ends the warm process."""
        self.client.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---------------------------------------------------------------- judging

    def judge(
        self, id_: str, source: str, filename: str | None = None, *, seed: int | None = None
    ) -> Verdict:
        """The verdict on an answer; the reference stands for every other target.

        `seed` draws the same fresh cases again. Raises KeyError where there is no such exercise.
        """
        return self._judge(id_, source, filename, seed, {})

    def judge_chapter(self, sources: dict[str, str], *, seed: int | None = None) -> list[Verdict]:
        """The verdicts on answers that run together: where one has an answer, it has no reference.

        An answer that is not written yet leaves the reference in its place.
        """
        written = {id_: source for id_, source in sources.items() if not _unwritten(id_, source)}
        return [
            self._judge(id_, source, None, seed, {other: written[other] for other in written if other != id_})
            for id_, source in sources.items()
        ]

    def _judge(
        self, id_: str, source: str, filename: str | None, seed: int | None, beside: dict[str, str]
    ) -> Verdict:
        began = time.monotonic()
        self._refresh()
        verdict = Verdict(id_, "passed", source=source, filename=filename or f"<answer {id_}>")
        try:
            exercise = load(id_)
            if answers.is_unwritten(exercise, source):
                verdict.kind, verdict.note = "not written yet", "This is still the starter."
            else:
                self._fill(verdict, exercise, cases_of(exercise, seed), beside)
        except (BadExercise, RunnerTrouble) as error:
            verdict.kind, verdict.note = "course fault", f"{NOT_YOURS} {error}"
        except (ImportError, SyntaxError, AttributeError, NameError, TypeError, ValueError) as error:
            verdict.kind = "course fault"
            verdict.note = f"{NOT_YOURS} The exercise {id_} cannot be read: {type(error).__name__}: {error}"
        verdict.seconds = time.monotonic() - began
        return verdict

    def _fill(self, verdict: Verdict, exercise: Exercise, cases: Cases, beside: dict[str, str]) -> None:
        overlay.reference_source(exercise)  # raises BadExercise where there is no such target
        run = self.client.run(exercise, verdict.source, verdict.filename, cases.all, beside)
        verdict.total = len(cases.fixed)
        verdict.printed = _printed(run)
        if run.unloadable is not None:
            verdict.kind, verdict.note, verdict.line = _why_unloadable(run.unloadable)
            return
        right = [is_right(*pair) for pair in zip(run.outcomes, cases.expected, strict=True)]
        verdict.outcomes = run.outcomes[: verdict.total]
        verdict.marks = right[: verdict.total]
        verdict.passed = sum(verdict.marks)
        if all(right):
            return
        number = right.index(False)
        verdict.failure = failure = _failure(run.outcomes[number], cases, number)
        verdict.kind = _kind(failure.raised)
        if fault := self._fault_of_the_reference(exercise, failure.case, failure.expected):
            verdict.kind = "course fault"
            verdict.note = f"{NOT_YOURS} The course's own answer fails on this case as well: {fault}"

    def _fault_of_the_reference(self, exercise: Exercise, case: Case, expected: Plain) -> str:
        """What the reference does wrong on a case on which an answer failed, or ""."""
        run = self.client.run(exercise, overlay.reference_source(exercise), "<reference>", [case])
        outcome = run.unloadable or run.outcomes[0]
        if run.unloadable is None and is_right(outcome, expected):
            return ""
        return f"{outcome.raised}: {outcome.message}" if outcome.raised else "it gives something else"

    def _refresh(self) -> None:
        """Begins anew where a file of the course has changed."""
        if self.files.changed():
            self.client.close()
            self.files.reload()
            self.wrong_outcomes.clear()

    # ---------------------------------------------------------------- naming

    def name(self, verdict: Verdict) -> Wrong | None:
        """The wrong answer with the same outcomes on the fixed cases; None for none or several."""
        if verdict.kind not in ("wrong", "error", "time limit") or not verdict.outcomes:
            return None
        exercise = load(verdict.exercise)
        found = [
            wrong
            for wrong, outcomes in self.outcomes_of_wrong_answers(exercise)
            if alike(outcomes, verdict.outcomes)
        ]
        verdict.mistake = found[0] if len(found) == 1 else None
        return verdict.mistake

    def outcomes_of_wrong_answers(self, exercise: Exercise) -> list[tuple[Wrong, list[Outcome]]]:
        """Each wrong answer with what it does on the fixed cases; run once."""
        if exercise.id not in self.wrong_outcomes:
            reference = overlay.reference_source(exercise)
            self.wrong_outcomes[exercise.id] = [
                (wrong, self.outcomes(exercise, wrong.source(exercise, reference)))
                for wrong in exercise.wrong
            ]
        return self.wrong_outcomes[exercise.id]

    def outcomes(self, exercise: Exercise, source: str) -> list[Outcome]:
        """What source does on the fixed cases; empty where it cannot be put in the target's place."""
        run = self.client.run(exercise, source, f"<{exercise.id}>", exercise.fixed())
        return [] if run.unloadable else run.outcomes


# ------------------------------------------------------------------ outcomes


def is_right(outcome: Outcome, expected: Plain) -> bool:
    return outcome.raised is None and same(outcome.value, expected)


def alike(some: list[Outcome], others: list[Outcome]) -> bool:
    """Whether two answers did the same on all cases: values, exceptions' types, deaths."""
    return len(some) == len(others) and all(
        a.raised == b.raised and same(a.value, b.value) for a, b in zip(some, others, strict=True)
    )


def _failure(outcome: Outcome, cases: Cases, number: int) -> Failure:
    fixed = number < len(cases.fixed)
    expected = cases.expected[number]
    return Failure(
        case=cases.all[number],
        fixed=fixed,
        number=number if fixed else number - len(cases.fixed),
        expected=expected,
        given=outcome.value,
        raised=outcome.raised,
        message=outcome.message,
        traceback=outcome.traceback,
        printed=outcome.printed,
        row=first_row(expected, outcome.value),
        seed=cases.seed,
    )


def first_row(expected: Plain, given: Plain) -> int | None:
    """The first row of "messages" in which two outcomes differ, where both have such rows."""
    if not isinstance(expected, dict) or not isinstance(given, dict):
        return None
    rows, others = expected.get("messages"), given.get("messages")
    if not isinstance(rows, list) or not isinstance(others, list):
        return None
    for number, (a, b) in enumerate(zip(rows, others, strict=False)):
        if not same(a, b):
            return number
    return min(len(rows), len(others)) if len(rows) != len(others) else None


def _kind(raised: str | None) -> Kind:
    if raised == "time limit":
        return "time limit"
    return "wrong" if raised in (None, "WrongType", "ChangedInput", "TooLarge") else "error"


def _why_unloadable(outcome: Outcome) -> tuple[Kind, str, int | None]:
    """Kind, words and line for a cell that could not be put in its target's place."""
    kind = _kind(outcome.raised)
    if outcome.raised == "BadAnswer":
        return "error", outcome.message, outcome.line
    if outcome.traceback:
        number, text = outcome.traceback[-1]
        return kind, f"{outcome.raised}: {outcome.message} ({text.strip()})", number
    if kind == "error" and outcome.raised not in ("ended", "crashed", "memory"):
        return kind, f"{outcome.raised}: {outcome.message}", None
    return kind, outcome.message, None


def _printed(run: Run) -> str:
    before = run.printed or (run.unloadable.printed if run.unloadable else "")
    text = before + "".join(outcome.printed for outcome in run.outcomes)
    return (
        text if len(text) <= PRINTED else text[:PRINTED] + f"\n… and {len(text) - PRINTED:,} characters more"
    )


def _unwritten(id_: str, source: str) -> bool:
    try:
        return answers.is_unwritten(load(id_), source)
    except BadExercise:
        return True
