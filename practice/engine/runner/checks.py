"""Slips that are told apart before values are compared: a result of another type, a changed input."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import numbers
import types
import typing
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


class WrongType(Exception):
    """The answer returned something that is not of the type its signature promises."""


class ChangedInput(Exception):
    """The answer changed a list or a map that belongs to its caller."""


def checked(
    function: Function, annotations_of: Function, *, mutates: bool, after: Callable[[], None]
) -> Function:
    """`function`, raising WrongType and ChangedInput; `after` runs when it has returned.

    Recursive calls inside the answer are not checked: they find the bare function.
    """
    name = annotations_of.__name__
    wanted = result_type(annotations_of)
    if inspect.isgeneratorfunction(annotations_of):
        wanted = Any

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        before = [] if mutates else [(value, snapshot(value)) for value in (*args, *kwargs.values())]
        try:
            result = function(*args, **kwargs)
        finally:
            after()
        if problem := mismatch(result, wanted):
            raise WrongType(f"`{name}` returned {problem}")
        for value, kept in before:
            if not unchanged(value, kept):
                kind = "list" if isinstance(value, list) else "map"
                raise ChangedInput(f"`{name}` changed the {kind} it was given; it belongs to the caller")
        return result

    return call


def snapshot(value: Any) -> Any:
    """A copy of lists and maps, however deep; what else is inside is kept as it is."""
    if type(value) is list:
        return [snapshot(item) for item in value]
    if type(value) is dict:
        return {key: snapshot(item) for key, item in value.items()}
    return value


def unchanged(value: Any, kept: Any) -> bool:
    """Whether a value still is as `snapshot` found it."""
    if type(kept) is list:
        return type(value) is list and len(value) == len(kept) and all(map(unchanged, value, kept))
    if type(kept) is dict:
        return (
            type(value) is dict
            and list(value) == list(kept)
            and all(unchanged(value[key], kept[key]) for key in kept)
        )
    if value is kept:
        return True
    try:
        return type(value) is type(kept) and bool(value == kept)
    except Exception:  # arrays and tensors give no single answer
        return False


# ------------------------------------------------------------------ types


class _AnyName(dict[str, Any]):
    """Names for evaluating an annotation; what is not imported at run time may be anything."""

    def __missing__(self, name: str) -> Any:
        if name in vars(__import__("builtins")):
            raise KeyError(name)
        return typing.cast(Any, _Anything())


class _Anything:
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: Any) -> Any:
        return self

    def __or__(self, _: Any) -> Any:
        return self

    __ror__ = __or__

    def __call__(self) -> None:  # typing takes only callables as parameters
        return None


def result_type(function: Function) -> Any:
    """The type that a function's annotation promises; Any where there is none.

    Names that are imported for type checkers alone stand for anything.
    """
    annotation = function.__annotations__.get("return", Any)
    if annotation is None:
        return type(None)
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _AnyName(function.__globals__))
    except Exception:  # an annotation for readers only
        return Any


def mismatch(value: Any, wanted: Any) -> str:
    """What is wrong with a result's type, or "".

    The outside of a container is looked at, and each place of a tuple; what is in a list
    shows in the outcome anyway. A list may stand for a tuple and the other way round, 0 and 1
    for a bool, a bool for an int, an int for a float.

    >>> mismatch(None, str), mismatch(["a"], tuple[str, int]), mismatch((), list[str])
    ('None where str is expected: is a `return` missing?', '1 value where tuple[str, int] is expected', '')
    """
    if conforms(value, wanted):
        return ""
    expected = in_words(wanted)
    if value is None:
        return f"None where {expected} is expected: is a `return` missing?"
    if isinstance(value, types.GeneratorType):
        return f"a generator where {expected} is expected: did you mean a list?"
    if isinstance(value, (tuple, list)) and typing.get_origin(wanted) is tuple:
        places = typing.get_args(wanted)
        if len(value) != len(places) and Ellipsis not in places:
            return f"{len(value)} value{'' if len(value) == 1 else 's'} where {expected} is expected"
        inside = ", ".join(type(item).__name__ for item in value)
        return f"{type(value).__name__}[{inside}] where {expected} is expected"
    return f"{'an' if type(value).__name__[0] in 'aeiou' else 'a'} {type(value).__name__} where {expected} is expected"


def in_words(wanted: Any) -> str:
    """A type as an annotation has it."""
    if wanted in (None, type(None)):
        return "None"
    return wanted.__name__ if type(wanted) is type else str(wanted).replace("typing.", "")


def conforms(value: Any, wanted: Any) -> bool:
    """Whether a value may stand where `wanted` is promised."""
    origin, args = typing.get_origin(wanted), typing.get_args(wanted)
    if wanted is None:
        return value is None
    if origin in (typing.Union, types.UnionType):
        return any(conforms(value, arg) for arg in args)
    if origin is typing.Literal:
        return value in args
    if origin is typing.Annotated:
        return conforms(value, args[0])
    if origin in (tuple, list) or wanted in (tuple, list):
        return isinstance(value, (tuple, list)) and _places(value, origin, args)
    if isinstance(origin, type):
        return isinstance(value, origin)
    if wanted is bool:
        return isinstance(value, (bool, numbers.Integral)) and value in (0, 1)
    if wanted is int:
        return isinstance(value, numbers.Integral)
    if wanted is float:
        return isinstance(value, numbers.Real)
    if isinstance(wanted, type) and wanted is not collections.abc.Callable:
        try:
            return isinstance(value, wanted)
        except TypeError:  # a protocol
            return True
    return True


def _places(value: Any, origin: Any, args: tuple[Any, ...]) -> bool:
    """Whether a tuple has a value of the right type in each place."""
    if origin is not tuple or Ellipsis in args:
        return True
    args = () if args == ((),) else args
    return len(value) == len(args) and all(map(conforms, value, args))
