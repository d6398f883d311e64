"""The folder of answers: starters, what counts as unwritten, what is kept."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import pytest

from practice.engine import answers, overlay
from practice.exercise import exercise_ids, load

D3 = load("d3")


@pytest.mark.parametrize("id_", exercise_ids())
def test_a_starter_is_code_with_the_targets_signature(id_: str) -> None:
    exercise = load(id_)
    for scaffold in (False, True):
        text = answers.starter(exercise, scaffold)
        [function] = ast.parse(text).body
        assert isinstance(function, ast.FunctionDef)
        [reference] = ast.parse(overlay.reference_source(exercise)).body
        assert isinstance(reference, ast.FunctionDef)
        assert ast.dump(function.args) == ast.dump(reference.args)
        assert ast.get_docstring(function)
        assert isinstance(function.body[-1], ast.Expr)
        assert answers.is_unwritten(exercise, text)
    assert not answers.is_unwritten(exercise, overlay.reference_source(exercise))


def test_the_scaffold_stands_in_the_starter_on_request() -> None:
    assert "# 1  the new text" in answers.starter(D3, scaffold=True)
    assert "# 1" not in answers.starter(D3)


@pytest.mark.parametrize(
    "body",
    [
        "...",
        "pass",
        '"""other words"""',
        "raise NotWritten('x')",
        "raise NotImplementedError",
        "# mine\n    ...",
    ],
)
def test_a_body_that_does_nothing_is_unwritten(body: str) -> None:
    assert answers.is_unwritten(D3, f"import re\n\ndef advance(self, a, b, c):\n    {body}\n")


@pytest.mark.parametrize(
    "source",
    [
        "def advance(self):\n    return None",
        "def advance(self):\n    ...\n    x = 1",
        "def advance(",
        "def other():\n    ...",
        "def advance(self):\n    raise ValueError",
        "def advance(self): ...\ndef advance(self): return 1",
        "\x00",
        "(" * 5000,
    ],
)
def test_what_somebody_wrote_is_written(source: str) -> None:
    assert not answers.is_unwritten(D3, source)


@pytest.mark.parametrize("source", ["", "\n\n", "# only a comment\n"])
def test_an_empty_answer_is_unwritten(source: str) -> None:
    assert answers.is_unwritten(D3, source)


def test_a_later_answer_leaves_the_one_that_passed(answers_folder: Path) -> None:
    assert answers.read(D3) is None and answers.passed(D3) is None
    answers.save_passed(D3, "good\n")
    answers.save(D3, "bad \ud83e\n")
    assert answers.passed(D3) == "good\n"
    assert (answers.read(D3) or "").startswith("bad ")
    assert sorted(path.name for path in answers_folder.iterdir()) == ["d3.py", "passed"]


def test_the_state_is_kept() -> None:
    with answers.changing() as state:
        state.hints["d3"] = 2
        state.predictions["p1"] = "推"
    with answers.changing() as state:
        state.hints["d3"] += 1
    assert answers.load_state().hints == {"d3": 3}
    assert answers.load_state().predictions == {"p1": "推"}


def test_an_exception_inside_changes_nothing() -> None:
    with pytest.raises(KeyError), answers.changing() as state:
        state.hints["d3"] = 1
        raise KeyError
    assert answers.load_state().hints == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"hints": 3}', '{"hints": {"d3": "x"}}', "\x00", "[" * 100_000])
def test_a_broken_state_is_set_aside_and_named(answers_folder: Path, text: str) -> None:
    (answers_folder / "state.json").write_text(text)
    state = answers.load_state()
    assert state.hints == {} and "state.broken.json" in state.trouble
    assert (answers_folder / "state.broken.json").read_text() == text
    with answers.changing() as state:
        state.hints["d3"] = 1
    assert answers.load_state().hints == {"d3": 1} and answers.load_state().trouble == ""


def test_a_state_of_another_version_is_read() -> None:
    with answers.changing() as state:
        state.hints["d3"] = 1
    file = answers.folder() / "state.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "unknown": 1}))
    assert answers.load_state().hints == {"d3": 1}


def test_a_starter_of_one_line_and_of_several() -> None:
    assert inspect.cleandoc(answers.starter(load("a0"))).startswith("def ends_in_half(text: str) -> bool:")
