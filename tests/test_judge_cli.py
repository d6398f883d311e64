"""`judge.py` as a reader, a script and a teacher meet it."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from practice.engine import answers
from practice.exercise import exercise_ids, load

ROOT = Path(__file__).resolve().parent.parent


# ------------------------------------------------------------------ judging


def test_without_answers_all_is_not_written_yet_and_the_status_is_1(judge_py) -> None:
    done = judge_py()
    assert done.stdout.splitlines() == [f"{id_}  not written yet" for id_ in exercise_ids()]
    assert done.returncode == 1


def test_a_right_answer_passes_with_status_0(judge_py, write) -> None:
    write("d2")
    done = judge_py("d2")
    assert (done.stdout, done.returncode) == ("d2  passed\n", 0)


def test_piped_output_is_one_plain_line_an_exercise(judge_py, write) -> None:
    write("d2")
    write("d3", "moves_on_half")
    done = judge_py("d2", "d3")
    first, second = done.stdout.splitlines()
    assert first == "d2  passed"
    assert second.startswith("d3  wrong  ") and "/" in second
    assert "\x1b" not in done.stdout
    assert done.returncode == 1


def test_the_name_comes_when_it_is_asked_for(judge_py, write) -> None:
    write("d3", "moves_on_half")
    [sentence] = [wrong.sentence for wrong in load("d3").wrong if wrong.name == "moves_on_half"]
    assert "moves_on_half" not in judge_py("d3").stdout
    line = judge_py("d3", "--name").stdout
    assert line.startswith("d3  wrong  moves_on_half  ") and sentence in line


def test_an_unknown_mistake_is_not_given_the_nearest_name(judge_py, answers_folder: Path) -> None:
    (answers_folder / "a0.py").write_text("def ends_in_half(text):\n    return len(text) == 2\n")
    assert "Not a mistake I know." in judge_py("a0", "--name").stdout


def test_another_file_is_judged_and_nothing_is_kept(
    judge_py, tmp_path: Path, write, answers_folder: Path
) -> None:
    path = write("d2", folder=tmp_path)
    assert judge_py("d2", "--file", path).stdout == "d2  passed\n"
    assert list(answers_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("d9",), "did you mean d"),
        (("hint", "d33"), "did you mean d3"),
        (("d2", "d3", "--file", "x.py"), "exactly one ID"),
        (("--file", "x.py"), "exactly one ID"),
        (("d2", "--file", "nowhere.py"), "nowhere.py cannot be read"),
        (("d2", "--file", "x.py", "--watch"), "does not go with"),
        (("grade", "no_such_folder"), "no such folder: no_such_folder"),
        (("grade",), "FOLDER"),
    ],
)
def test_a_wrong_question_gets_one_line_and_status_2(judge_py, arguments: tuple[str, ...], said: str) -> None:
    done = judge_py(*arguments)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


def test_the_script_starts_from_any_folder(write, tmp_path: Path) -> None:
    write("d2")
    command = [sys.executable, str(ROOT / "practice" / "judge.py"), "d2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("d2  passed\n", "", 0)


def test_a_python_without_the_libraries_goes_on_in_the_environment_or_says_make_lab(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "practice", tmp_path / "practice", ignore=shutil.ignore_patterns("answers"))
    bare = [sys.executable, "-S", str(tmp_path / "practice" / "judge.py"), "hint", "a0"]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(bare, capture_output=True, text=True, env=alone)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "make lab" in done.stderr
    environment = tmp_path / ".venv" / "bin" / "python"
    environment.parent.mkdir(parents=True)
    environment.write_text('#!/bin/sh\nshift\necho "went on with: $*"\n')
    environment.chmod(0o755)
    done = subprocess.run(bare, capture_output=True, text=True, env=alone)
    assert done.stdout == "went on with: hint a0\n"


def test_finished_work_is_not_judged_again(judge_py, write, monkeypatch: pytest.MonkeyPatch) -> None:
    from practice.desk import commands

    path = write("d2")
    judge_py("d2")

    class NoJudge:
        def __enter__(self) -> NoJudge:
            return self

        def __exit__(self, *_: object) -> None: ...

        def warm(self, *_: object) -> None: ...

        def judge(self, *_: object) -> None:
            raise AssertionError("judged again")

    monkeypatch.setattr(commands, "Judge", NoJudge)
    assert commands.main(["d2"]) == 0
    path.write_text(path.read_text("utf-8") + "# another line\n", "utf-8")
    with pytest.raises(AssertionError, match="judged again"):
        commands.main(["d2"])


def test_a_terminal_gets_a_table_a_bar_the_first_case_and_what_comes_next(write) -> None:
    pty = pytest.importorskip("pty")
    write("a0")
    write("d3", "moves_on_half")
    shown: list[bytes] = []

    def keep(fd: int) -> bytes:
        data = os.read(fd, 4096)
        shown.append(data)
        return data

    os.environ.update(COLUMNS="120", TERM="xterm")
    pty.spawn([sys.executable, str(ROOT / "practice" / "judge.py")], keep)
    text = b"".join(shown).decode()
    assert "█" in text and f"1 of {len(exercise_ids())} exercises" in text
    assert "✓ passed" in text and "✗ wrong" in text and "· not written yet" in text
    assert "first case that differs" in text
    assert "judge.py d3 --name" in text and "judge.py hint d3" in text


# ------------------------------------------------------------------ hint, edit, reveal


def test_hints_come_one_more_each_time(judge_py) -> None:
    hints = load("d3").hints
    said = [judge_py("hint", "d3").stdout for _ in range(len(hints) + 1)]
    numbers = [*range(1, len(hints) + 1), len(hints)]
    assert said == [f"d3  hint {n} of {len(hints)}  {hints[n - 1]}\n" for n in numbers]


def test_edit_makes_the_answers_file_and_never_overwrites_an_answer(judge_py, answers_folder: Path) -> None:
    assert "d3.py" in judge_py("edit", "d3").stdout
    assert (answers_folder / "d3.py").read_text("utf-8") == answers.starter(load("d3"))
    judge_py("edit", "d3", "--scaffold")
    assert (answers_folder / "d3.py").read_text("utf-8") == answers.starter(load("d3"), scaffold=True)
    (answers_folder / "d3.py").write_text("def advance(self):\n    return 1\n")
    assert "stays as it is" in judge_py("edit", "d3").stdout
    assert (answers_folder / "d3.py").read_text() == "def advance(self):\n    return 1\n"


def test_reveal_waits_for_a_pass_or_for_being_sure(judge_py, write, source_of) -> None:
    refused = judge_py("reveal", "d2")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert judge_py("reveal", "d2", "--sure").stdout == source_of("d2")
    write("d3")
    judge_py("d3")
    assert judge_py("reveal", "d3").stdout == source_of("d3")


# ------------------------------------------------------------------ check, grade, teacher


def test_check_proves_one_exercise(judge_py) -> None:
    done = judge_py("check", "a0")
    assert done.returncode == 0, done.stdout
    assert "1 exercises" in done.stdout


def test_a_class_is_graded_with_one_command(judge_py, tmp_path: Path, write) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        write("a0", folder=folder)
    write("d3", folder=one)
    write("d3", "moves_on_half", folder=other)
    table, junit = tmp_path / "class.csv", tmp_path / "class.xml"
    done = judge_py("grade", one, other, "--only", "a0", "--only", "d3", "--csv", table, "--junit", junit)
    assert done.returncode == 1
    assert "2 of 2" in done.stdout and "1 of 2" in done.stdout
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["exercise"], row["verdict"], row["mistake"]) for row in rows] == [
        ("one", "a0", "passed", ""),
        ("one", "d3", "passed", ""),
        ("other", "a0", "passed", ""),
        ("other", "d3", "wrong", "moves_on_half"),
    ]
    suites = ElementTree.parse(junit).getroot()
    assert [suite.get("failures") for suite in suites] == ["0", "1"]


def test_a_class_in_which_all_passed_has_status_0(judge_py, tmp_path: Path, write) -> None:
    (tmp_path / "one").mkdir()
    write("a0", folder=tmp_path / "one")
    assert judge_py("grade", tmp_path / "one", "--only", "a0").returncode == 0


def test_the_teachers_page_has_every_exercise_with_its_misconceptions(judge_py) -> None:
    page = judge_py("teacher").stdout
    for exercise in map(load, exercise_ids()):
        assert f"### {exercise.id} · {exercise.title}" in page
        assert all(wrong.sentence in page for wrong in exercise.wrong)


def test_help_tells_of_every_command(judge_py) -> None:
    from practice.desk.commands import COMMANDS

    shown = judge_py("--help").stdout
    assert all(f"judge.py {name}" in shown for name in COMMANDS)
    for name in COMMANDS:
        assert judge_py(name, "--help").returncode == 0


def test_an_interrupt_is_said_in_one_line(write, answers_folder: Path) -> None:
    mark = answers_folder / "started"
    (answers_folder / "a0.py").write_text(
        f"import pathlib, time\ndef ends_in_half(text):\n    pathlib.Path({str(mark)!r}).touch()\n    time.sleep(60)\n"
    )
    command = [sys.executable, str(ROOT / "practice" / "judge.py"), "a0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < until:
        os.sched_yield()
    process.send_signal(2)
    out, err = process.communicate(timeout=20)
    assert (out, err) == ("", "judge.py: interrupted, not judged\n")
    assert process.returncode == 130
