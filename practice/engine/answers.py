"""What the reader wrote: files in `practice/answers/`, and what the judge remembers of them.

    answers/d3.py          the answer as it is; a cell writes it, an editor may
    answers/passed/d3.py   the last one that passed; no later failure touches it
    answers/state.json     hints, predictions, what has passed or failed

The environment variable JUDGE_ANSWERS names another folder.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import os
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from practice.engine.overlay import reference_source
from practice.exercise import Exercise
from practice.places import answers_folder

try:
    import fcntl
except ImportError:  # Windows: two notebooks at once may then lose a count
    fcntl = None  # type: ignore[assignment]


def folder() -> Path:
    """The folder of the reader's answers; it need not exist."""
    return answers_folder()


def path(exercise: Exercise) -> Path:
    return folder() / f"{exercise.id}.py"


def read(exercise: Exercise) -> str | None:
    """The reader's answer, or None where there is none."""
    return _read(path(exercise))


def save(exercise: Exercise, source: str) -> Path:
    """Keeps an answer, whatever it is worth."""
    return _write(path(exercise), source)


def passed(exercise: Exercise) -> str | None:
    """The last answer that passed, or None."""
    return _read(folder() / "passed" / f"{exercise.id}.py")


def save_passed(exercise: Exercise, source: str) -> Path:
    """Keeps an answer that passed, also as the reader's answer."""
    save(exercise, source)
    return _write(folder() / "passed" / f"{exercise.id}.py", source)


# ------------------------------------------------------------------ starters


def starter(exercise: Exercise, scaffold: bool = False) -> str:
    """What a reader begins with: the target's signature, what it should do, and `...`.

    >>> from practice.exercise import load
    >>> print(starter(load("a0")))
    def ends_in_half(text: str) -> bool:
        \"\"\"Whether a decoded text ends in U+FFFD, so that its end must wait.\"\"\"
        ...
    <BLANKLINE>
    """
    source = reference_source(exercise)
    node = _definition(ast.parse(source), exercise.function_name)
    assert node is not None
    lines = source.splitlines()[node.lineno - 1 : node.body[0].lineno - 1]
    if not lines:  # a target of one line
        bare = ast.parse(source).body[0]
        assert isinstance(bare, ast.FunctionDef)
        bare.decorator_list, bare.body = [], [ast.Pass()]
        lines = [ast.unparse(bare).partition("\n")[0]]
    body = [*_docstring(node), *(exercise.scaffold.splitlines() if scaffold else []), "..."]
    return "\n".join(lines) + "\n" + textwrap.indent("\n".join(body), "    ") + "\n"


def _docstring(node: ast.FunctionDef) -> list[str]:
    text = inspect.cleandoc(ast.get_docstring(node) or "").partition("\n\n")[0]
    if not text:
        return []
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    text += "\n" if "\n" in text else " " if text.endswith('"') else ""
    return f'"""{text}"""'.splitlines()


def _definition(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    return found[-1] if found else None


def is_unwritten(exercise: Exercise, source: str) -> bool:
    """Whether the target's function still does nothing: `...`, `pass`, a docstring, the hole's own raise.

    Comments, a scaffold and helper functions change nothing about that. Source that cannot
    be parsed was written by somebody.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    node = _definition(tree, exercise.function_name)
    if node is None:
        return not tree.body
    return all(_does_nothing(statement) for statement in node.body)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise):
        error = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(error, ast.Name) and error.id in ("NotWritten", "NotImplementedError")
    return isinstance(statement, ast.Pass)


# ------------------------------------------------------------------ what the judge remembers


@dataclass
class State:
    """Counts and choices that outlive a kernel. Read with `load_state`, change within `changing`."""

    hints: dict[str, int] = field(default_factory=dict)  # id -> hints shown
    revealed: list[str] = field(default_factory=list)
    predictions: dict[str, str] = field(default_factory=dict)
    explanations: dict[str, str] = field(default_factory=dict)
    finished: dict[str, list[str]] = field(default_factory=dict)  # id -> digests of passing answers
    failed: dict[str, list[str]] = field(default_factory=dict)  # id -> digests of answers since the last pass
    trouble: str = ""  # what was wrong with the file, if anything; not saved


def load_state() -> State:
    """The state; an empty one where there is no file. A broken file is set aside and named in `trouble`."""
    file = folder() / "state.json"
    text = _read(file)
    if text is None:
        return State()
    try:
        return _state(json.loads(text))
    except (ValueError, RecursionError):
        aside = file.with_suffix(".broken.json")
        with contextlib.suppress(OSError):
            os.replace(file, aside)
        return State(
            trouble=f"{file.name} could not be read; it is kept as {aside.name}, and counting begins anew"
        )


def _state(data: object) -> State:
    if not isinstance(data, dict):
        raise ValueError("the state is a map")
    state = State()
    for item in fields(State):
        kind = type(getattr(state, item.name))
        value = data.get(item.name, kind())
        if not isinstance(value, kind):
            raise ValueError(f"{item.name} is a {type(value).__name__}")
        setattr(state, item.name, value)
    if not all(isinstance(count, int) for count in state.hints.values()):
        raise ValueError("counts are whole numbers")
    state.trouble = ""
    return state


@contextlib.contextmanager
def changing() -> Iterator[State]:
    """The state, saved when the block ends; other kernels wait for their turn.

    with changing() as state:
        state.hints["d3"] = state.hints.get("d3", 0) + 1
    """
    folder().mkdir(parents=True, exist_ok=True)
    with open(folder() / ".lock", "w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        state = load_state()
        yield state
        saved = asdict(state)
        del saved["trouble"]
        _write(folder() / "state.json", json.dumps(saved, ensure_ascii=False, indent=1, sort_keys=True))


def _read(file: Path) -> str | None:
    try:
        return file.read_text("utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(file: Path, text: str) -> Path:
    """Writes a file whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as part:
            part.write(text)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
    return file
