"""The judge against answers of all kinds, hostile ones among them. Each ends in a verdict."""

from __future__ import annotations

import ast
import dataclasses
import os
import textwrap
from collections.abc import Callable, Iterator

import pytest

from practice.engine import answers, overlay, verdict
from practice.engine.verdict import Judge, Verdict
from practice.exercise import load


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as one:
        one.files.changed = lambda: False  # type: ignore[method-assign]  # somebody may be at work
        yield one


@pytest.fixture
def d1(judge: Judge) -> Callable[[str], Verdict]:
    """Judges the body of `find_printable_text(text)`."""

    def run(body: str) -> Verdict:
        lines = "\n".join("    " + line for line in body.splitlines())
        return judge.judge("d1", f"def find_printable_text(text):\n{lines}\n")

    return run


@pytest.fixture
def a0(judge: Judge) -> Callable[[str], Verdict]:
    """Judges the body of `ends_in_half(text)`, an exercise of few cases."""
    return lambda body: judge.judge("a0", "def ends_in_half(text):\n" + textwrap.indent(body, "    "))


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case may take 0.7 seconds."""
    monkeypatch.setattr(verdict, "load", lambda id_: dataclasses.replace(load(id_), seconds=0.7))


def body_of(id_: str) -> str:
    """The statements of a reference, without signature and docstring."""
    [function] = ast.parse(overlay.reference_source(load(id_))).body
    assert isinstance(function, ast.FunctionDef)
    return "\n".join(map(ast.unparse, function.body[1:]))


RIGHT = body_of("d1")


# ------------------------------------------------------------------ what a reader writes


def test_the_reference_passes_all_cases(judge: Judge, source_of: Callable[..., str]) -> None:
    found = judge.judge("d3", source_of("d3"))
    assert (found.kind, found.passed, found.failure) == ("passed", found.total, None)
    assert found.marks == [True] * found.total


@pytest.mark.parametrize("scaffold", [False, True])
def test_an_untouched_starter_is_not_written_yet(judge: Judge, scaffold: bool) -> None:
    assert judge.judge("d3", answers.starter(load("d3"), scaffold)).kind == "not written yet"


def test_the_first_case_that_differs_is_shown_with_the_first_row(
    judge: Judge, source_of: Callable[..., str]
) -> None:
    found = judge.judge("d3", source_of("d3", "moves_on_half"))
    assert found.kind == "wrong" and found.failure is not None and found.failure.fixed
    expected, given = found.failure.expected["messages"], found.failure.given["messages"]
    row = found.failure.row
    assert row is not None and expected[row] != given[row] and expected[:row] == given[:row]
    assert found.marks.index(False) == found.failure.number


def test_a_mistake_gets_its_own_name(judge: Judge, source_of: Callable[..., str]) -> None:
    found = judge.judge("d3", source_of("d3", "sends_twice"))
    assert found.mistake is None
    named = judge.name(found)
    assert named is not None and named.name == "sends_twice" and found.mistake is named


def test_two_mistakes_at_once_have_no_name(d1: Callable[[str], Verdict], judge: Judge) -> None:
    found = d1("return text[1:].strip('a')")
    assert found.kind == "wrong" and judge.name(found) is None


def test_a_constant_copied_from_a_visible_case_does_not_pass(
    d1: Callable[[str], Verdict], judge: Judge
) -> None:
    exercise = load("d1")
    table = {case["text"]: exercise.oracle(case) for case in exercise.fixed() if "text" in case}
    assert table
    found = d1(f"return {table!r}.get(text, '')")
    assert found.passed == found.total and found.kind == "wrong"
    assert found.failure is not None and not found.failure.fixed
    assert judge.name(found) is None


def test_the_seed_of_a_failure_draws_the_same_case_again(judge: Judge) -> None:
    table = {case["text"]: load("d1").oracle(case) for case in load("d1").fixed()}
    source = f"def find_printable_text(text):\n    return {table!r}.get(text, '?')\n"
    first = judge.judge("d1", source)
    assert first.failure is not None
    again = judge.judge("d1", source, seed=first.failure.seed)
    assert again.failure is not None and again.failure.case == first.failure.case


def test_a_right_answer_by_another_road_passes(judge: Judge) -> None:
    source = """
import codecs

def open_bytes(data):
    decoder = codecs.getincrementaldecoder("utf-8")()
    decoder.decode(data)
    return len(decoder.getstate()[0])
"""
    assert judge.judge("b1", source).kind == "passed"


def test_helpers_and_imports_of_the_same_cell_are_seen(judge: Judge) -> None:
    source = f"""
