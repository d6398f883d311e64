"""An exercise's target: where it stands in the package, and the package's own source of it."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import textwrap
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from practice.exercise import BadExercise, Exercise

Function = Callable[..., Any]

originals: dict[str, Any] = {}  # target -> the package's own object, once it was replaced


def module_of(exercise: Exercise) -> ModuleType:
    try:
        return importlib.import_module(exercise.module_name)
    except ModuleNotFoundError as error:
        raise BadExercise(f"{exercise.id}: the module of its target is missing: {exercise.target}") from error


def owner_of(exercise: Exercise) -> tuple[Any, str]:
    """The module or class that holds the target, and the target's name in it."""
    owner: Any = module_of(exercise)
    *path, name = exercise.qualname.split(".")
    for part in path:
        owner = vars(owner).get(part)
    if owner is None or name not in vars(owner):
        raise BadExercise(f"{exercise.id}: there is no {exercise.target}")
    return owner, name


def current(exercise: Exercise) -> Any:
    """What stands in the target's place, as its class or module holds it."""
    owner, name = owner_of(exercise)
    return vars(owner)[name]


def plain_function(exercise: Exercise, found: Any) -> FunctionType:
    """The function in a method's wrapping. Raises BadExercise for what no answer can replace."""
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    elif isinstance(found, property):
        found = found.fget
    elif isinstance(found, functools.cached_property):
        found = found.func
    if not isinstance(found, FunctionType):
        raise BadExercise(
            f"{exercise.id}: {exercise.target} is a {type(found).__name__};"
            " a target is a function, a method or a property"
        )
    return found


def wrapped_as(original: Any, function: Function) -> Any:
    """A function in the wrapping that the target has."""
    if isinstance(original, (staticmethod, classmethod)):
        return type(original)(function)
    if isinstance(original, property):
        return property(function, original.fset, original.fdel, original.__doc__)
    if isinstance(original, functools.cached_property):
        wrapped = functools.cached_property(function)
        wrapped.__set_name__(None, original.attrname)  # type: ignore[arg-type]
        return wrapped
    return function


def reference_source(exercise: Exercise) -> str:
    """The target's own source in the package's file, without indentation and decorators."""
    spec = importlib.util.find_spec(exercise.module_name)
    if spec is None or spec.origin is None:
        raise BadExercise(f"{exercise.id}: the module of its target is missing: {exercise.target}")
    with open(spec.origin, encoding="utf-8") as file:
        text = file.read()
    body: list[ast.stmt] = ast.parse(text).body
    found: Any = None
    for part in exercise.qualname.split("."):
        found = next((node for node in body if getattr(node, "name", None) == part), None)
        body = getattr(found, "body", [])
    if not isinstance(found, ast.FunctionDef):
        raise BadExercise(f"{exercise.id}: there is no function {exercise.target}")
    lines = text.splitlines(keepends=True)[found.lineno - 1 : found.end_lineno]
    return textwrap.dedent("".join(lines))


def target_function(exercise: Exercise) -> FunctionType:
    """The package's own function, whatever stands in its place now."""
    return plain_function(exercise, originals.get(exercise.target) or current(exercise))
