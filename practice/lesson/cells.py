"""What a chapter's cells call: `from practice import judge`, then `judge.start("03")`."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from IPython.display import Markdown

from practice.desk import course
from practice.desk.chapters import in_chapter
from practice.desk.course import Session
from practice.engine import answers, overlay
from practice.exercise import exercise_ids, load
from practice.lesson import notebook, sidebyside
from practice.lesson.predict import predict as predict
from practice.lesson.predict import predicted as predicted
from practice.lesson.predictions import JAPANESE as JAPANESE
from practice.lesson.predictions import KOREAN as KOREAN
from practice.lesson.view import View
from practice.places import RESULTS, ROOT

PARTS = (
    "server",
    "stop",
    "worker",
    "show.hunt",
)  # what the package itself imports only where it is asked for


def _whole(package: ModuleType) -> ModuleType:
    for part in PARTS:
        importlib.import_module(f"{package.__name__}.{part}")
    return package


reference = _whole(overlay.reference())  # the package's own code, whatever is dug
yours = _whole(importlib.import_module("minisgl_tok"))  # the same names on the reader's code, holes included
show = reference.show  # pictures, drawn by code that no hole is dug in
_session = Session()


class NotJudged(Exception):
    """A chapter is closed, and some of its exercises were never judged."""


def start(chapter: str) -> View:
    """Opens a chapter: digs its holes, installs the reader's answers, says which code runs where."""
    return notebook.opening(_session, _session.start(chapter))


def closing(chapter: str) -> View:
    """Closes a chapter: runs it on all of the reader's own code together.

    Raises NotJudged where an exercise of the chapter was not judged since `start`.
    """
    missing = _session.missing(chapter)
    if _session.chapter != chapter:
        raise NotJudged(f'chapter {chapter} was not started here: run judge.start("{chapter}") first')
    if missing:
        raise NotJudged(f"not judged since the chapter's start: {', '.join(missing)}. Run their cells.")
    failed = [id_ for id_, verdict in _session.judged.items() if verdict.kind != "passed"]
    if course.mode() and failed:
        raise NotJudged(f"did not pass: {', '.join(failed)}")
    own = {exercise.id: source for exercise in in_chapter(chapter) if (source := _own(exercise))}
    verdicts = _session.judge.judge_chapter(own) if own else []
    return notebook.closing(_session, chapter, [(load(verdict.exercise), verdict) for verdict in verdicts])


def _own(exercise: Any) -> str | None:
    return overlay.reference_source(exercise) if course.mode() == "reference" else answers.passed(exercise)


def hint(id_: str) -> View:
    """One hint more for an exercise, from vague to near."""
    return notebook.hint(course.find(id_))


def reveal(id_: str, *, sure: bool = False) -> View:
    """A solution, once the reader's own has passed or they are sure."""
    return notebook.solution(course.find(id_), sure=sure)


def scaffold(id_: str) -> View:
    """The starter with the steps of its body as comments."""
    return notebook.scaffold(course.find(id_))


def both(function: Callable[[Any], Any]) -> View:
    """What a function of the package returns on the reference and on the reader's own code.

    A hole says which exercise it is, an error is shown: nothing is raised.
    """
    return sidebyside.side_by_side(function, reference, yours)


def managers(name: str) -> dict[str, Any]:
    """The package's own class of that name and, once written, the reader's, for the pictures' menus.

    The reader's is left out while a hole is left in its module, or nothing of it is theirs.

    >>> list(managers("DetokenizeManager"))
    ['reference']
    """
    theirs = getattr(yours, name)
    own = [exercise for exercise in map(load, exercise_ids()) if exercise.module_name == theirs.__module__]
    states = {overlay.installed(exercise) for exercise in own}
    written = {"yours": theirs} if "yours" in states and "hole" not in states else {}
    return {"reference": getattr(reference, name)} | written


def results(name: str) -> Any:
    """What `python -m benchmarks.NAME` has saved last.

    Raises FileNotFoundError where it never ran.
    """
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def speed() -> Markdown:
    """The README's section on speed and faults, which a test keeps equal to the saved results."""
    page = (ROOT / "README.md").read_text("utf-8")
    return Markdown(page.partition("<!-- speed:begin -->")[2].partition("<!-- speed:end -->")[0])


def entry(**arguments: Any) -> None:
    """The process of chapter 4 on the reader's code: installs their answers, then runs the worker.

    It is importable, so that a spawned child finds it as `practice.judge:entry`.
    """
    for trouble in filter(None, map(course.install, map(load, exercise_ids()))):
        print(trouble, file=sys.stderr)
    importlib.import_module("minisgl_tok.server").tokenize_worker(**arguments)


if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
    notebook.load_magics(shell, _session)  # also for a cell that is run before the chapter's first