from re import fullmatch as whole
LIMIT = 1

def helper(text):
    return text[: text.rfind(" ") + LIMIT]

def find_printable_text(text: str) -> str:
    if whole(r"(?s).*\\n", text):
        return text
    {"if len(text) and is_chinese(text[-1]): return text"}
    if len(text) > 1 and is_chinese(text[-2]):
        return text[:-1]
    return helper(text)
"""
    assert judge.judge("d1", source).kind == "passed"


def test_answers_of_a_chapter_run_together(judge: Judge, source_of: Callable[..., str]) -> None:
    sources = {"d1": source_of("d1"), "d3": source_of("d3"), "d2": answers.starter(load("d2"))}
    assert [found.kind for found in judge.judge_chapter(sources)] == ["passed", "passed", "not written yet"]
    broken = judge.judge_chapter({**sources, "d1": source_of("d1", "before_the_space")})
    assert [found.kind for found in broken] == ["wrong", "wrong", "not written yet"]


def test_an_answer_is_judged_beside_the_reference_whatever_is_dug(
    judge: Judge, source_of: Callable[..., str]
) -> None:
    exercise = load("d1")
    overlay.dig(exercise)
    try:
        assert judge.judge("d3", source_of("d3")).kind == "passed"
    finally:
        overlay.restore(exercise)


# ------------------------------------------------------------------ slips, in words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("text.strip()", "`find_printable_text` returned None where str is expected: is a `return` missing?"),
        ("return len(text)", "`find_printable_text` returned an int where str is expected"),
        ("return [text]", "`find_printable_text` returned a list where str is expected"),
    ],
)
def test_a_result_of_another_type_is_told_apart(d1: Callable[[str], Verdict], body: str, words: str) -> None:
    found = d1(body)
    assert found.kind == "wrong" and found.failure is not None
    assert (found.failure.raised, found.failure.message) == ("WrongType", words)


def test_a_changed_list_is_told_apart(judge: Judge) -> None:
    right = overlay.reference_source(load("d5"))
    source = right.replace("    return deltas", "    msgs.clear()\n    return deltas")
    assert source != right
    found = judge.judge("d5", source)
    assert found.kind == "wrong" and found.failure is not None and found.failure.raised == "ChangedInput"
    assert found.failure.message == "`detokenize` changed the list it was given; it belongs to the caller"


def test_a_missing_name_is_said_to_be_missing_in_this_cell(d1: Callable[[str], Verdict]) -> None:
    found = d1("x = 1\nreturn my_helper_of_another_cell(text)")
    assert found.kind == "error" and found.failure is not None
    assert found.failure.message == (
        "`my_helper_of_another_cell` is not defined in this cell; an answer sees only its own cell and the package"
    )
    assert found.failure.traceback == [(3, "    return my_helper_of_another_cell(text)")]


def test_a_traceback_has_the_answers_own_lines_alone(d1: Callable[[str], Verdict]) -> None:
    deep = d1("import json\nreturn json.loads('{')")
    assert deep.failure is not None and deep.failure.raised == "JSONDecodeError"
    assert deep.failure.traceback == [(3, "    return json.loads('{')")]


@pytest.mark.parametrize(
    ("source", "words", "line"),
    [
        ("def find_printable_text(text)\n    return text", "SyntaxError: expected ':'", 1),
        ("x = 1\n", "there is no function `find_printable_text` in this answer", None),
        ("def find_printable(text):\n    return text", "it defines `find_printable`", None),
        (
            "class find_printable_text:\n    pass",
            "is a class here; the exercise asks for def find_printable_text(text)",
            None,
        ),
        (
            "class M:\n    def find_printable_text(self, text): return text",
            "stands inside the class `M`",
            None,
        ),
        ("find_printable_text = 3", "is no function here, it is of type int", None),
        ("async def find_printable_text(text):\n    return text", "`async def`", None),
        ("def find_printable_text(text):\n    yield text", "`yield`", None),
        ("def find_printable_text():\n    return ''", "() instead of (text)", None),
        ("def find_printable_text(self, text):\n    return ''", "(self, text) instead of (text)", None),
        (
            "import nothing_of_that_name\ndef find_printable_text(text):\n    return ''",
            "ModuleNotFoundError",
            1,
        ),
        ("def find_printable_text(text):\n    return text\n1 / 0", "ZeroDivisionError", 3),
        ("import sys\nsys.exit()\ndef find_printable_text(text): return text", "SystemExit", 2),
        ("\x00", "null bytes", None),
        ("def find_printable_text(text):\n    return '\ud83e' + undefined_name", "", None),
    ],
)
def test_what_is_no_answer_gets_a_clear_note(judge: Judge, source: str, words: str, line: int | None) -> None:
    found = judge.judge("d1", source)
    assert found.kind == "error"
    assert words in found.note
    assert found.line == line


def test_other_names_for_parameters_are_fine(judge: Judge) -> None:
    source = "def find_printable_text(s, more=None):\n    text = s\n" + textwrap.indent(RIGHT, "    ")
    assert judge.judge("d1", source).kind == "passed"


def test_an_exception_behind_the_answer_is_told_apart(judge: Judge) -> None:
    found = judge.judge(
        "d3", "def advance(self, status, a, b):\n    status.decoded_ids.append(999)\n    return ''"
    )
    assert found.kind == "error" and found.failure is not None
    assert (found.failure.raised, found.failure.traceback) == ("IndexError", [])
    assert "not in the answer itself, but where its result was used" in found.failure.message


# ------------------------------------------------------------------ printing


def test_what_is_printed_is_shown_with_its_case_and_is_no_fault(d1: Callable[[str], Verdict]) -> None:
    found = d1("print('see', ascii(text))\n" + RIGHT)
    assert found.kind == "passed" and found.printed.startswith("see ")
    failing = d1("print('see', ascii(text))\nreturn text + '!'")
    assert failing.failure is not None
    assert failing.failure.printed == f"see {failing.failure.case['text']!a}\n"


@pytest.mark.parametrize(
    "before",
    [
        "print('passed 9 of 9')",
        "import os\nos.write(1, b'passed'); os.write(2, b'x' * 100000)",
        "import sys\nsys.stdout.close(); print('more')",
        "import sys\nsys.stdout = None; sys.stderr = None",
        "import os\nos.close(1); os.close(2); print('more')",
        "for _ in range(3000): print('x' * 1000)",
        "print('\\ud83e')",
        "import builtins\nbuiltins.len = builtins.isinstance = builtins.dict = None",
    ],
    ids=[
        "verdict",
        "files 1 and 2",
        "closed",
        "replaced",
        "files closed",
        "megabytes",
        "surrogate",
        "builtins",
    ],
)
def test_a_right_answer_passes_whatever_else_it_does(d1: Callable[[str], Verdict], before: str) -> None:
    body = RIGHT.replace("len(text) > 1", "text[1:]")
    found = d1(before + "\n" + body)
    assert found.kind == "passed", found.failure or found.note
    assert len(found.printed) < 10_000


def test_a_printed_verdict_wins_nothing(d1: Callable[[str], Verdict]) -> None:
    found = d1("import os\nos.write(1, b'{\"kind\": \"passed\"}')\nreturn '?'")
    assert found.kind == "wrong" and found.passed == 0


def test_reading_the_keyboard_meets_the_end(d1: Callable[[str], Verdict]) -> None:
    found = d1("return input()")
    assert found.kind == "error" and found.failure is not None and found.failure.raised == "EOFError"


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "return sum(range(10**12))",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import time\ntime.sleep(1000)",
        "while True: print('x' * 10000)",
    ],
    ids=["loop", "native", "swallows", "sleeps", "prints"],
)
@pytest.mark.usefixtures("hurry")
def test_an_endless_answer_comes_to_its_time_limit(d1: Callable[[str], Verdict], body: str) -> None:
    found = d1(body)
    assert found.kind == "time limit" and found.failure is not None
    assert found.failure.message == "the case was not done after 0.7 s"
    assert found.seconds < 8 and found.passed == 0
    assert [outcome.raised for outcome in found.outcomes[:3]] == ["time limit", "time limit", "not run"]


@pytest.mark.usefixtures("hurry")
def test_a_cell_that_never_ends_comes_to_its_time_limit(judge: Judge) -> None:
    found = judge.judge("d1", "while True: pass\ndef find_printable_text(text): return text")
    assert (found.kind, found.failure) == ("time limit", None) and "the cell itself" in found.note


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="only Linux limits memory")
@pytest.mark.parametrize(
    "body",
    [
        "x = []\nwhile True: x.append(bytes(10**7))",
        "return 'x' * 10**11",
        "try:\n    x = [0] * 10**11\nfinally:\n    y = [0] * 10**11",
    ],
)
def test_a_memory_bomb_ends_in_words(d1: Callable[[str], Verdict], body: str) -> None:
    found = d1(body)
    assert found.kind == "error" and found.failure is not None
    assert (found.failure.raised, found.failure.message) == (
        "memory",
        "it asked for more than 512 MiB of memory",
    )


@pytest.mark.parametrize(
    ("body", "raised", "words"),
    [
        ("import os\nos._exit(0)", "ended", "by itself, with status 0"),
        ("import sys\nsys.exit(0)", "SystemExit", "asked the process to end"),
        ("raise BaseException('no')", "BaseException", "no"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("return ends_in_half(text)", "RecursionError", "recursion"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "crashed", "SIGSEGV"),
        ("import os\nos.closerange(3, 200)\nreturn ''", "ended", ""),
        (
            "import os\nfor fd in range(3, 60):\n    try: os.write(fd, b'x' * 50)\n    except OSError: pass\nreturn ''",
            "ended",
            "pipe",
        ),
        ("class E(Exception):\n    def __str__(self): raise E\nraise E", "E", "its text cannot be made"),
    ],
)
def test_an_answer_that_ends_itself_is_an_error(
    a0: Callable[[str], Verdict], body: str, raised: str, words: str
) -> None:
    found = a0(body)
    assert found.kind == "error" and found.failure is not None
    assert found.failure.raised == raised
    assert words in found.failure.message


def test_after_a_death_the_next_cases_are_judged(d1: Callable[[str], Verdict]) -> None:
    found = d1("if not text:\n    import os; os._exit(3)\n" + RIGHT)
    dead = [case["text"] == "" for case in load("d1").fixed()]
    assert any(dead) and not all(dead)
    assert found.marks == [not died for died in dead]


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize(
    "start",
    ["os.fork() or time.sleep(1000)", "os.fork() or (os.setsid(), os.fork(), time.sleep(1000))"],
    ids=["in its session", "in a session of its own"],
)
def test_a_grandchild_that_holds_the_pipe_is_ended(a0: Callable[[str], Verdict], start: str) -> None:
    found = a0(f"import os, time\n{start}\nos._exit(5)")
    assert found.kind == "error" and found.failure is not None and found.seconds < 15
    assert "status 5" in found.failure.message or found.failure.raised == "BlockingIOError"


@pytest.mark.usefixtures("hurry")
def test_a_bunch_of_processes_is_ended(a0: Callable[[str], Verdict], judge: Judge) -> None:
    found = a0("import os\nfor _ in range(5): os.fork()\nwhile True: pass")
    assert found.kind in ("time limit", "error")
    assert judge.judge("d1", overlay.reference_source(load("d1"))).kind == "passed"


def test_a_result_of_a_hundred_megabytes_is_wrong_and_not_shown(d1: Callable[[str], Verdict]) -> None:
    found = d1("return 'x' * 10**8")
    assert found.kind == "wrong" and found.failure is not None and found.failure.given is None
    assert found.failure.message == "the result holds more than 4 MB of text"


def test_half_a_surrogate_pair_is_an_outcome(d1: Callable[[str], Verdict]) -> None:
    found = d1("return '\\ud83e'")
    assert found.kind == "wrong" and found.failure is not None and found.failure.given is not None


def test_the_child_has_no_oracle_and_no_wrong_answers(d1: Callable[[str], Verdict]) -> None:
    found = d1("import sys\nreturn ' '.join(vars(sys.modules['practice.exercises.d1']))")
    assert found.failure is not None
    names = str(found.failure.given).split()
    assert "run" in names and not {"oracle", "fixed", "fresh", "strips_the_mark"} & set(names)


# ------------------------------------------------------------------ the course's own faults


def test_a_broken_oracle_is_the_courses_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = load("d1")
    monkeypatch.setattr(verdict, "load", lambda _: dataclasses.replace(exercise, oracle=lambda case: 1 // 0))
    found = judge.judge("d1", overlay.reference_source(exercise))
    assert found.kind == "course fault"
    assert "not of your answer" in found.note and "ZeroDivisionError" in found.note


def test_where_the_reference_fails_too_it_is_the_courses_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = load("d1")
    monkeypatch.setattr(verdict, "load", lambda _: dataclasses.replace(exercise, oracle=lambda case: "?"))
    found = judge.judge("d1", "def find_printable_text(text):\n    return text")
    assert found.kind == "course fault" and "The course's own answer fails" in found.note


def test_a_missing_target_is_the_courses_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = dataclasses.replace(load("d1"), target="minisgl_tok.detokenize:no_such_function")
    monkeypatch.setattr(verdict, "load", lambda _: exercise)
    found = judge.judge("d1", "def no_such_function(text):\n    return text")
    assert found.kind == "course fault" and "no_such_function" in found.note


def test_an_id_that_is_none_is_a_key_error(judge: Judge) -> None:
    for id_ in ("zz9", "../oracles", ""):
        with pytest.raises(KeyError):
            judge.judge(id_, "x = 1")
