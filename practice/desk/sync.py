"""Statements and starters in notebooks: written from the exercise files, never by hand.

A chapter says where an exercise stands with a code cell that begins with `%%answer d3`. The
Markdown cell before it is the exercise's statement and the code cell its starter; both are
copies, and `judge.py sync` writes them anew. What a reader wrote is never touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from practice.engine import answers
from practice.exercise import Exercise, exercise_ids, load

ANSWER = re.compile(r"%%answer[ \t]+(\S+)[ \t]*(?:\n|$)")
IGNORE = "nbval-ignore-output"  # what an answer's cell shows depends on the reader


@dataclass(frozen=True)
class Finding:
    """What one exercise's cells in a notebook need, or why they were left alone."""

    notebook: Path
    exercise: str
    what: str
    stale: bool  # a copy differs from its exercise file; `sync` writes it
    broken: bool = False  # nothing that `sync` could write

    def __str__(self) -> str:
        return f"{self.notebook.name}: {self.exercise}: {self.what}"


def sync(notebooks: list[Path], *, write: bool) -> list[Finding]:
    """Compares the exercise cells of notebooks with the exercise files and, to order, writes them."""
    return [finding for path in notebooks for finding in _sync_notebook(path, write)]


def exercises_in(notebook: Path) -> list[str]:
    """The ids of the exercises in a notebook, in its order.

    `03_incremental_detokenization.ipynb` holds d1, d2, d3, d4 and d5.
    """
    cells = nbformat.read(notebook, as_version=4).cells
    return [id_ for cell in cells if (id_ := _exercise_of(cell)) is not None]


def statement(exercise: Exercise) -> str:
    """The Markdown of an exercise's statement, with the way to its hints folded at the end."""
    stars, path = "★" * exercise.difficulty, "core path" if exercise.core else "more"
    hints = f'`judge.hint("{exercise.id}")` in a cell of your own gives one hint more each time,'
    ways = [f"{hints} from vague to near: {len(exercise.hints)} in all."]
    if exercise.scaffold:
        ways.append(f'`judge.scaffold("{exercise.id}")` shows the steps of the body as comments.')
    ways.append(f'`judge.reveal("{exercise.id}")` shows the solution once yours has passed.')
    return "\n".join(
        [
            f"### {exercise.id} · {exercise.title}",
            "",
            f"{stars} · about {exercise.minutes} minutes · {path}",
            "",
            exercise.statement,
            "",
            "<details><summary>Stuck?</summary>",
            "",
            *(line for way in ways for line in (way, "")),
            "</details>",
        ]
    )


def _exercise_of(cell: Any) -> str | None:
    match = ANSWER.match(cell.source) if cell.cell_type == "code" else None
    return match[1] if match else None


def _sync_notebook(path: Path, write: bool) -> list[Finding]:
    book = nbformat.read(path, as_version=4)
    known, findings, cells = set(exercise_ids()), [], []
    for cell in book.cells:
        id_ = _exercise_of(cell)
        if id_ is None:
            cells.append(cell)
            continue
        if id_ not in known:
            findings.append(Finding(path, id_, "there is no such exercise", stale=False, broken=True))
            cells.append(cell)
            continue
        exercise = load(id_)
        findings += [Finding(path, id_, what, stale=True) for what in _write_statement(cells, exercise)]
        findings += _write_starter(path, cell, exercise)
        cells.append(cell)
    findings += _orphans(path, cells)
    if write and any(finding.stale for finding in findings):
        book.cells = cells
        nbformat.write(book, path)
    return findings


def _orphans(path: Path, cells: list[Any]) -> list[Finding]:
    """Statements whose answer's cell does not follow."""
    found = []
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        id_ = cell.metadata.get("exercise") if cell.cell_type == "markdown" else None
        if id_ and (following is None or _exercise_of(following) != id_):
            what = f"its statement stands without a cell that begins with %%answer {id_}"
            found.append(Finding(path, id_, what, stale=False, broken=True))
    return found


def _write_statement(before: list[Any], exercise: Exercise) -> list[str]:
    """Brings the statement's cell up to date, or puts it at the end of the cells `before`."""
    text = statement(exercise)
    last = before[-1] if before else None
    if last is None or last.cell_type != "markdown" or last.metadata.get("exercise") != exercise.id:
        cell = nbformat.v4.new_markdown_cell(text, metadata={"exercise": exercise.id})
        cell["id"] = f"{exercise.id}-statement"  # a random one would differ on each run
        before.append(cell)
        return ["the statement is missing"]
    if last.source == text:
        return []
    last.source = text
    return ["the statement is stale"]


def _write_starter(path: Path, cell: Any, exercise: Exercise) -> list[Finding]:
    findings = []
    tags = cell.metadata.setdefault("tags", [])
    if IGNORE not in tags:
        tags.append(IGNORE)
        findings.append(Finding(path, exercise.id, f"the tag {IGNORE} is missing", stale=True))
    source = cell.source[ANSWER.match(cell.source).end() :]  # type: ignore[union-attr]
    if source.strip() and not answers.is_unwritten(exercise, source):
        return [*findings, Finding(path, exercise.id, "holds an answer, so it was left alone", stale=False)]
    text = f"%%answer {exercise.id}\n{answers.starter(exercise)}".rstrip("\n")
    if cell.source != text:
        cell.source = text
        findings.append(Finding(path, exercise.id, "the starter is stale", stale=True))
    return findings
