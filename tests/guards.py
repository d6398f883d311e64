"""What nbval does not notice in a notebook, looked at without running it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat

MAGICS = {"answer", "explain", "time"}
TAGS = {"nbval-ignore-output"}
WIDGET = "application/vnd.jupyter.widget-view+json"
BREAKS_NBVAL = re.compile(r"\b(Output\(|clear_output|warnings\.warn|interact\()")
# What differs from run to run or from machine to machine.
FLEETING = re.compile(
    r"0x[0-9a-f]{8,}|(?<![\w.])/(?:home|root|tmp|work|Users)/|IPY_MODEL_|model_id|\b[0-9a-f]{32}\b"
)


def problems(path: Path) -> list[str]:
    """One line for each thing that nbval would let pass, or would fail on without cause."""
    book = nbformat.read(path, as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    found = [] if "widgets" not in book.metadata else ["saved widget state"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        found.append(f"not executed once from top to bottom: {counts}")
    for number, cell in enumerate(code, 1):
        found += [f"cell {number}: {problem}" for problem in _of_cell(cell)]
    chapter = path.name[:2]
    if not any(f'judge.start("{chapter}")' in cell.source for cell in code):
        found.append(f'no judge.start("{chapter}")')
    if not code or code[-1].source.strip() != f'judge.closing("{chapter}")':
        found.append(f'the last cell is not judge.closing("{chapter}")')
    return found


def _of_cell(cell: Any) -> list[str]:
    found = []
    if not cell.source.strip():
        found.append("empty")
    tags = set(cell.metadata.get("tags", []))
    found += [f"tag {tag}" for tag in sorted(tags - TAGS)]
    magic = re.match(r"%%(\w*)", cell.source)
    if magic and magic[1] not in MAGICS:
        found.append(f"unknown magic %%{magic[1]}")
    if magic and magic[1] == "answer" and "nbval-ignore-output" not in tags:
        found.append("an answer's output is compared")
    if word := BREAKS_NBVAL.search(cell.source):
        found.append(f"{word[1]} breaks nbval")
    for output in cell.outputs:
        found += _of_output(output, compared="nbval-ignore-output" not in tags)
    return found


def _of_output(output: Any, compared: bool) -> list[str]:
    if output.output_type == "error":
        return [f"raised {output.ename}"]
    if output.output_type == "stream":
        fleeting = FLEETING.search(output.text) if compared else None
        return [f"{fleeting[0]} is not the same on each run"] if fleeting else []
    found = []
    data = output.get("data", {})
    if WIDGET in data:
        found.append("a widget's view is stored")
    if any(kind.startswith("image/") for kind in data) and "text/html" not in data:
        found.append("an image without a text twin, which nbval does not compare")
    for kind in ("text/plain", "text/html"):
        fleeting = FLEETING.search("".join(data.get(kind, "")))
        if fleeting:
            found.append(f"{fleeting[0]} in {kind} is not the same on each run")
    return found
