"""Takes the README's picture from a running JupyterLab: the stepper of chapter 03 at work.

python tools/screenshot.py            docs/stepper.png
python tools/screenshot.py FILE       somewhere else
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from lab import Lab, chromium

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = "03_incremental_detokenization.ipynb"
CELL = 'show.stepper("鱻䨻🦩'  # the cell whose stepper is shown, at the message it opens with


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "docs" / "stepper.png")
    file = parser.parse_args().file
    if chromium() is None:
        print("no chromium on the PATH", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
        with Lab(folder / "notebooks", answers=folder / "answers") as lab:
            page = lab.open(NOTEBOOK)
            lab.run_all(page)
            number = page.evaluate(
                "start => window.jupyterapp.shell.currentWidget.content.widgets.findIndex("
                "cell => cell.model.sharedModel.source.startsWith(start))",
                CELL,
            )
            lab.run_cell(page, number)
            cell = page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{number}"]')
            cell.get_by_text("All messages").wait_for()
            file.parent.mkdir(parents=True, exist_ok=True)
            page.set_viewport_size({"width": 1366, "height": 1000})
            cell.scroll_into_view_if_needed()
            cell.screenshot(path=file)
    print(f"{file} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
