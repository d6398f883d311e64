"""An exercise's cases, fixed and fresh, each with what its oracle says.

The environment variable JUDGE_SEED draws the same fresh cases each time.
"""

from __future__ import annotations

import copy
import os
import random
import secrets
from dataclasses import dataclass
from typing import Any

from practice.engine.outcome import Plain, TooLarge, plain
from practice.exercise import BadExercise, Case, Exercise


@dataclass(frozen=True)
class Cases:
    """Cases of one exercise with what is right on each."""

    fixed: list[Case]
    fresh: list[Case]
    expected: list[Plain]  # of the fixed ones, then of the fresh ones
    seed: int

    @property
    def all(self) -> list[Case]:
        return self.fixed + self.fresh


def cases_of(exercise: Exercise, seed: int | None = None) -> Cases:
    """An exercise's cases and what is right on each. Raises BadExercise where they cannot be made."""
    if seed is None:
        seed = int(os.environ.get("JUDGE_SEED") or secrets.randbelow(10**6))
    fixed = _made(exercise, "fixed", exercise.fixed)
    fresh = _made(exercise, "fresh", exercise.fresh, random.Random(seed))
    if not fixed:
        raise BadExercise(f"{exercise.id}: there is no fixed case")
    expected = [_expected(exercise, case) for case in fixed + fresh]
    return Cases(fixed, fresh, expected, seed)


def _made(exercise: Exercise, what: str, make: Any, *given: Any) -> list[Case]:
    try:
        cases = list(make(*given))
    except Exception as error:
        raise BadExercise(f"{exercise.id}: `{what}` raises {type(error).__name__}: {error}") from error
    for case in cases:
        if not isinstance(case, dict) or "name" not in case or plain(case) != case:
            raise BadExercise(
                f'{exercise.id}: a case of `{what}` is no map of plain data with a "name": {case!r:.200}'
            )
    return cases


def _expected(exercise: Exercise, case: Case) -> Plain:
    try:
        return plain(exercise.oracle(copy.deepcopy(case)))
    except (Exception, TooLarge) as error:
        raise BadExercise(
            f"{exercise.id}: the oracle raises {type(error).__name__} on {case['name']!r}: {error}"
        ) from error
