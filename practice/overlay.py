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
import __future__

import ast
import contextlib
import functools
import importlib
import importlib.util
import inspect
import io
import linecache
import os
import sys
import textwrap
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, Literal

from .exercise import BadExercise, Exercise

Function = Callable[..., Any]
Installed = Literal["hole", "yours", "reference"]
PACKAGE, REFERENCE = "minisgl_tok", "minisgl_tok_reference"


class NotWritten(Exception):
    """A hole was called: its exercise is not written yet."""


class BadAnswer(Exception):
    """Source that is no answer: `line` in it is where to look, if a line is to blame."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


# ------------------------------------------------------------------ install and remove

# target -> the package's own object, as it stands in its module or class
_originals: dict[str, Any] = {}
_installed: dict[str, Installed] = {}
_namespaces: dict[str, Namespace] = {}  # target -> of the answer that is installed


def dig(exercise: Exercise) -> None:
    """Puts the hole in the target's place."""
    from .answers import starter

    name = f"<hole {exercise.id}>"
    source = starter(exercise).rstrip().removesuffix("...")
    source += f'raise NotWritten("{exercise.id} is not written yet: {exercise.title}")\n'
    namespace = Namespace(_module(exercise))
    namespace["NotWritten"] = NotWritten
    _run(_compile(source, name), namespace)
    _bind(exercise, namespace[exercise.function_name], "hole")


def fill(exercise: Exercise, source: str, filename: str | None = None) -> Function:
    """Puts an answer in the target's place; what its cell prints is not shown again.

    Raises BadAnswer where the source is none, and whatever its own lines raise.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        function, namespace = _load(source, filename or f"<answer {exercise.id}>", exercise)
    put(exercise, function)
    _namespaces[exercise.target] = namespace
    return function


def put(exercise: Exercise, function: Function) -> None:
    """Puts a function in the target's place."""
    _bind(exercise, function, "yours")


def restore(exercise: Exercise) -> None:
    """Puts the reference back."""
    if exercise.target in _originals:
        place(exercise, _originals[exercise.target])
    _installed[exercise.target] = "reference"
    _namespaces.pop(exercise.target, None)


def installed(exercise: Exercise) -> Installed:
    """What stands in the target's place in this process."""
    return _installed.get(exercise.target, "reference")


def _bind(exercise: Exercise, function: Function, what: Installed) -> None:
    _namespaces.pop(exercise.target, None)
    function.__module__, function.__qualname__ = exercise.module_name, exercise.qualname
    original = _originals.setdefault(exercise.target, current(exercise))
    place(exercise, _as(original, function))
    _installed[exercise.target] = what


def place(exercise: Exercise, new: Any) -> None:
    """Puts an object in the target's place, and behind every other name of what stood there."""
    old, (owner, name) = current(exercise), _owner(exercise)
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


# ------------------------------------------------------------------ the target


def _module(exercise: Exercise) -> ModuleType:
    try:
        return importlib.import_module(exercise.module_name)
    except ModuleNotFoundError as error:
        raise BadExercise(f"{exercise.id}: the module of its target is missing: {exercise.target}") from error


def _owner(exercise: Exercise) -> tuple[Any, str]:
    """The module or class that holds the target, and the target's name in it."""
    owner: Any = _module(exercise)
    *path, name = exercise.qualname.split(".")
    for part in path:
        owner = vars(owner).get(part)
    if owner is None or name not in vars(owner):
        raise BadExercise(f"{exercise.id}: there is no {exercise.target}")
    return owner, name


def current(exercise: Exercise) -> Any:
    """What stands in the target's place, as its class or module holds it."""
    owner, name = _owner(exercise)
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


def _as(original: Any, function: Function) -> Any:
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


# ------------------------------------------------------------------ answers


class Namespace(dict[str, Any]):
    """An answer's globals: its own names, then those of the target's module as they are now."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(__name__=module.__name__, __package__=module.__package__)
        self.module = vars(module)

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        return self.module[name]


def function_from(source: str, filename: str, exercise: Exercise) -> Function:
    """The function that an answer defines; its source is known to tracebacks and to `??`.

    Raises BadAnswer where there is none that could take the target's place, and whatever
    the answer's own lines raise.
    """
    return _load(source, filename, exercise)[0]


def _load(source: str, filename: str, exercise: Exercise) -> tuple[Function, Namespace]:
    code = _compile(source, filename)
    namespace = Namespace(_module(exercise))
    _run(code, namespace)
    return _checked(exercise, namespace.get(exercise.function_name), source), namespace


def _compile(source: str, filename: str) -> Any:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        flags = __future__.annotations.compiler_flag
        return compile(source, filename, "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        raise BadAnswer(f"{type(error).__name__}: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadAnswer(f"this cannot be read as Python: {error or type(error).__name__}") from None


def _run(code: Any, namespace: Namespace) -> None:
    exec(code, namespace)


def _checked(exercise: Exercise, found: Any, source: str) -> Function:
    name = exercise.function_name
    signature = f"def {name}{inspect.signature(target_function(exercise))}"
    if found is None:
        raise BadAnswer(_what_instead(exercise, source) or f"there is no function `{name}` in this answer")
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    elif isinstance(found, property):
        found = found.fget
    if isinstance(found, type):
        raise BadAnswer(f"`{name}` is a class here; the exercise asks for a function: {signature}")
    if not callable(found):
        raise BadAnswer(
            f"`{name}` is a {type(found).__name__} here; the exercise asks for a function: {signature}"
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


def target_function(exercise: Exercise) -> FunctionType:
    """The package's own function, whatever stands in its place now."""
    return plain_function(exercise, _originals.get(exercise.target) or current(exercise))


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
