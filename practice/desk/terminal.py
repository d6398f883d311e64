"""Verdicts in a terminal: tables in colour, or one plain line an exercise where output is piped."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from minisgl_tok.show import compare_text
from minisgl_tok.show.visible import visible
from practice.desk import course, wording
from practice.engine import answers
from practice.engine.verdict import Failure, Verdict
from practice.exercise import Exercise

COLOURS = {"passed": "green", "wrong": "red", "error": "red", "time limit": "red", "course fault": "magenta"}
UNKNOWN = "Not a mistake I know."
Judged = tuple[Exercise, Verdict]


def plain_line(exercise: Exercise, verdict: Verdict, asked: bool = False) -> str:
    """One exercise in one line, for other programs: id, verdict, mistake, cases, what was seen.

    The mistake stands there where it was `asked` for.
    """
    parts = [exercise.id, verdict.kind]
    if verdict.mistake and asked:
        parts.append(verdict.mistake.name)
    if verdict.marks and verdict.kind != "passed":
        parts.append(f"{verdict.passed}/{verdict.total}")
    line = "  ".join(parts)
    if verdict.mistake and asked:
        return f"{line}   {_one_line(verdict.mistake.sentence)}"
    if verdict.kind == "wrong" and asked:
        if verdict.failure is None:
            return line
        seen = wording.symptom(verdict) if verdict.failure.message else wording.case_title(verdict.failure)
        return f"{line}   {UNKNOWN} {_one_line(seen)}"
    if verdict.failure is not None and not verdict.failure.fixed:
        return f"{line}   {wording.case_title(verdict.failure)}"
    if verdict.kind not in {"passed", "wrong", "not written yet"}:
        return f"{line}   {_one_line(wording.symptom(verdict))}"
    return line


def _one_line(text: str) -> str:
    return " ".join(text.split())


def overview(judged: list[Judged]) -> RenderableType:
    """All exercises, one a row."""
    grid = RichTable.grid(padding=(0, 2))
    for exercise, verdict in judged:
        style = COLOURS.get(verdict.kind, "dim")
        cases = "" if verdict.kind == "passed" else wording.count(verdict)
        status = Text(wording.badge(verdict) + (f" · {cases}" if cases else ""), style=style)
        grid.add_row(exercise.id, Text(exercise.title), status)
    return Padding(grid, (0, 2))


def progress_bar(title: str, done: int, of: int, length: int = 15) -> Text:
    """`03 incremental detokenization   ███████░░░░░░░░  10 of 29 exercises`"""
    full = max(length * done // of, min(done, 1)) if of else 0  # the first one shows
    bar = "█" * full + "░" * (length - full)
    return Text.assemble(("  " + title, "bold"), "   ", (bar, "green"), f"  {done} of {of} exercises")


def details(exercise: Exercise, verdict: Verdict, *, asked: bool = False) -> RenderableType:
    """Everything that one verdict has to say. `asked`: its mistake was asked for."""
    style = COLOURS.get(verdict.kind, "dim")
    heading = Text.assemble(
        (wording.badge(verdict), f"bold {style}"), ("  " + wording.heading(exercise), "bold")
    )
    if cases := wording.count(verdict):
        heading.append(f" · {cases}  {wording.marks(verdict)}")
    parts: list[RenderableType] = [heading]
    if verdict.mistake:
        parts.append(Text.assemble((verdict.mistake.name, "bold"), f": {verdict.mistake.sentence}"))
    elif asked and verdict.kind not in {"passed", "not written yet", "course fault"}:
        parts.append(Text(f"{UNKNOWN} {wording.symptom(verdict)}"))
    elif said := wording.symptom(verdict):
        parts.append(Text(said))
    if failure := verdict.failure:
        parts.append(Text(wording.case_title(failure)))
        parts.append(_table(failure))
        parts += [
            Text(f"{name}: {yours.text}, expected {expected.text}")
            for name, expected, yours in wording.others(failure)
        ]
    if lines := wording.own_lines(verdict):
        parts.append(Text("in your answer:"))
        parts += [Text(f"  line {number:3}   {line}") for number, line in lines]
    if printed := wording.printed(verdict):
        parts.append(Text("it printed:"))
        parts += [Text(f"  {_harmless(line)}") for line in printed.splitlines()[:20]]
    return Padding(Group(*parts), (0, 2))


def next_steps(exercise: Exercise, verdict: Verdict) -> RenderableType:
    """What to open and what to type next."""
    path = Path(verdict.filename) if verdict.filename else answers.path(exercise)
    if not path.exists():
        return Text(
            f"  next: judge.py edit {exercise.id}   (writes {course.shown_path(path)} from its starter)"
        )
    steps = [f"next: {course.shown_path(path)}"]
    if verdict.kind in course.FAILED and not verdict.mistake:
        steps.append(f"what is it? judge.py {exercise.id} --name")
    steps += [f"hint: judge.py hint {exercise.id}", "judge.py --watch"]
    return Text("  " + "      ".join(steps))


def _table(failure: Failure) -> RenderableType:
    if (rows := wording.stream(failure)) is not None:
        return Text(compare_text(*rows, failure.row))
    table = wording.table(failure)
    grid = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("")
    for head in table.heads:
        grid.add_column(head, overflow="fold")
    for number, row in enumerate(table.rows):
        cells = [_cell(cell) for cell in row]
        grid.add_row("▸" if number == table.marked else "", *cells)
    return grid


def _harmless(line: str) -> str:
    """A printed line without what could command the terminal."""
    return visible(line).replace("␣", " ")


def _cell(cell: wording.Cell) -> Text:
    """A value that differs is marked with a sign besides its colour."""
    return Text(f"≠ {cell.text}", style="red") if cell.differs else Text(cell.text)


def as_text(*parts: RenderableType, width: int = 110) -> str:
    """The same without colour, as plain text."""
    # In a notebook rich would show it there instead of writing it.
    console = Console(file=io.StringIO(), width=width, color_system=None, force_jupyter=False)
    console.print(*parts, sep="\n")
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def matrix(rows: Iterable[tuple[str, list[Judged]]]) -> RenderableType:
    """A class at a glance: one row a student, one column an exercise."""
    rows = list(rows)
    grid = RichTable(box=None, padding=(0, 1))
    grid.add_column("")
    for exercise, _ in rows[0][1] if rows else []:
        grid.add_column(exercise.id)
    grid.add_column("passed")
    for name, judged in rows:
        signs = [Text(wording.SYMBOLS[v.kind], style=COLOURS.get(v.kind, "dim")) for _, v in judged]
        done = sum(verdict.kind == "passed" for _, verdict in judged)
        grid.add_row(Text(name), *signs, f"{done} of {len(judged)}")
    legend = "   ".join(f"{sign} {kind}" for kind, sign in wording.SYMBOLS.items())
    return Group(grid, Text(legend, style="dim"))
