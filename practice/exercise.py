"""What an exercise is: one file in `practice/exercises/`, read into one `Exercise`.

The file's name is the exercise's id. Its docstring is the title (first line) and the
statement (Markdown). Then come constants, functions and the wrong answers:

    TARGET = "minisgl_tok.detokenize:DetokenizeManager.advance"
    CHAPTER, DIFFICULTY, MINUTES, CORE = "03", 4, 35, True
    HINTS = ("vague", "nearer", "near")
    SCAFFOLD = "..."               optional: comments for the body, shown on request
    SECONDS = 2                    optional: wall time for one case
    MUTATES = True                 optional: the target may change the lists it is given
    NEEDS_TORCH = True             optional: the warm process imports torch before it forks

    def fixed() -> list[Case]      the cases that name a mistake; always the same
    def fresh(random) -> list      new ones on each run; they only decide passed or wrong
    def run(case) -> outcome       drives the target in a child process; plain data comes back
    def oracle(case) -> outcome    what is right, written apart from the package
    def replay(case) -> dict       optional: what `minisgl_tok.show.stepper` needs to show it

    @wrong("what the code does and what the frontend or scheduler sees")
    def name_of_the_mistake(...): ...
    other_mistake = change("sentence", ("text in the reference", "text instead"))

A case is a dict of plain data with a "name". An outcome is plain data: numbers, text,
bytes, lists, dicts; a dict with "messages" (rows of token, bytes, offsets, delta) is shown
as a table. An exception in `run` is an outcome too: its type counts.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import random
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from practice.places import EXERCISES as FOLDER

Case = dict[str, Any]


class BadExercise(Exception):
    """An exercise's file is not as it should be: the course's fault, not the reader's."""


@dataclass(frozen=True)
class Wrong:
    """A typical mistake, kept as code, with the sentence that names it."""

    name: str
    sentence: str
    function: Callable[..., Any] | None = None
    changes: tuple[tuple[str, str], ...] = ()

    def source(self, exercise: Exercise, reference: str) -> str:
        """The mistake as an answer's source; `reference` is the target's own.

        Raises BadExercise where a change does not apply to the reference exactly once.
        """
        if self.function is not None:
            return _renamed(self.function, exercise.function_name)
        text = textwrap.dedent(reference)
        for old, new in self.changes:
            if text.count(old) != 1:
                raise BadExercise(
                    f"{exercise.id}: the change of {self.name} must apply once,"
                    f" but {old!r} stands {text.count(old)} times in the reference"
                )
            text = text.replace(old, new)
        return text


def wrong(sentence: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a function of an exercise's file as a wrong answer."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__wrong__ = sentence  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True)
class Change:
    sentence: str
    changes: tuple[tuple[str, str], ...]


def change(sentence: str, *changes: tuple[str, str]) -> Change:
    """A wrong answer that differs from the reference in a few places: (old text, new text)."""
    return Change(sentence, changes)


@dataclass(frozen=True)
class Exercise:
    """One function or method that a reader writes."""

    id: str
    title: str
    statement: str
    target: str  # "package.module:Class.method" or "package.module:function"
    chapter: str
    difficulty: int  # 1 to 4
    minutes: int
    core: bool
    hints: tuple[str, ...]
    scaffold: str
    seconds: float  # wall time for one case
    mutates: bool  # the target may change the lists and maps that it is given
    needs_torch: bool
    fixed: Callable[[], list[Case]]
    fresh: Callable[[random.Random], list[Case]]
    run: Callable[[Case], Any]
    oracle: Callable[[Case], Any]
    replay: Callable[[Case], dict[str, Any]] | None
    wrong: tuple[Wrong, ...]

    @property
    def module_name(self) -> str:
        return self.target.partition(":")[0]

    @property
    def qualname(self) -> str:
        return self.target.partition(":")[2]

    @property
    def function_name(self) -> str:
        """The name of the function that an answer defines."""
        return self.qualname.rpartition(".")[2]


def exercise_ids() -> list[str]:
    """The ids of all exercises, in the order of chapters and of the course."""
    found = [path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__"]
    return sorted(found, key=lambda id_: (load(id_).chapter, id_))


def load(id_: str) -> Exercise:
    """The exercise of that id. Raises KeyError where there is no such file, BadExercise where it is incomplete."""
    if not (id_.isidentifier() and (FOLDER / f"{id_}.py").is_file()):
        raise KeyError(id_)
    return from_module(id_, importlib.import_module(f"practice.exercises.{id_}"))


def from_module(id_: str, module: ModuleType) -> Exercise:
    """Reads an exercise out of its module. Raises BadExercise, naming what is missing."""
    title, _, statement = inspect.cleandoc(module.__doc__ or "").partition("\n")
    needed = ("TARGET", "CHAPTER", "DIFFICULTY", "MINUTES", "HINTS", "fixed", "fresh", "run", "oracle")
    missing = [name for name in needed if not hasattr(module, name)]
    if missing or not title or not statement.strip():
        lacks = missing or ["a docstring with a title and a statement"]
        raise BadExercise(f"practice/exercises/{id_}.py lacks {', '.join(lacks)}")
    return Exercise(
        id=id_,
        title=title.strip(),
        statement=statement.strip(),
        target=module.TARGET,
        chapter=module.CHAPTER,
        difficulty=module.DIFFICULTY,
        minutes=module.MINUTES,
        core=getattr(module, "CORE", False),
        hints=tuple(module.HINTS),
        scaffold=inspect.cleandoc(getattr(module, "SCAFFOLD", "")),
        seconds=getattr(module, "SECONDS", 2.0),
        mutates=getattr(module, "MUTATES", False),
        needs_torch=getattr(module, "NEEDS_TORCH", False),
        fixed=module.fixed,
        fresh=module.fresh,
        run=module.run,
        oracle=module.oracle,
        replay=getattr(module, "replay", None),
        wrong=tuple(_wrong_answers(module)),
    )


def _wrong_answers(module: ModuleType) -> list[Wrong]:
    found = []
    for name, value in vars(module).items():
        if isinstance(value, Change):
            found.append(Wrong(name, value.sentence, changes=value.changes))
        elif inspect.isfunction(value) and hasattr(value, "__wrong__"):
            found.append(Wrong(name, value.__wrong__, function=value))
    return found


def _renamed(function: Callable[..., Any], name: str) -> str:
    """A function's source under another name and without its decorators."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list, definition.name = [], name
    return ast.unparse(tree) + "\n"
