"""Holes and answers: what a name in the package, in an answer or in a notebook leads to."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import linecache
import sys
import traceback
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import pytest

import minisgl_tok
from minisgl_tok import DetokenizeManager, DetokenizeMsg, detokenize, load_tokenizer
from practice.engine import overlay
from practice.exercise import BadExercise, Exercise, load

D1, D2, D3, A0 = load("d1"), load("d2"), load("d3"), load("a0")
SHOUT = "def find_printable_text(text):\n    return text.upper()\n"


@pytest.fixture(autouse=True)
def whole_again() -> Iterator[None]:
    yield
    for exercise in (D1, D2, D3, A0):
        overlay.restore(exercise)


def test_a_hole_raises_and_says_which_exercise_it_is() -> None:
    overlay.dig(D1)
    with pytest.raises(overlay.NotWritten, match="d1 is not written yet"):
        minisgl_tok.find_printable_text("a")
    assert overlay.installed(D1) == "hole"


def test_a_hole_shows_signature_and_docstring_but_not_the_code() -> None:
    signature = inspect.signature(DetokenizeManager.advance)
    overlay.dig(D3)
    hole = DetokenizeManager.advance
    assert inspect.signature(hole) == signature
    assert (inspect.getdoc(hole) or "").startswith("The delta that goes out")
    assert "NotWritten" in inspect.getsource(hole) and "new_text" not in inspect.getsource(hole)
    assert (hole.__module__, hole.__qualname__) == ("minisgl_tok.detokenize", "DetokenizeManager.advance")


def test_restore_puts_the_packages_own_object_back() -> None:
    before = detokenize.find_printable_text
    overlay.dig(D1)
    overlay.fill(D1, SHOUT)
    overlay.restore(D1)
    assert detokenize.find_printable_text is before is minisgl_tok.find_printable_text
    assert overlay.installed(D1) == "reference"


def test_every_name_in_the_package_is_rebound(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = ModuleType("minisgl_tok.elsewhere")
    vars(elsewhere)["mine"] = detokenize.find_printable_text
    monkeypatch.setitem(sys.modules, "minisgl_tok.elsewhere", elsewhere)
    overlay.fill(D1, SHOUT)
    assert minisgl_tok.find_printable_text("a") == "A"
    assert vars(elsewhere)["mine"] is detokenize.find_printable_text is minisgl_tok.find_printable_text
    overlay.dig(D1)
    assert vars(elsewhere)["mine"] is detokenize.find_printable_text


def test_a_name_that_the_notebook_has_imported_is_rebound(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython

    user = {"find_printable_text": detokenize.find_printable_text, "other": len}
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(user_ns=user))
    overlay.fill(D1, SHOUT)
    assert user == {"find_printable_text": detokenize.find_printable_text, "other": len}
    assert user["find_printable_text"]("a") == "A"


def test_other_answers_call_the_answer() -> None:
    overlay.fill(D1, SHOUT)
    status = minisgl_tok.DecodeStatus([1])
    manager = DetokenizeManager(load_tokenizer("toy"))
    assert manager.advance(status, "ab\ufffd", "") == "AB\ufffd"


def test_a_later_answer_is_seen_by_an_earlier_one() -> None:
    overlay.fill(D1, "def find_printable_text(text):\n    return str(ends_in_half(text))\n")
    assert minisgl_tok.find_printable_text("a") == "False"
    overlay.fill(A0, "def ends_in_half(text):\n    return 'later'\n")
    assert minisgl_tok.find_printable_text("a") == "later"


def test_a_name_imported_in_an_answers_cell_follows_a_later_answer() -> None:
    overlay.fill(
        D1,
        "from minisgl_tok.detokenize import ends_in_half as mine\ndef find_printable_text(text):\n    return str(mine(text))\n",
    )
    overlay.fill(A0, "def ends_in_half(text):\n    return 'later'\n")
    assert minisgl_tok.find_printable_text("a") == "later"


def test_an_answer_sees_its_own_helpers_first_and_nothing_of_the_notebook() -> None:
    source = "def is_chinese(c):\n    return 'own'\n\ndef find_printable_text(text):\n    return is_chinese(text), {}\n"
    assert overlay.fill(D1, source.format("REPLACEMENT"))("x") == ("own", "\ufffd")
    assert detokenize.is_chinese("x") is False
    with pytest.raises(NameError):
        overlay.fill(D1, source.format("Iterator"))("x")  # a name of this test's module


def test_a_class_of_the_cell_sees_the_targets_module_too() -> None:
    source = """
class Helper:
    mark = REPLACEMENT
    marks = [REPLACEMENT for _ in range(2)]

def find_printable_text(text):
    return Helper.mark + Helper.marks[1] + eval("REPLACEMENT")
