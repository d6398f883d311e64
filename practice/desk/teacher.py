"""A page for a teacher, made from the exercise files."""

from __future__ import annotations

import ast
from itertools import groupby

from practice.desk.chapters import chapter_title
from practice.engine import answers
from practice.exercise import Exercise


def page(exercises: list[Exercise]) -> str:
    """Goals, minutes and the usual misconceptions, chapter by chapter, as Markdown."""
    minutes = sum(exercise.minutes for exercise in exercises)
    core = sum(exercise.minutes for exercise in exercises if exercise.core)
    lines = [
        "# For a teacher",
        "",
        f"{len(exercises)} exercises, about {_hours(minutes)} of writing; the core path is {_hours(core)} of it.",
        "`python practice/judge.py grade FOLDER…` judges the answers of a class, one folder a student.",
    ]
    for chapter, group in groupby(exercises, key=lambda exercise: exercise.chapter):
        chapters = list(group)
        lines += ["", f"## {chapter_title(chapter)}", ""]
        lines.append(f"{sum(exercise.minutes for exercise in chapters)} minutes of exercises.")
        for exercise in chapters:
            lines += ["", *_exercise(exercise)]
    return "\n".join(lines) + "\n"


def _exercise(exercise: Exercise) -> list[str]:
    path = "core path" if exercise.core else "more"
    return [
        f"### {exercise.id} · {exercise.title}",
        "",
        f"{'★' * exercise.difficulty} · {exercise.minutes} minutes · {path} · `{exercise.target}`",
        "",
        f"**Goal.** {_goal(exercise)}",
        "",
        "**Usual misconceptions.**",
        "",
        *(f"- `{wrong.name}`: {wrong.sentence}" for wrong in exercise.wrong),
    ]


def _goal(exercise: Exercise) -> str:
    """What the target does, as its own docstring says in one sentence."""
    function = ast.parse(answers.starter(exercise)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return " ".join((ast.get_docstring(function) or exercise.title).split())


def _hours(minutes: int) -> str:
    """`95` is `1 h 35 min`."""
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02} min" if hours else f"{rest} min"
