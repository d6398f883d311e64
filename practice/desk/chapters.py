"""The chapters: their notebooks, titles and exercises."""

from __future__ import annotations

from pathlib import Path

from practice.exercise import Exercise, exercise_ids, load
from practice.places import NOTEBOOKS

# What the reader's code can do once a chapter is written.
ABLE = {
    "00": "Your code knows when a text must wait for the rest of a character.",
    "01": "Your code turns prompts and chats into ids, a batch at a time, with exactly one BOS.",
    "02": "Your code streams any ordinary text rightly, at a price that grows with every token.",
    "03": "Your code streams many requests at once, each token at the price of a few.",
    "04": "Your code is a process: it takes messages from sockets and routes what it makes of them.",
    "05": "Your code ends a request at a stop string, and tells the scheduler.",
    "06": "Your code survives what broke the window: cuts, repeats, late messages, bytes that never complete.",
    "07": "Your code is exact, and needs no tokenizer while it streams.",
}


def notebooks(folder: Path = NOTEBOOKS) -> list[Path]:
    """The chapters' files, in order."""
    return sorted(folder.glob("[0-9]*.ipynb"))


def chapter_title(chapter: str) -> str:
    """A chapter's number and title, as its notebook's file name has them.

    >>> chapter_title("03")
    '03 incremental detokenization'
    """
    for path in notebooks():
        if path.name.startswith(f"{chapter}_"):
            return path.stem.replace("_", " ")
    return chapter


def in_chapter(chapter: str) -> list[Exercise]:
    return [exercise for exercise in map(load, exercise_ids()) if exercise.chapter == chapter]