"""
    assert overlay.fill(D1, source)("x") == "\ufffd" * 3


def test_a_module_imported_later_gets_the_answer() -> None:
    overlay.fill(D1, SHOUT)
    naive = importlib.reload(sys.modules["minisgl_tok.naive"])
    assert naive is sys.modules["minisgl_tok.naive"]
    namespace: dict[str, object] = {}
    exec("from minisgl_tok.detokenize import find_printable_text as later", namespace)
    assert namespace["later"]("a") == "A"  # type: ignore[operator]


def test_reference_and_the_readers_own_run_side_by_side() -> None:
    reference = overlay.reference()
    tokenizer = load_tokenizer("qwen3")
    overlay.dig(D1)
    overlay.fill(D3, "def advance(self, status, read_text, surr_text):\n    return 'mine'\n")
    msgs = [DetokenizeMsg(1, 100024, False)], [DetokenizeMsg(1, 119, False)]
    own, its = DetokenizeManager(tokenizer), reference.DetokenizeManager(tokenizer)
    assert [own.detokenize(msg) for msg in msgs] == [["mine"], ["mine"]]
    assert [its.detokenize(msg) for msg in msgs] == [[""], ["鱻"]]
    assert reference.load_tokenizer("qwen3") is tokenizer


def test_bytes_of_a_token_stay_the_references_with_a_shared_tokenizer() -> None:
    tokenizer = load_tokenizer("qwen3")
    b2 = load("b2")
    overlay.dig(b2)
    try:
        with pytest.raises(overlay.NotWritten):
            minisgl_tok.token_bytes(tokenizer, 46602)
        assert overlay.reference().token_bytes(tokenizer, 46602) == bytes.fromhex("20e68e")
    finally:
        overlay.restore(b2)


def test_a_traceback_shows_the_readers_own_line() -> None:
    overlay.fill(D1, "def find_printable_text(text):\n    return 1 / 0  # here\n", "answers/d1.py")
    try:
        minisgl_tok.find_printable_text("a")
    except ZeroDivisionError:
        text = traceback.format_exc()
    assert 'File "answers/d1.py", line 2' in text and "return 1 / 0  # here" in text
    linecache.checkcache()
    assert "1 / 0" in inspect.getsource(minisgl_tok.find_printable_text)


def test_annotations_of_an_answer_are_not_run() -> None:
    source = "def find_printable_text(text: NoSuchType) -> AnotherOne:\n    return text\n"
    assert overlay.fill(D1, source)("x") == "x"


def test_what_the_cell_prints_is_not_printed_again(capsys: pytest.CaptureFixture[str]) -> None:
    overlay.fill(D1, "print('hello')\n" + SHOUT)
    assert capsys.readouterr().out == ""


def test_a_cached_function_is_an_answer() -> None:
    overlay.fill(D1, "import functools\n@functools.cache\n" + SHOUT)
    assert minisgl_tok.find_printable_text("a") == "A"


def test_an_answer_that_fails_to_load_leaves_what_was_there() -> None:
    overlay.fill(D1, SHOUT)
    with pytest.raises(ZeroDivisionError):
        overlay.fill(D1, "1 / 0\n" + SHOUT)
    assert minisgl_tok.find_printable_text("a") == "A" and overlay.installed(D1) == "yours"


class Kinds:
    @staticmethod
    def still(x):
        return x

    @classmethod
    def of_class(cls, x):
        return cls.__name__ + x

    @property
    def value(self):
        return 1

    number = 7
    cached = __import__("functools").cache(len)


def exercise_for(name: str) -> Exercise:
    return dataclasses.replace(D1, target=f"{__name__}:Kinds.{name}")


@pytest.mark.parametrize(
    ("name", "source", "call", "result"),
    [
        ("still", "def still(x): return x + x", lambda: Kinds().still("a"), "aa"),
        ("still", "@staticmethod\ndef still(x): return x + x", lambda: Kinds.still("a"), "aa"),
        ("of_class", "def of_class(cls, x): return x + cls.__name__", lambda: Kinds.of_class("a"), "aKinds"),
        ("value", "def value(self): return 2", lambda: Kinds().value, 2),
        ("value", "@property\ndef value(self): return 3", lambda: Kinds().value, 3),
    ],
)
def test_methods_keep_their_kind(name: str, source: str, call, result) -> None:
    exercise = exercise_for(name)
    before = vars(Kinds)[name]
    overlay.fill(exercise, source)
    assert call() == result
    overlay.restore(exercise)
    assert vars(Kinds)[name] is before


@pytest.mark.parametrize("name", ["number", "cached", "nothing"])
def test_a_target_that_is_no_function_is_refused(name: str) -> None:
    with pytest.raises(BadExercise, match="Kinds"):
        overlay.fill(exercise_for(name), f"def {name}(x): return x")


def test_a_target_in_no_module_is_refused() -> None:
    with pytest.raises(BadExercise, match="no_such_module"):
        overlay.reference_source(dataclasses.replace(D1, target="no_such_module:f"))
