"""The notebooks run, in the reader's form and on the reference, as they are stored."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from notebooks import WIDGET, store
from practice.desk.chapters import notebooks

SECONDS = 120  # for one cell; nbval's own limit is 2,000


class Nbval:
    """One run of nbval, started at once so that two can share the cores."""

    def __init__(self, paths: Sequence[Path], folder: Path, form: str, **environment: str) -> None:
        (folder / "answers").mkdir(parents=True)
        self.report = folder / "report.xml"
        self.log = open(folder / "log", "w+")  # noqa: SIM115
        flags = [
            f"--{form}",
            "--nbval-current-env",
            f"--nbval-cell-timeout={SECONDS}",
            f"--junitxml={self.report}",
        ]
        alone = ["-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", os.devnull]
        nobody = {"JUDGE": "", "JUDGE_ANSWERS": str(folder / "answers")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *alone, *flags, *map(str, paths)],
            env={**os.environ, **nobody, **environment},
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def done(self) -> dict[str, int]:
        """The number of cells that passed, that failed, and that did neither (those behind a time-out)."""
        self.process.wait()
        self.log.seek(0)
        log = self.log.read()
        self.log.close()
        assert self.report.is_file(), log
        counts = {"passed": 0, "failed": 0, "other": 0}
        for case in ElementTree.parse(self.report).iter("testcase"):
            bad = case.find("failure") is not None or case.find("error") is not None
            counts["failed" if bad else "passed" if case.find("skipped") is None else "other"] += 1
        if counts["failed"] or counts["other"]:
            print(log[-6000:])
        return counts


def nbval(paths: Sequence[Path], folder: Path, form: str, **environment: str) -> dict[str, int]:
    return Nbval(paths, folder, form, **environment).done()


def code_cells(paths: Sequence[Path]) -> int:
    return sum(cell.cell_type == "code" for path in paths for cell in nbformat.read(path, as_version=4).cells)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Nbval, Nbval]]:
    """All chapters in both forms, side by side."""
    folder = tmp_path_factory.mktemp("nbval")
    runs = (
        Nbval(notebooks(), folder / "unsolved", "nbval"),
        Nbval(notebooks(), folder / "solved", "nbval-lax", JUDGE="reference"),
    )
    yield runs
    for run in runs:
        run.process.kill()


def test_unsolved_every_cell_shows_what_is_stored(both: tuple[Nbval, Nbval]) -> None:
    assert both[0].done() == {"passed": code_cells(notebooks()), "failed": 0, "other": 0}


def test_on_the_reference_every_exercise_passes_and_every_chapter_closes(both: tuple[Nbval, Nbval]) -> None:
    assert both[1].done() == {"passed": code_cells(notebooks()), "failed": 0, "other": 0}


# ------------------------------------------------------------------ the forms can fail


def test_storing_twice_changes_nothing(small: Path) -> None:
    before = small.read_bytes()
    assert store(small) is False
    assert small.read_bytes() == before


def test_no_widget_is_stored_and_its_page_is(small: Path) -> None:
    book = nbformat.read(small, as_version=4)
    data = [output.data for cell in book.cells for output in cell.get("outputs", []) if "data" in output]
    assert not any(WIDGET in bundle for bundle in data)
    assert any("All messages" in bundle.get("text/html", "") for bundle in data)
    assert "widgets" not in book.metadata


def test_the_unsolved_form_passes_on_what_was_stored_and_notices_another_page(
    small: Path, tmp_path: Path
) -> None:
    changed = tmp_path / small.name
    changed.write_text(
        small.read_text("utf-8").replace("you made no prediction", "you predicted it"), "utf-8"
    )
    done = nbval([small, changed], tmp_path / "nbval", "nbval")
    assert done == {"passed": 2 * code_cells([small]) - 1, "failed": 1, "other": 0}


def test_the_form_on_the_reference_passes_keeps_nothing_and_notices_an_exercise_left_out(
    small: Path, tmp_path: Path
) -> None:
    book = nbformat.read(small, as_version=4)
    book.cells = [cell for cell in book.cells if not cell.source.startswith("%%answer")]
    without = tmp_path / small.name
    nbformat.write(book, without)
    done = nbval([small, without], tmp_path / "nbval", "nbval-lax", JUDGE="reference")
    assert done == {"passed": code_cells([small, without]) - 1, "failed": 1, "other": 0}
    assert list((tmp_path / "nbval" / "answers").iterdir()) == []


def test_a_readers_own_check_fails_where_no_answer_is_saved(small: Path, tmp_path: Path) -> None:
    """The answer's cell raises, and so does the closing one."""
    assert nbval([small], tmp_path / "nbval", "nbval-lax", JUDGE="answers")["failed"] == 2
