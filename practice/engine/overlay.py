"""Holes dug into the package, and answers put into them.

The package knows nothing of exercises: its own code is the reference. Here a target is
replaced by a hole, by an answer, or by the reference again, wherever the package (or the
notebook) has bound a name to it:

    dig(exercise)                      the hole: raises NotWritten
    fill(exercise, source, filename)   a reader's answer
    restore(exercise)                  the reference

An answer runs in a namespace of its own. A name that its cell does not define is looked up
in the target's module at the time it is used, so an answer sees later answers to other
exercises, and nothing of the notebook.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import os
import sys
from types import ModuleType
from typing import Any, Literal

from practice.engine.source import BadAnswer, Namespace, compiled, function_from, load_answer
from practice.engine.target import (
    Function,
    current,
    module_of,
    originals,
    owner_of,
    plain_function,
    reference_source,
    target_function,
    wrapped_as,
)
from practice.exercise import BadExercise, Exercise

__all__ = [
    "BadAnswer",
    "BadExercise",
    "NotWritten",
    "current",
    "dig",
    "fill",
    "function_from",
    "installed",
    "place",
    "plain_function",
    "put",
    "reference",
    "reference_source",
    "restore",
    "target_function",
]

Installed = Literal["hole", "yours", "reference"]
PACKAGE, REFERENCE = "minisgl_tok", "minisgl_tok_reference"


class NotWritten(Exception):
    """A hole was called: its exercise is not written yet."""


# ------------------------------------------------------------------ install and remove

_installed: dict[str, Installed] = {}
_namespaces: dict[str, Namespace] = {}  # target -> of the answer that is installed


def dig(exercise: Exercise) -> None:
    """Puts the hole in the target's place."""
    _bind(exercise, hole(exercise), "hole")


def hole(exercise: Exercise) -> Function:
    """A function with the target's signature and docstring that raises NotWritten."""
    from practice.engine.answers import starter

    message = f"{exercise.id} is not written yet: {exercise.title}"
    source = starter(exercise).rstrip().removesuffix("...") + f"raise NotWritten({message!r})\n"
    namespace = Namespace(module_of(exercise))
    namespace["NotWritten"] = NotWritten
    exec(compiled(source, f"<hole {exercise.id}>"), namespace)
    return namespace[exercise.function_name]  # type: ignore[no-any-return]


def fill(exercise: Exercise, source: str, filename: str | None = None) -> Function:
    """Puts an answer in the target's place; what its cell prints is not shown again.

    Raises BadAnswer where the source is none, and whatever its own lines raise.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        function, namespace = load_answer(source, filename or f"<answer {exercise.id}>", exercise)
    put(exercise, function)
    _namespaces[exercise.target] = namespace
    return function


def put(exercise: Exercise, function: Function) -> None:
    """Puts a function in the target's place."""
    _bind(exercise, function, "yours")


def restore(exercise: Exercise) -> None:
    """Puts the reference back."""
    if exercise.target in originals:
        place(exercise, originals[exercise.target])
    _installed[exercise.target] = "reference"
    _namespaces.pop(exercise.target, None)


def installed(exercise: Exercise) -> Installed:
    """What stands in the target's place in this process."""
    return _installed.get(exercise.target, "reference")


def _bind(exercise: Exercise, function: Function, what: Installed) -> None:
    _namespaces.pop(exercise.target, None)
    function.__module__, function.__qualname__ = exercise.module_name, exercise.qualname
    original = originals.setdefault(exercise.target, current(exercise))
    place(exercise, wrapped_as(original, function))
    _installed[exercise.target] = what


def place(exercise: Exercise, new: Any) -> None:
    """Puts an object in the target's place, and behind every other name of what stood there."""
    old, (owner, name) = current(exercise), owner_of(exercise)
    setattr(owner, name, new)
    if old is new:
        return
    for names in _all_names(exercise):
        for name in [name for name, value in names.items() if value is old]:
            names[name] = new


def _all_names(exercise: Exercise) -> list[dict[str, Any]]:
    """The names of the package's modules, of installed answers and of the notebook."""
    package = exercise.module_name.partition(".")[0]
    loaded = [
        vars(module)
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType) and (name == package or name.startswith(package + "."))
    ]
    notebooks = []
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
        notebooks.append(shell.user_ns)
    return [*loaded, *_namespaces.values(), *notebooks]


# ------------------------------------------------------------------ the reference


def reference() -> ModuleType:
    """A second import of the package, whole whatever is dug: `minisgl_tok_reference`.

    It has classes and functions of its own; tokenizers, which are large, it shares.
    """
    if REFERENCE in sys.modules:
        return sys.modules[REFERENCE]
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None and spec.origin is not None
    again = importlib.util.spec_from_file_location(
        REFERENCE, spec.origin, submodule_search_locations=[os.path.dirname(spec.origin)]
    )
    assert again is not None and again.loader is not None
    module = sys.modules[REFERENCE] = importlib.util.module_from_spec(again)
    try:
        again.loader.exec_module(module)
    except BaseException:
        del sys.modules[REFERENCE]
        raise
    ours, its = (importlib.import_module(f"{name}.vocab") for name in (PACKAGE, REFERENCE))
    its._built_in = ours._built_in  # type: ignore[attr-defined]
    return module
