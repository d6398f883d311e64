"""A failed case in the stepper: the reference's manager, with this one answer in its place."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

from practice.engine import overlay
from practice.engine.verdict import Verdict
from practice.exercise import Exercise


def possible(exercise: Exercise, verdict: Verdict) -> bool:
    """Whether there is a stream to step through."""
    return exercise.replay is not None and verdict.failure is not None and "." in exercise.qualname


def message(verdict: Verdict) -> int:
    """The index of the message to begin with."""
    failure = verdict.failure
    return 0 if failure is None or failure.row is None else failure.row


def manager(exercise: Exercise, source: str, filename: str) -> type:
    """The reference's class of the target, with this answer as its method.

    Every other name that the answer uses is the reference's, whatever the notebook has.
    """
    package = overlay.reference()
    module, _, qualname = exercise.target.partition(":")
    _, _, inside = module.partition(".")
    pristine = dataclasses.replace(exercise, target=f"{package.__name__}.{inside}:{qualname}")
    function = overlay.function_from(source, filename, pristine)
    class_name, _, method = qualname.partition(".")
    base = getattr(importlib.import_module(pristine.module_name), class_name)
    return type(class_name, (base,), {method: function})


def stepper(exercise: Exercise, verdict: Verdict) -> Any:
    """The first case that differs, at the message that does."""
    from minisgl_tok import show

    assert exercise.replay is not None and verdict.failure is not None
    yours = manager(exercise, verdict.source, verdict.filename)
    beside = {"yours": yours, "the package's own": yours.__base__}
    return show.stepper(**exercise.replay(verdict.failure.case), manager=beside, at=message(verdict) + 1)
