"""What the exercise files say in other pages: the README's chapters, the teacher's exercises.

Each stands between two markers, written by `judge.py sync` and compared by `--check`.
"""

from __future__ import annotations

from pathlib import Path

from practice.desk import teacher
from practice.desk.chapters import ABLE, chapter_title, in_chapter, notebooks
from practice.exercise import exercise_ids, load
from practice.places import ROOT


def chapter_table() -> str:
    """The chapters: what a reader writes, how long it takes, what their code can do then."""
    lines = ["| chapter | you write | minutes | then |", "| --- | --- | ---: | --- |"]
    for path in notebooks():
        number = path.name[:2]
        exercises = in_chapter(number)
        ids = " ".join(f"**{e.id}**" if e.core else e.id for e in exercises)
        minutes = sum(exercise.minutes for exercise in exercises)
        link = f"[{chapter_title(number)}](notebooks/{path.name})"
        lines.append(f"| {link} | {ids} | {minutes} | {ABLE[number]} |")
    total = sum(load(id_).minutes for id_ in exercise_ids())
    lines += [
        "",
        f"Bold is the core path. All exercises take about {round(total / 60)} hours, reading not counted.",
    ]
    return "\n".join(lines)


def exercise_pages() -> str:
    """The exercises for a teacher: goals, minutes, usual misconceptions."""
    page = teacher.page([load(id_) for id_ in exercise_ids()])
    body = page.partition("\n\n")[2].strip()  # without its title
    lower = ("#" + line if line.startswith("#") else line for line in body.splitlines())
    return "\n".join(["## The exercises", "", *lower])


PAGES = {
    ("README.md", "chapters"): chapter_table,
    ("docs/teaching.md", "exercises"): exercise_pages,
}


def sync(*, write: bool, root: Path = ROOT) -> list[str]:
    """The pages that were stale; to order they are written.

    Raises ValueError where a page has lost its markers.
    """
    stale = []
    for (name, marker), make in PAGES.items():
        path = root / name
        page = path.read_text("utf-8")
        fresh = replaced(page, marker, make(), name)
        if fresh != page:
            stale.append(f"{name}: the {marker} are stale{': written' if write else ''}")
            if write:
                path.write_text(fresh, "utf-8")
    return stale


def replaced(page: str, marker: str, text: str, name: str = "the page") -> str:
    """A page with other text between its markers.

    >>> replaced("a <!-- x:begin -->old<!-- x:end --> b", "x", "new")
    'a <!-- x:begin -->\\nnew\\n<!-- x:end --> b'
    """
    begin, end = f"<!-- {marker}:begin -->", f"<!-- {marker}:end -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{name} needs {begin} and behind it {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"
