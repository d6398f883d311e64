"""The notebooks run, in the reader's form and on the reference, as they are stored."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import nbformat

from notebooks import WIDGET, store
from practice.chapters import notebooks

SECONDS = 120  # for one cell; nbval's own limit is 2,000


def nbval(paths: Sequence[Path], report: Path, form: str, **environment: str) -> dict[str, int]:
    """Runs nbval; the number of cells that passed, failed and did neither."""
    flags = [f"--{form}", "--nbval-current-env", f"--nbval-cell-timeout={SECONDS}", f"--junitxml={report}"]
    alone = ["-q", "-p", "no:cacheprovider", "--rootdir", str(report.parent), "-c", os.devnull]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *alone, *flags, *map(str, paths)],
        env={**os.environ, "JUDGE": "", **environment},
        capture_output=True,
        text=True,
    )
    assert report.is_file(), done.stdout + done.stderr
    cases = list(ElementTree.parse(report).iter("testcase"))
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    other = [case for case in cases if case.find("skipped") is not None]  # also those behind a time-out
    if bad or other:
        print(done.stdout[-6000:])
    return {"passed": len(cases) - len(bad) - len(other), "failed": len(bad), "other": len(other)}


def code_cells(paths: Sequence[Path]) -> int:
    return sum(cell.cell_type == "code" for path in paths for cell in nbformat.read(path, as_version=4).cells)


def test_unsolved_every_cell_shows_what_is_stored(tmp_path: Path) -> None:
    paths = notebooks()
    assert nbval(paths, tmp_path / "report.xml", "nbval") == {
        "passed": code_cells(paths),
        "failed": 0,
        "other": 0,
    }


def test_on_the_reference_every_exercise_passes_and_every_chapter_closes(tmp_path: Path) -> None:
    paths = notebooks()
    assert nbval(paths, tmp_path / "report.xml", "nbval-lax", JUDGE="reference") == {
        "passed": code_cells(paths),
        "failed": 0,
        "other": 0,
    }


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
    done = nbval([small, changed], tmp_path / "report.xml", "nbval")
    assert done == {"passed": 2 * code_cells([small]) - 1, "failed": 1, "other": 0}


def test_the_form_on_the_reference_passes_keeps_nothing_and_notices_an_exercise_left_out(
    small: Path, tmp_path: Path, answers_folder: Path
) -> None:
    book = nbformat.read(small, as_version=4)
    book.cells = [cell for cell in book.cells if not cell.source.startswith("%%answer")]
    without = tmp_path / small.name
    nbformat.write(book, without)
    done = nbval([small, without], tmp_path / "report.xml", "nbval-lax", JUDGE="reference")
    assert done == {"passed": code_cells([small, without]) - 1, "failed": 1, "other": 0}
    assert list(answers_folder.iterdir()) == []


def test_a_readers_own_check_fails_where_no_answer_is_saved(small: Path, tmp_path: Path) -> None:
    """The answer's cell raises, and so does the closing one."""
    assert nbval([small], tmp_path / "report.xml", "nbval-lax", JUDGE="answers")["failed"] == 2
