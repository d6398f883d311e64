"""A reader's answer: source in, and out comes a function that can take the target's place."""

from __future__ import annotations
import __future__

import ast
import builtins
import functools
import inspect
import linecache
from types import FunctionType, ModuleType
from typing import Any

from practice.engine.target import Function, module_of, target_function
from practice.exercise import Exercise


class BadAnswer(Exception):
    """Source that is no answer: `line` in it is where to look, if a line is to blame."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class Namespace(dict[str, Any]):
    """An answer's globals: its own names, then those of the target's module as they are now."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(__name__=module.__name__, __package__=module.__package__)
        self.module = vars(module)
        # The body of a class asks its globals as a plain dict, then these.
        self["__builtins__"] = _Builtins(self.module)

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        return self.module[name]


class _Builtins(dict[str, Any]):
    """Python's own names as they are now, then those of a module."""

    def __init__(self, module: dict[str, Any]) -> None:
        # The interpreter takes these two without asking `__missing__`.
        super().__init__(__import__=__import__, __build_class__=builtins.__build_class__)
        self.module = module

    def __missing__(self, name: str) -> Any:
        try:
            return vars(builtins)[name]
        except KeyError:
            return self.module[name]


def function_from(source: str, filename: str, exercise: Exercise) -> Function:
    """The function that an answer defines; its source is known to tracebacks and to `??`.

    Raises BadAnswer where there is none that could take the target's place, and whatever
    the answer's own lines raise.
    """
    return load_answer(source, filename, exercise)[0]


def load_answer(source: str, filename: str, exercise: Exercise) -> tuple[Function, Namespace]:
    code = compiled(source, filename)
    namespace = Namespace(module_of(exercise))
    exec(code, namespace)
    return _checked(exercise, namespace.get(exercise.function_name), source), namespace


def compiled(source: str, filename: str) -> Any:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        flags = __future__.annotations.compiler_flag
        return compile(source, filename, "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        raise BadAnswer(f"{type(error).__name__}: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadAnswer(f"this cannot be read as Python: {error or type(error).__name__}") from None


def _checked(exercise: Exercise, found: Any, source: str) -> Function:
    name = exercise.function_name
    signature = f"def {name}({', '.join(_names(inspect.signature(target_function(exercise))))})"
    if found is None:
        raise BadAnswer(_what_instead(exercise, source) or f"there is no function `{name}` in this answer")
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    elif isinstance(found, property):
        found = found.fget
    if isinstance(found, type):
        raise BadAnswer(f"`{name}` is a class here; the exercise asks for {signature}")
    if not callable(found):
        raise BadAnswer(
            f"`{name}` is no function here, it is of type {type(found).__name__}; the exercise asks for {signature}"
        )
    if inspect.iscoroutinefunction(found) or inspect.isasyncgenfunction(found):
        raise BadAnswer(f"`{name}` is an `async def`; its caller does not wait: write a plain `def`")
    if inspect.isgeneratorfunction(found) and not inspect.isgeneratorfunction(target_function(exercise)):
        raise BadAnswer(
            f"`{name}` has a `yield`, so that a call returns a generator and runs nothing; return the result"
        )
    _check_parameters(exercise, found)
    if not isinstance(found, FunctionType):  # a cached function, a partial: no method by itself
        inner = found

        @functools.wraps(inner)
        def found(*args: Any, **kwargs: Any) -> Any:
            return inner(*args, **kwargs)

    return found


def _what_instead(exercise: Exercise, source: str) -> str:
    """What stands in the answer where its function is missing."""
    name = exercise.function_name
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            inside = [item for item in node.body if getattr(item, "name", None) == name]
            if inside:
                return f"`{name}` stands inside the class `{node.name}`; write the function alone, without its class"
    functions = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    if functions:
        return f"there is no function `{name}` in this answer; it defines {', '.join(f'`{n}`' for n in functions)}"
    return ""


def _check_parameters(exercise: Exercise, found: Function) -> None:
    """Whether every call that fits the target fits the answer. Other names for parameters are fine."""
    wanted = inspect.signature(target_function(exercise))
    try:
        given = inspect.signature(found)
    except (TypeError, ValueError):  # a callable that does not tell
        return
    by_place: list[str] = []
    by_name: dict[str, None] = {}
    least, more = 0, False
    for parameter in wanted.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            by_name[parameter.name] = None
        elif parameter.kind is parameter.VAR_KEYWORD:
            by_name["any_other_name"] = None
        elif parameter.kind is parameter.VAR_POSITIONAL:
            more = True
        else:
            by_place.append(parameter.name)
            least += parameter.default is parameter.empty
    try:
        given.bind(*by_place, *(["more"] if more else []), **by_name)
        given.bind(*by_place[:least])
    except TypeError as error:
        raise BadAnswer(
            f"`{exercise.function_name}` takes other parameters than the exercise asks for:"
            f" ({', '.join(_names(given))}) instead of ({', '.join(_names(wanted))})"
        ) from error


def _names(signature: inspect.Signature) -> list[str]:
    """Parameters as a `def` has them, without annotations."""
    return [str(parameter.replace(annotation=parameter.empty)) for parameter in signature.parameters.values()]
