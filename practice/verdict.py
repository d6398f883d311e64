"""Verdicts: what an answer did on an exercise's cases, against what its oracle says.

    with Judge() as judge:
        verdict = judge.judge("d3", source)
        verdict.kind                   'passed', 'wrong', …
        verdict.failure                the first case that differs
        judge.name(verdict)            the wrong answer that behaves the same, or None

The answer runs in another process (`practice.runner`), which returns outcomes alone. The
oracle runs here, so that what is expected is never where the answer could look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .exercise import Case, Wrong

Kind = Literal["passed", "wrong", "error", "time limit", "not written yet", "course fault"]


@dataclass
class Failure:
    """A case whose outcome is not the expected one."""

    case: Case
    fixed: bool  # or drawn afresh with `seed`
    number: int  # index among the fixed cases, or among the fresh ones
    expected: Any
    given: Any = None
    raised: str | None = None  # type of the exception, "time limit", "ended", "memory", …
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
    note: str = ""  # one or two lines where no case says what is wrong
    printed: str = ""  # by the cell itself, and by all cases
    seconds: float = 0.0
    source: str = ""
    filename: str = ""
    mistake: Wrong | None = None  # filled by `Judge.name`
    outcomes: list[Any] = field(default_factory=list, repr=False)  # on the fixed cases


class Judge:
    """One warm process for answers, and the verdicts on them. Start it once."""

    def warm(self, ids: list[str] | None = None) -> None:
        """Starts the warm process in the background; for `ids` also the libraries they need."""
        raise NotImplementedError

    def judge(
        self, id_: str, source: str, filename: str | None = None, *, seed: int | None = None
    ) -> Verdict:
        """The verdict on an answer. `seed` draws the same fresh cases again."""
        raise NotImplementedError

    def judge_chapter(self, sources: dict[str, str], *, seed: int | None = None) -> list[Verdict]:
        """The verdicts on answers that run together, none beside the reference."""
        raise NotImplementedError

    def name(self, verdict: Verdict) -> Wrong | None:
        """The wrong answer with the same outcomes on the fixed cases; None for none or several."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the warm process."""
        raise NotImplementedError

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
