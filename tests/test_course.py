"""Which code runs where, what is remembered of earlier answers, and the worker's entry."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from practice.desk import course, finished
from practice.engine import answers, overlay
from practice.engine.verdict import Verdict
from practice.exercise import exercise_ids, load

A0 = "def ends_in_half(text):\n    return text[-1:] == chr(0xFFFD)\n"


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[course.Session]:
    """A session that starts no process; afterwards the package is whole again."""
    session = course.Session()
    monkeypatch.setattr(session.judge, "warm", lambda *_: None)
    yield session
    for exercise in map(load, exercise_ids()):
        overlay.restore(exercise)


def verdict(kind: str, source: str) -> Verdict:
    return Verdict("a0", kind, source=source)  # type: ignore[arg-type]


# ------------------------------------------------------------------ start


def test_a_chapters_own_targets_are_holes_and_the_others_the_reference(session: course.Session) -> None:
    installed = session.start("03")
    assert {id_ for id_, state in installed.items() if state == "hole"} == {"d1", "d2", "d3", "d4", "d5"}
    assert {state for id_, state in installed.items() if not id_.startswith("d")} == {"reference"}


def test_starting_another_chapter_fills_the_holes_of_the_one_before(session: course.Session) -> None:
    session.start("03")
    assert session.start("00")["d3"] == "reference"


def test_answers_of_earlier_chapters_are_installed_and_those_of_later_ones_are_not(
    session: course.Session, source_of: Callable[..., str]
) -> None:
    answers.save_passed(load("a0"), A0)
    answers.save_passed(load("d3"), source_of("d3"))
    installed = session.start("02")
    assert (installed["a0"], installed["d3"]) == ("yours", "reference")


def test_a_later_failing_answer_leaves_the_one_that_passed(session: course.Session) -> None:
    answers.save_passed(load("a0"), A0)
    answers.save(load("a0"), "def ends_in_half(text):\n    return True\n")
    session.start("00")
    from minisgl_tok.detokenize import ends_in_half

    assert ends_in_half("a") is False


@pytest.mark.parametrize("broken", ["def ends_in_half(:\n", "1 / 0\n", "def other():\n    return 1\n"])
def test_a_saved_answer_that_does_not_run_any_more_is_told_of(session: course.Session, broken: str) -> None:
    answers.save_passed(load("a0"), broken)
    assert session.start("00")["a0"] == "hole"
    [trouble] = session.troubles
    assert trouble.startswith("a0: your saved answer does not run any more")


def test_an_unknown_chapter_names_those_that_there_are(session: course.Session) -> None:
    with pytest.raises(ValueError, match="00, 01"):
        session.start("12")


def test_on_the_reference_nobodys_answers_are_installed(
    session: course.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers.save_passed(load("a0"), A0)
    monkeypatch.setenv("JUDGE", "reference")
    assert session.start("02")["a0"] == "reference"


@pytest.mark.parametrize(("asked", "near"), [("d33", "d3"), ("A0", "a0"), ("window", "a0")])
def test_an_unknown_id_names_the_nearest(asked: str, near: str) -> None:
    with pytest.raises(course.UnknownExercise) as error:
        course.find(asked)
    assert near in str(error.value)


# ------------------------------------------------------------------ what is remembered


def test_an_answer_that_passed_is_finished_until_a_letter_changes() -> None:
    exercise = load("a0")
    finished.remember(exercise, verdict("passed", A0))
    assert finished.is_finished(exercise, A0)
    assert not finished.is_finished(exercise, A0 + "#")
    assert not finished.is_finished(load("b1"), A0)


def test_a_changed_course_is_judged_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    finished.remember(load("a0"), verdict("passed", A0))
    monkeypatch.setattr(finished, "_course", lambda: "another package")
    assert not finished.is_finished(load("a0"), A0)


def test_only_different_failing_answers_are_counted_and_a_pass_begins_anew() -> None:
    exercise = load("a0")
    counts = [finished.remember(exercise, verdict("wrong", source)) for source in ("a", "a", "b", "a")]
    assert counts == [1, 1, 2, 2]
    assert finished.remember(exercise, verdict("error", "c")) == 3
    assert finished.remember(exercise, verdict("passed", A0)) == 0
    assert finished.remember(exercise, verdict("wrong", "a")) == 1


@pytest.mark.parametrize("kind", ["not written yet", "course fault"])
def test_what_is_no_try_leaves_no_trace(kind: str, answers_folder: Path) -> None:
    assert finished.remember(load("a0"), verdict(kind, "…")) == 0
    assert list(answers_folder.iterdir()) == []


def test_hints_end_at_the_last_one() -> None:
    exercise = load("d3")
    shown = [course.next_hint(exercise)[0] for _ in range(len(exercise.hints) + 2)]
    assert shown == [1, 2, 3, 3, 3]


# ------------------------------------------------------------------ the worker's entry


def test_a_spawned_worker_runs_the_readers_answers(answers_folder: Path) -> None:
    answers.save_passed(load("a0"), A0 + "\nends_in_half.mine = True\n")
    program = (
        "import importlib, sys\n"
        "server = importlib.import_module('minisgl_tok.server')\n"
        "def worker(**arguments):\n"
        "    from minisgl_tok.detokenize import ends_in_half\n"
        "    print(arguments, ends_in_half('x' + chr(0xFFFD)), getattr(ends_in_half, 'mine', False))\n"
        "server.tokenize_worker = worker\n"
        "from minisgl_tok.processes import enter\n"
        "enter('practice.judge:entry', {'local_bs': 4}, sys.argv[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(answers_folder)], capture_output=True, text=True, timeout=60
    )
    assert "{'local_bs': 4} True True" in done.stdout, done.stderr
