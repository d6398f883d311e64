"""What a verdict says, in words and rows; `card` draws it as HTML and `terminal` as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

from minisgl_tok.show.visible import quoted
from practice.engine.verdict import Failure, Verdict
from practice.exercise import Exercise

SYMBOLS = {
    "passed": "✓",
    "wrong": "✗",
    "error": "!",
    "time limit": "…",
    "not written yet": "·",
    "course fault": "?",
}
Row = dict[str, Any]
LONGEST = 160  # characters of a value that are shown


@dataclass(frozen=True)
class Cell:
    """A value in a table, and whether it differs from what was expected."""

    text: str
    differs: bool = False


@dataclass(frozen=True)
class Table:
    """The first case that differs, ready to be drawn."""

    heads: list[str]
    rows: list[list[Cell]]
    marked: int | None = None  # the row that differs first


def badge(verdict: Verdict) -> str:
    """`✗ wrong`"""
    return f"{SYMBOLS[verdict.kind]} {verdict.kind}"


def count(verdict: Verdict) -> str:
    """`5 of 8 cases`, or nothing where no case was run."""
    if not verdict.marks:
        return ""
    if verdict.failure is not None and not verdict.failure.fixed:
        return f"all {verdict.total} fixed cases, but not a fresh one"
    return f"{verdict.passed} of {verdict.total} cases"


def marks(verdict: Verdict) -> str:
    return "".join("✓" if mark else "✗" for mark in verdict.marks)


def case_title(failure: Failure) -> str:
    name = failure.case.get("name", f"case {failure.number + 1}")
    again = "" if failure.fixed else f" (JUDGE_SEED={failure.seed} draws it again)"
    return f"first case that differs: “{name}”{again}"


# What `Failure.raised` says where no exception of the answer's own is meant.
OUR_WORDS = {"time limit", "memory", "ended", "crashed", "not run", "WrongType", "ChangedInput"}


def symptom(verdict: Verdict) -> str:
    """One sentence on what was seen, without the reason."""
    failure = verdict.failure
    if failure is None:
        return verdict.note
    if failure.message and not failure.raised:
        return (
            f"Your code was stopped: {failure.message}." if verdict.kind == "time limit" else failure.message
        )
    if failure.raised in OUR_WORDS:
        return failure.message[:1].upper() + failure.message[1:]
    if failure.raised:
        return f"{failure.raised}: {failure.message}" if failure.message else failure.raised
    if failure.row is not None:
        return f"Message {failure.row + 1} is the first that differs."
    return "What comes back is not what was expected."


def printed(verdict: Verdict) -> str:
    """What the answer printed: with the case that is shown, or at all."""
    return (verdict.failure.printed if verdict.failure else "") or verdict.printed


def own_lines(verdict: Verdict) -> list[tuple[int, str]]:
    """The lines of the answer to look at, with their numbers."""
    if verdict.failure is not None:
        return verdict.failure.traceback
    lines = verdict.source.splitlines()
    if verdict.line is None or not 0 < verdict.line <= len(lines):
        return []
    return [(verdict.line, lines[verdict.line - 1])]


STREAM = {"token", "bytes", "offsets", "delta"}  # what the package's own comparison draws


def stream(failure: Failure) -> tuple[list[Row], list[Row]] | None:
    """The rows expected and given, where an outcome is a stream of deltas."""
    if not isinstance(failure.expected, dict):
        return None
    expected, given = failure.expected.get("messages"), None
    if isinstance(failure.given, dict):
        given = failure.given.get("messages")
    if not _is_rows(expected) or not all(
        {"token", "bytes", "delta"} <= row.keys() <= STREAM for row in expected
    ):
        return None
    return expected, given if _is_rows(given) else []


def table(failure: Failure) -> Table:
    """Expected and given side by side; messages as rows where the outcome has messages."""
    if isinstance(failure.expected, dict) and _is_rows(failure.expected.get("messages")):
        return _messages(failure)
    rows = [[Cell(f"{key}"), Cell(shown(value))] for key, value in failure.case.items() if key != "name"]
    expected, given = shown_pair(failure.expected, failure.given)
    differs = failure.expected != failure.given
    rows.append([Cell("expected"), Cell(expected)])
    if failure.raised is None:
        rows.append([Cell("yours"), Cell(given, differs)])
    return Table(["", "value"], rows)


def _messages(failure: Failure) -> Table:
    """One row a message: what both have in common once, the rest expected and yours."""
    expected = failure.expected["messages"]
    given = failure.given.get("messages") if isinstance(failure.given, dict) else None
    given = given if _is_rows(given) else []
    names = list(expected[0])
    pairs = [(want, given[number] if number < len(given) else None) for number, want in enumerate(expected)]
    twice = {name for name in names if name not in {"token", "bytes", "uid", "finished"}}
    heads = ["message"]
    for name in names:
        title = "surr · read · sent" if name == "offsets" else name
        heads += [f"{title}, expected", "yours"] if name in twice else [title]
    rows = []
    for number, (want, have) in enumerate(pairs, 1):
        row = [Cell(str(number))]
        for name in names:
            plain = name == "bytes" and isinstance(want[name], str)  # hex, whose spaces are no text
            row.append(Cell(want[name] if plain else shown_in_row(want[name])))
            if name in twice:
                missing = have is None or name not in have
                text = "–" if missing else shown_in_row(have[name])  # type: ignore[index]
                row.append(Cell(text, missing or have[name] != want[name]))  # type: ignore[index]
        rows.append(row)
    return Table(heads, rows, failure.row)


def others(failure: Failure) -> list[tuple[str, Cell, Cell]]:
    """What an outcome with messages has besides them and differs: (name, expected, yours)."""
    expected, given = failure.expected, failure.given
    if not isinstance(expected, dict) or not isinstance(given, dict) or "messages" not in expected:
        return []
    return [
        (str(key), Cell(shown(value)), Cell(shown(given.get(key)), True))
        for key, value in expected.items()
        if key != "messages" and given.get(key) != value
    ]


def _is_rows(value: Any) -> TypeGuard[list[Row]]:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def shown_in_row(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return " · ".join(map(str, value))
    if isinstance(value, str):
        return quoted(value)[1:-1] if value else "nothing"
    return shown(value)


def shown(value: Any) -> str:
    """A value as Python writes it, bytes as hex; a long one keeps its beginning and its end.

    >>> shown(b"\\xe6\\x8e"), shown([1, 2]), shown("x" * 500)[-20:]
    ('e6 8e', '[1, 2]', "xx' (502 characters)")
    """
    text = value.hex(" ") if isinstance(value, bytes) and value else repr(value)
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} … {text[-half:]} ({len(text)} characters)"


def shown_pair(expected: Any, given: Any) -> tuple[str, str]:
    """Two values; where both are long, from shortly before their first difference on."""
    one, other = repr(expected), repr(given)
    if max(len(one), len(other)) <= LONGEST:
        return shown(expected), shown(given)
    first = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = max(0, first - 30)
    return tuple(
        ("… " if start else "")
        + text[start : start + LONGEST]
        + (" …" if start + LONGEST < len(text) else "")
        for text in (one, other)
    )  # type: ignore[return-value]


def heading(exercise: Exercise) -> str:
    return f"{exercise.id} · {exercise.title}"
