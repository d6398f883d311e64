"""The course's check of itself: whatever is broken in an exercise, it says so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from practice.engine import overlay, selfcheck, verdict
from practice.engine.verdict import Judge
from practice.exercise import Exercise, Wrong, load

A0 = load("a0")
RIGHT = overlay.reference_source(A0)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as one:
        one.files.changed = lambda: False  # type: ignore[method-assign]  # somebody may be at work
        yield one


@pytest.fixture
def problems(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What the check says of a0, changed in some way."""

    def run(**changes: Any) -> str:
        exercise: Exercise = dataclasses.replace(A0, **changes)
        monkeypatch.setattr(selfcheck, "load", lambda _: exercise)
        monkeypatch.setattr(verdict, "load", lambda _: exercise)
        judge.wrong_outcomes.clear()
        return "\n".join(problem for _, problem in selfcheck.check(["a0"], judge=judge).problems)

    return run


def wrong(name: str, sentence: str = "Something is seen.", **options: Any) -> Wrong:
    return Wrong(name, sentence, **options)


def test_nothing_is_wrong_with_exercises_as_they_are(judge: Judge) -> None:
    report = selfcheck.check(["a0", "d3"], judge=judge)
    assert report.problems == [] and report.ok
    assert report.exercises == 2 and report.wrong_answers == len(A0.wrong) + len(load("d3").wrong)
    assert overlay.installed(A0) == "reference"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hints": ("one", "two")}, "there are 2 hints"),
        ({"hints": ("one", "two", " ")}, "none empty"),
        ({"minutes": 0}, "the minutes are missing"),
        ({"difficulty": 7}, "the difficulty is 7"),
        ({"wrong": A0.wrong[:2]}, "there are 2 wrong answers"),
        ({"target": "minisgl_tok.detokenize:gone"}, "there is no function minisgl_tok.detokenize:gone"),
        ({"fixed": lambda: []}, "there is no fixed case"),
        ({"fixed": lambda: [{"name": "x", "text": (1,)}]}, "no map of plain data"),
        ({"fresh": lambda random: 1 // 0}, "`fresh` raises ZeroDivisionError"),
        ({"oracle": lambda case: 1 // 0}, "the oracle raises ZeroDivisionError"),
        ({"oracle": lambda case: False}, "the reference fails on the case"),
    ],
)
def test_a_broken_exercise_is_a_problem(
    problems: Callable[..., str], changes: dict[str, Any], words: str
) -> None:
    assert words in problems(**changes)


def answer(text):
    return text.endswith("\ufffd")


def again(text):
    return bool(text) and text[-1] != "\ufffd"


def once_more(text):
    return text[-1:] not in ("", "\ufffd")


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (wrong("right_after_all", function=answer), "right_after_all passes all fixed cases"),
        (wrong("does_not_apply", changes=(("no such text", "x"),)), "must apply once"),
        (wrong("twice", changes=(("text", "x"),)), "must apply once"),
        (wrong("broken", changes=(("return", "retrun"),)), "broken cannot be put in the target's place"),
        (wrong("silent", " ", function=again), "silent has no sentence"),
        (wrong("tells", "You forgot `endswith`.", function=again), "gives code away: endswith"),
    ],
)
def test_a_bad_wrong_answer_is_a_problem(problems: Callable[..., str], one: Wrong, words: str) -> None:
    assert words in problems(wrong=(*A0.wrong, one))


def test_two_wrong_answers_that_behave_alike_are_a_problem(problems: Callable[..., str]) -> None:
    found = problems(
        wrong=(*A0.wrong, wrong("again", function=again), wrong("once_more", function=once_more))
    )
    assert "once_more and again do the same" in found


@pytest.mark.parametrize(
    ("sentence", "given_away"),
    [
        ("It ends in U+FFFD (see <|im_end|>) and returns text, one message late.", set()),
        ("You use surr_offset.", set()),  # the statement has it
        ("Compare with new_text.", {"new_text"}),
        ("You need `output` there.", {"output"}),
        ("Add += to it.", {"+"}),
        ("Look at status.decoded_ids again, 1 time.", set()),
    ],
)
def test_what_a_sentence_may_say(sentence: str, given_away: set[str]) -> None:
    found = selfcheck.shared_tokens(load("d3"), wrong("x", sentence))
    assert found == given_away or (sentence.startswith("Add") and found <= {"+", "+="})


def test_a_stray_file_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "exercises"
    folder.mkdir()
    for name in ("a0.py", "__init__.py", "notes.txt", "d3 copy.py", "d3.py.orig"):
        (folder / name).touch()
    (folder / "__pycache__").mkdir()
    monkeypatch.setattr(selfcheck, "FOLDER", folder)
    assert selfcheck.strays() == ["d3 copy.py", "d3.py.orig", "notes.txt"]
