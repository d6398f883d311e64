"""`%%answer` and its neighbours in a real kernel: what is shown, kept, installed and raised."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from kernel import Kernel

from practice.engine import answers
from practice.exercise import load

RIGHT_A0 = "def ends_in_half(text):\n    return text[-1:] == chr(0xFFFD)\n"
WRONG_A0 = "def ends_in_half(text):\n    return chr(0xFFFD) in text\n"
USE_A0 = "import minisgl_tok.detokenize as d; print(d.ends_in_half('a' + chr(0xFFFD)))"


def test_the_first_cell_says_which_code_runs(kernel: Kernel) -> None:
    shown = kernel.run("judge.start('00')")
    assert "to write: a0" in shown.text
    assert shown.html == kernel.run("judge.start('00')").html


def test_a_chapter_that_is_not_there_is_an_error_with_the_choices(kernel: Kernel) -> None:
    error = kernel.run("judge.start('9')").error
    assert error is not None and "00" in error


def test_a_hole_raises_and_names_its_exercise(kernel: Kernel) -> None:
    error = kernel.run(USE_A0).error
    assert error is not None and error.startswith("NotWritten: a0 is not written yet")


def test_an_untouched_starter_is_not_written_yet_and_nothing_is_saved(kernel: Kernel) -> None:
    shown = kernel.run(f"%%answer a0\n{answers.starter(load('a0'))}")
    assert "not written yet" in shown.text
    assert shown.error is None
    assert answers.read(load("a0")) is None


def test_a_right_answer_passes_is_saved_and_runs(kernel: Kernel) -> None:
    shown = kernel.run(f"%%answer a0\n{RIGHT_A0}")
    assert "✓ passed" in shown.text and "✓ passed" in shown.html
    assert answers.read(load("a0")) == RIGHT_A0
    assert kernel.run(USE_A0).text == "True\n"


def test_a_name_bound_before_the_answer_runs_the_answer(kernel: Kernel) -> None:
    kernel.run("from minisgl_tok.detokenize import ends_in_half")
    kernel.run(f"%%answer a0\n{RIGHT_A0}")
    assert kernel.run("print(ends_in_half('a'))").text == "False\n"


def test_a_wrong_answer_never_raises_and_shows_its_first_case(kernel: Kernel) -> None:
    shown = kernel.run(f"%%answer a0\n{WRONG_A0}")
    assert shown.error is None
    assert "✗ wrong" in shown.text and "first case that differs" in shown.html
    assert "looks_anywhere" not in shown.text + shown.html
    assert answers.read(load("a0")) == WRONG_A0


def test_the_second_different_try_is_named(kernel: Kernel) -> None:
    kernel.run(f"%%answer a0\n{WRONG_A0}")
    assert "looks_anywhere" not in kernel.run(f"%%answer a0\n{WRONG_A0}").html, "the same try again"
    other = WRONG_A0.replace("in text", "in text + ''")
    assert "looks_anywhere" in kernel.run(f"%%answer a0\n{other}").html


def test_after_a_failure_the_answer_that_passed_stays_in_use(kernel: Kernel) -> None:
    kernel.run(f"%%answer a0\n{RIGHT_A0}")
    shown = kernel.run(f"%%answer a0\n{WRONG_A0}")
    assert "Your last answer that passed stays in use." in shown.text
    kernel.run("judge.start('00')")
    assert kernel.run(USE_A0).text == "True\n"


def test_after_a_starter_the_answer_that_passed_stays_in_use(kernel: Kernel) -> None:
    kernel.run(f"%%answer a0\n{RIGHT_A0}")
    shown = kernel.run(f"%%answer a0\n{answers.starter(load('a0'))}")
    assert "Your last answer that passed stays in use." in shown.text
    assert answers.read(load("a0")) == RIGHT_A0
    assert kernel.run(USE_A0).text == "True\n"


def test_a_new_kernels_chapter_runs_on_the_saved_answer(kernel: Kernel) -> None:
    answers.save_passed(load("a0"), RIGHT_A0)
    assert "yours: a0" in kernel.run("judge.start('00')").text
    assert "yours: a0" in kernel.run("judge.start('02')").text


def test_an_earlier_chapters_missing_answer_is_the_packages_own(kernel: Kernel) -> None:
    assert "the package's own: a0" in kernel.run("judge.start('02')").text
    assert kernel.run(USE_A0).text == "True\n"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%%answer a00\nx = 1", "did you mean a0"),
        ("%%answer\nx = 1", "needs the id of an exercise"),
        ("%%answer a0 b1\nx = 1", "takes one id, and here are 2: a0, b1"),
        ("%%answer a0\n", "the cell body is empty"),
        ("%%answer a0\n   \n", "the cell is empty"),
        ("%%explain 99\nOne. Two. Three.", "nothing to explain for '99'"),
    ],
)
def test_a_slip_in_the_first_line_gets_a_clear_message_and_raises_nothing(
    kernel: Kernel, cell: str, said: str
) -> None:
    shown = kernel.run(cell)
    assert said in shown.text
    assert shown.error is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("def ends_in_half(text):\n    return text[-1:] = 1\n", "SyntaxError"),
        ("def ends_in_half(text):\n    return shell_name(text)\n", "NameError"),
        ("def another(text):\n    return True\n", "there is no function `ends_in_half`"),
        ("import os\ndef ends_in_half(text):\n    os._exit(0)\n", "a0"),
    ],
)
def test_answers_that_break_are_shown_not_raised(kernel: Kernel, answer: str, said: str) -> None:
    kernel.run("def shell_name(text):\n    return text.endswith(chr(0xFFFD))")
    shown = kernel.run(f"%%answer a0\n{answer}")
    assert said in shown.text
    assert "✓ passed" not in shown.text
    assert shown.error is None


def test_what_an_answer_prints_is_shown_and_no_fault(kernel: Kernel) -> None:
    shown = kernel.run(
        f"%%answer a0\n{RIGHT_A0.replace('    return', '    print(1234567)' + chr(10) + '    return')}"
    )
    assert "✓ passed" in shown.text and "1234567" in shown.text


def test_an_interrupt_ends_the_judging_and_the_judge_lives_on(kernel: Kernel) -> None:
    started = (
        "import pathlib, time\ndef ends_in_half(text):\n    pathlib.Path(MARK).touch()\n    time.sleep(60)\n"
    )
    mark = answers.folder() / "started"
    cell = kernel.send(f"%%answer a0\n{started.replace('MARK', repr(str(mark)))}")
    until = time.monotonic() + 30
    while not mark.exists() and time.monotonic() < until:
        kernel.client.is_alive()
    kernel.manager.interrupt_kernel()
    shown = kernel.wait(cell)
    assert "interrupted, not judged" in shown.text
    assert shown.error is None
    assert "✓ passed" in kernel.run(f"%%answer a0\n{RIGHT_A0}").text


# ------------------------------------------------------------------ hint, reveal, closing


def test_reveal_waits_for_a_pass_or_for_being_sure(kernel: Kernel) -> None:
    assert "endswith" not in kernel.run("judge.reveal('a0')").text
    assert "endswith" in kernel.run("judge.reveal('a0', sure=True)").text
    kernel.run(f"%%answer a0\n{RIGHT_A0}")
    assert "endswith" in kernel.run("judge.reveal('a0')").text


def test_a_scaffold_is_a_cell_to_copy(kernel: Kernel) -> None:
    text = kernel.run("judge.scaffold('d3')").text
    assert text.startswith("%%answer d3\ndef advance(")
    assert load("d3").scaffold.splitlines()[0].strip() in text


def test_closing_raises_while_an_exercise_was_not_judged(kernel: Kernel) -> None:
    error = kernel.run("judge.closing('00')").error
    assert error is not None and "a0" in error


def test_an_unwritten_exercise_counts_as_judged(kernel: Kernel) -> None:
    kernel.run(f"%%answer a0\n{answers.starter(load('a0'))}")
    shown = kernel.run("judge.closing('00')")
    assert shown.error is None and "0 of 1 yours" in shown.text


def test_closing_runs_the_readers_own_code_together(kernel: Kernel) -> None:
    kernel.run(f"%%answer a0\n{RIGHT_A0}")
    shown = kernel.run("judge.closing('00')")
    assert "all together: ✓ a0" in shown.text and "Your code knows" in shown.text


def test_closing_another_chapter_than_the_one_started_raises(kernel: Kernel) -> None:
    error = kernel.run("judge.closing('02')").error
    assert error is not None and 'judge.start("02")' in error


def test_both_runs_the_reference_and_the_readers_own_side_by_side(kernel: Kernel) -> None:
    kernel.run("def half(package): return package.detokenize.ends_in_half('a')")
    shown = kernel.run("judge.both(half)")
    assert shown.error is None
    assert "False" in shown.text and "a0 is not written yet" in shown.text
    kernel.run(f"%%answer a0\n{RIGHT_A0}")
    assert kernel.run("judge.both(half)").text.count("False") == 2


# ------------------------------------------------------------------ strict: checking a notebook


def test_the_reference_form_judges_the_reference_and_keeps_nothing(kernel: Kernel) -> None:
    kernel.run("os.environ['JUDGE'] = 'reference'; judge.start('00')")
    shown = kernel.run(f"%%answer a0\n{answers.starter(load('a0'))}")
    assert shown.error is None and "✓ passed" in shown.text
    assert kernel.run("judge.closing('00')").error is None
    assert not list(answers.folder().glob("*.py"))


@pytest.mark.parametrize("saved", [None, WRONG_A0])
def test_the_answers_form_raises_on_anything_but_passed(kernel: Kernel, saved: str | None) -> None:
    if saved:
        answers.save(load("a0"), saved)
    kernel.run("os.environ['JUDGE'] = 'answers'; judge.start('00')")
    error = kernel.run(f"%%answer a0\n{answers.starter(load('a0'))}").error
    assert error is not None and error.startswith("NotPassed: a0")


def test_the_answers_form_passes_on_a_saved_answer(kernel: Kernel) -> None:
    answers.save(load("a0"), RIGHT_A0)
    kernel.run("os.environ['JUDGE'] = 'answers'; judge.start('00')")
    assert kernel.run("%%answer a0\n# mine is saved").error is None


def test_a_strict_form_raises_on_an_unknown_exercise(kernel: Kernel) -> None:
    kernel.run("os.environ['JUDGE'] = 'reference'; judge.start('00')")
    error = kernel.run("%%answer a99\n...").error
    assert error is not None and error.startswith("NotPassed")


def test_an_unknown_form_is_an_error_that_names_the_choices(kernel: Kernel) -> None:
    kernel.run("os.environ['JUDGE'] = 'strict'")
    error = kernel.run("judge.start('00')").error
    assert error is not None and "'reference'" in error


def test_a_folder_that_cannot_be_written_is_told_of_and_raises_nothing(
    kernel: Kernel, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    kernel.run(f"os.environ['JUDGE_ANSWERS'] = {str(tmp_path / 'file' / 'answers')!r}")
    shown = kernel.run(f"%%answer a0\n{RIGHT_A0}")
    assert shown.error is None and "Not judged" in shown.html and "Error" in shown.text


def test_a_comment_behind_the_id_is_no_second_id(kernel: Kernel) -> None:
    assert "✓ passed" in kernel.run(f"%%answer a0  # my third try\n{RIGHT_A0}").text


def test_right_on_all_fixed_cases_is_not_enough(kernel: Kernel) -> None:
    texts = [case["text"] for case in load("a0").fixed()]
    known = {text: text.endswith("\ufffd") for text in texts}
    shown = kernel.run(f"%%answer a0\ndef ends_in_half(text):\n    return {known!a}.get(text, 7)\n")
    assert "but not a fresh one" in shown.text and "JUDGE_SEED=" in shown.html
