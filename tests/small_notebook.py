"""A chapter in a few cells, for tests of what happens to notebooks."""

from __future__ import annotations

from pathlib import Path

import nbformat

from practice.desk.sync import sync

CELLS = [
    'from practice import judge\n\njudge.start("00")',
    'judge.predict("p0")',
    'judge.predicted("p0")',
    "%%answer a0",
    'from minisgl_tok.show import stepper\n\nstepper("鱻 ok", manager=judge.reference.DetokenizeManager)',
    "%%explain 00\n…\n…\n…",
    'judge.closing("00")',
]


def write(path: Path, cells: list[str] | None = None) -> Path:
    """Writes the chapter, not yet executed, its starter and statement in place."""
    made = [nbformat.v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(cells or CELLS)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=kernel), path)
    sync([path], write=True)
    return path
