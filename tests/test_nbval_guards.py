"""nbval lets some broken notebooks pass; each of its holes is guarded here, and each guard holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from guards import problems

from practice.desk.chapters import notebooks


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_committed_notebook_has_none_of_them(path: Path) -> None:
    assert problems(path) == []


def test_a_notebook_that_the_tool_has_stored_has_none(small: Path) -> None:
    assert problems(small) == []


def code(book: Any) -> list[Any]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def never_executed(book: Any) -> None:
    code(book)[1].update(execution_count=None, outputs=[])


def executed_out_of_order(book: Any) -> None:
    code(book)[1]["execution_count"] = 9


def raises_on_purpose(book: Any) -> None:
    code(book)[1].metadata["tags"] = ["raises-exception"]


def skipped(book: Any) -> None:
    code(book)[1].metadata["tags"] = ["nbval-skip"]


def unknown_magic(book: Any) -> None:
    code(book)[1]["source"] = "%%anwser a0\n..."


def stored_error(book: Any) -> None:
    code(book)[1]["outputs"] = [nbformat.v4.new_output("error", ename="KeyError", evalue="x", traceback=[])]


def no_closing(book: Any) -> None:
    book.cells = book.cells[:-1]


def closing_of_another_chapter(book: Any) -> None:
    code(book)[-1]["source"] = 'judge.closing("02")'


def no_start(book: Any) -> None:
    code(book)[0]["source"] = "1 + 1"


def compared_answer(book: Any) -> None:
    [answer] = [cell for cell in code(book) if cell.source.startswith("%%answer")]
    answer.metadata["tags"] = []


def output_widget(book: Any) -> None:
    code(book)[1]["source"] = "import ipywidgets\nipywidgets.Output()"


def show(book: Any, **data: str) -> None:
    named = {name.replace("_", "/", 1): text for name, text in data.items()}
    code(book)[1]["outputs"] = [nbformat.v4.new_output("display_data", data=named)]


def address_in_a_repr(book: Any) -> None:
    show(book, text_plain="<Box object at 0x7f1234567890>")


def path_in_html(book: Any) -> None:
    show(book, text_html="saved to /tmp/x.py")


def widget_state(book: Any) -> None:
    book.metadata["widgets"] = {}


def image_alone(book: Any) -> None:
    show(book, image_png="aGVsbG8=")


BROKEN: list[tuple[Callable[[Any], None], str]] = [
    (never_executed, "not executed"),
    (executed_out_of_order, "not executed"),
    (raises_on_purpose, "raises-exception"),
    (skipped, "nbval-skip"),
    (unknown_magic, "unknown magic %%anwser"),
    (stored_error, "raised KeyError"),
    (no_closing, "the last cell is not"),
    (closing_of_another_chapter, "the last cell is not"),
    (no_start, "no judge.start"),
    (compared_answer, "an answer's output is compared"),
    (output_widget, "breaks nbval"),
    (address_in_a_repr, "0x7f1234567890"),
    (path_in_html, "/tmp/"),
    (widget_state, "saved widget state"),
    (image_alone, "without a text twin"),
]


@pytest.mark.parametrize(("damage", "said"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_guard_notices(small: Path, tmp_path: Path, damage: Callable[[Any], None], said: str) -> None:
    book = nbformat.read(small, as_version=4)
    damage(book)
    path = tmp_path / small.name
    nbformat.write(book, path)
    assert any(said in problem for problem in problems(path))
