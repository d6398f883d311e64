"""What the three commands share: where results lie, what ran, and how a table is printed."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
LIBRARIES = ("tokenizers", "transformers", "torch")


def parser(name: str, what: str) -> argparse.ArgumentParser:
    """The options of every command. A quick run is saved only where `--out` says so."""
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=what)
    made.add_argument("--quick", action="store_true", help="a few seconds instead of a few minutes")
    made.add_argument("--out", type=Path, help=f"where to save (default: benchmarks/results/{name}.json)")
    return made


def target(name: str, args: argparse.Namespace) -> Path | None:
    """The file for the results, or None where a quick run shall not replace a full one."""
    return args.out or (None if args.quick else RESULTS / f"{name}.json")


def save(results: Any, file: Path | None) -> None:
    """Write results as JSON; a row of a list takes one line, so that a change reads well."""
    if file is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_lines(results) + "\n", "utf-8")


def _lines(value: Any, indent: str = "") -> str:
    if isinstance(value, dict) and any(isinstance(inner, (dict, list)) for inner in value.values()):
        inner = (f"{indent} {json.dumps(key)}: {_lines(value[key], indent + ' ')}" for key in value)
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        return "[\n" + ",\n".join(f"{indent} {_lines(row, indent + ' ')}" for row in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def machine() -> dict[str, Any]:
    """The machine in general words: what a reader needs to compare, and nothing that names it."""
    versions = {library: importlib.metadata.version(library) for library in LIBRARIES}
    return {
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **versions,
    }


def machine_text(ran: dict[str, Any]) -> str:
    """One line on the machine that a result was measured on."""
    libraries = ", ".join(f"{name} {ran[name].split('+')[0]}" for name in LIBRARIES)
    return f"{ran['cpus']} CPUs, {ran['system']}, Python {ran['python']}, {libraries}"


def show(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a table; the first column is text, the others are numbers."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    Console(width=sum(width + 3 for width in widths) + 1).print(table, soft_wrap=True)


def show_goals(goals: list[dict[str, Any]]) -> None:
    """Print what was aimed at and what was reached."""
    lines = [
        [goal["goal"], f"{goal['target']:g}", f"{goal['value']:g}", "yes" if goal["met"] else "NO"]
        for goal in goals
    ]
    show("Goals", ["goal", "target", "reached", "met"], lines)
