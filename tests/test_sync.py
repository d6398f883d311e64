"""Statements and starters in notebooks: copies of the exercise files, and never a reader's loss."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from practice.desk.chapters import notebooks
from practice.desk.sync import IGNORE, exercises_in, statement, sync
from practice.engine import answers
from practice.exercise import exercise_ids, load


def notebook(folder: Path, *sources: str) -> Path:
    """A notebook of code cells."""
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(sources)]
    path = folder / "03_test.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def cells_of(path: Path) -> list[nbformat.NotebookNode]:
    return nbformat.read(path, as_version=4).cells


def test_a_bare_answer_cell_gets_its_statement_starter_and_tag(tmp_path: Path) -> None:
    path = notebook(tmp_path, "1 + 1", "%%answer d3")
    sync([path], write=True)
    _, text, code = cells_of(path)
    assert text.source == statement(load("d3"))
    assert text.metadata["exercise"] == "d3"
    assert code.source == "%%answer d3\n" + answers.starter(load("d3")).rstrip()
    assert code.metadata["tags"] == [IGNORE]


def test_writing_twice_changes_nothing(tmp_path: Path) -> None:
    path = notebook(tmp_path, "%%answer d3", "%%answer d2")
    sync([path], write=True)
    written = path.read_bytes()
    assert sync([path], write=True) == []
    assert path.read_bytes() == written


def test_check_names_what_is_stale_and_writes_nothing(tmp_path: Path) -> None:
    path = notebook(tmp_path, "%%answer d3")
    before = path.read_bytes()
    findings = sync([path], write=False)
    assert {finding.what for finding in findings if finding.stale} == {
        "the statement is missing",
        f"the tag {IGNORE} is missing",
        "the starter is stale",
    }
    assert path.read_bytes() == before


def test_an_edited_statement_is_written_anew_in_its_place(tmp_path: Path) -> None:
    path = notebook(tmp_path, "%%answer d3")
    sync([path], write=True)
    book = nbformat.read(path, as_version=4)
    book.cells[0].source = "### d3 · another title"
    nbformat.write(book, path)
    assert [finding.what for finding in sync([path], write=True)] == ["the statement is stale"]
    assert [cell.cell_type for cell in cells_of(path)] == ["markdown", "code"]


@pytest.mark.parametrize(
    "body",
    [
        "def advance(self, status, read_text, surr_text):\n    return read_text",
        "def helper():\n    return 1\n\ndef advance(self, status, read_text, surr_text):\n    x = helper()",
        "def advance(self, status, read_text, surr_text:\n    not even Python",
    ],
)
def test_what_a_reader_wrote_stays(tmp_path: Path, body: str) -> None:
    path = notebook(tmp_path, f"%%answer d3\n{body}")
    findings = sync([path], write=True)
    assert cells_of(path)[-1].source == f"%%answer d3\n{body}"
    assert "holds an answer, so it was left alone" in [finding.what for finding in findings]


@pytest.mark.parametrize("scaffold", [False, True])
def test_a_starter_of_any_form_is_written_anew(tmp_path: Path, scaffold: bool) -> None:
    old = answers.starter(load("d3"), scaffold=scaffold).replace("delta", "old words")
    path = notebook(tmp_path, f"%%answer d3\n{old}")
    sync([path], write=True)
    assert cells_of(path)[-1].source == "%%answer d3\n" + answers.starter(load("d3")).rstrip()


def test_an_unknown_id_is_reported_and_its_cell_stays(tmp_path: Path) -> None:
    path = notebook(tmp_path, "%%answer d99")
    [finding] = sync([path], write=True)
    assert finding.broken
    assert "no such exercise" in str(finding)
    assert cells_of(path)[0].source == "%%answer d99"


def test_a_statement_without_its_answers_cell_is_reported(tmp_path: Path) -> None:
    path = notebook(tmp_path, "%%answer d3")
    sync([path], write=True)
    book = nbformat.read(path, as_version=4)
    del book.cells[1]
    nbformat.write(book, path)
    [finding] = sync([path], write=False)
    assert finding.broken


def test_the_committed_notebooks_are_up_to_date_and_unsolved() -> None:
    assert [str(finding) for finding in sync(notebooks(), write=False)] == []


def test_each_exercise_stands_once_and_in_the_notebook_of_its_chapter() -> None:
    for path in notebooks():
        own = [id_ for id_ in exercise_ids() if path.name.startswith(load(id_).chapter + "_")]
        assert sorted(exercises_in(path)) == sorted(own), path.name


def test_sync_check_is_a_command(judge_py) -> None:
    assert judge_py("sync", "--check").returncode == 0
