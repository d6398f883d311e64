"""Executes the notebooks and stores what they show, the same on each run.

    python tools/notebooks.py                 all of notebooks/
    python tools/notebooks.py FILE…           some

A notebook is stored unsolved: it runs with an empty, temporary answers folder. Of its outputs
the widgets' views are left out, since their ids are new on each run and mean nothing where no
kernel runs; JupyterLab and others then show the HTML that stands beside them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
WIDGET = "application/vnd.jupyter.widget-view+json"
SECONDS = 120  # for one cell
KEPT = ("kernelspec", "language_info")  # of a notebook's metadata


def main() -> int:
    """Returns 1 if a cell raised; that notebook stays as it was."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="notebooks; none: all of notebooks/")
    asked = parser.parse_args()
    failed = 0
    for path in asked.files or sorted((ROOT / "notebooks").glob("*.ipynb")):
        try:
            changed = store(path)
            print(f"{path.name}: {'written' if changed else 'unchanged'}", flush=True)
        except CellExecutionError as error:
            failed = 1
            print(f"{path.name}: a cell raised, so nothing was written\n{error}", file=sys.stderr)
    return failed


def store(path: Path) -> bool:
    """Executes a notebook in place; whether its file changed."""
    book = execute(path)
    tidy(book)
    text = nbformat.writes(book).rstrip("\n") + "\n"
    if text == path.read_text("utf-8"):
        return False
    path.write_text(text, "utf-8")
    return True


def execute(path: Path, **environment: str) -> Any:
    """The notebook after all of its cells ran in a new kernel, without anybody's answers.

    Raises CellExecutionError where a cell raises.
    """
    book = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as answers:
        # The kernel inherits this process's environment.
        environment = {"JUDGE_ANSWERS": answers, "JUDGE": "", "HF_HUB_OFFLINE": "1", **environment}
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            client = NotebookClient(
                book,
                timeout=SECONDS,
                record_timing=False,
                store_widget_state=False,
                extra_arguments=["--log-level=ERROR"],
                resources={"metadata": {"path": str(path.parent)}},
            )
            client.execute()
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    return book


def tidy(book: Any) -> None:
    """Leaves only what is the same on each run."""
    book.metadata = {name: value for name, value in book.metadata.items() if name in KEPT}
    version = book.metadata.get("language_info")
    if version:
        book.metadata["language_info"] = {"name": version["name"]}  # the rest tells of one machine
    for cell in book.cells:
        for name in ("execution", "collapsed", "scrolled"):
            cell.metadata.pop(name, None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET, None)


if __name__ == "__main__":
    sys.exit(main())
