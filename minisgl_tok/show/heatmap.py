"""The heat map: how many cases each manager gets right, by kind of input.

Rows are dicts as `benchmarks.conformance` saves them: manager, kind, cases, right, lost,
twice, early, late_mean, late_max. Rows of the same manager and kind (of several tokenizers,
say) are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from .marks import page, panel
from .visible import pad, width

FAULTS = ("lost", "twice", "early")
SHADES = "·░▒▓█"  # from no fault to all cases wrong, for the eye that sees no colour


@dataclass
class Cell:
    """One manager on one kind of input."""

    cases: int = 0
    right: int = 0
    lost: int = 0
    twice: int = 0
    early: int = 0
    late: float = 0.0  # messages late, summed over cases
    late_max: float = 0.0

    def add(self, row: Mapping[str, Any]) -> None:
        for name in ("cases", "right", *FAULTS):
            setattr(self, name, getattr(self, name) + int(row.get(name, 0)))
        self.late += float(row.get("late_mean", 0)) * int(row.get("cases", 0))
        self.late_max = max(self.late_max, float(row.get("late_max", 0)))

    @property
    def wrong(self) -> int:
        return self.cases - self.right

    @property
    def shade(self) -> str:
        """A sign that is darker the more cases are wrong; no fault has one of its own."""
        if not self.wrong:
            return SHADES[0]
        return SHADES[min(4, 1 + 4 * self.wrong // max(1, self.cases))]

    def words(self) -> str:
        """All that is known, in words."""
        if not self.cases:
            return "not tried"
        late = (
            f"; late by {self.late / self.cases:.2f} messages on average, {self.late_max:g} at most"
            * bool(self.late_max)
        )
        if not self.wrong:
            return f"all {self.cases} right{late}"
        kinds = ", ".join(f"{name} {getattr(self, name)}" for name in FAULTS if getattr(self, name))
        return f"{self.wrong} of {self.cases} wrong{': ' * bool(kinds)}{kinds}{late}"


def cells(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Cell]:
    """The cell of each (kind, manager), in the order in which they first appear."""
    found: dict[tuple[str, str], Cell] = {}
    for row in rows:
        found.setdefault((str(row["kind"]), str(row["manager"])), Cell()).add(row)
    return found


def _axes(found: Mapping[tuple[str, str], Cell]) -> tuple[list[str], list[str]]:
    return list(dict.fromkeys(kind for kind, _ in found)), list(dict.fromkeys(name for _, name in found))


def heatmap_html(rows: Iterable[Mapping[str, Any]], *, style: bool = True) -> str:
    """The map as a table: a shade, the number of wrong cases, and its kinds."""
    found = cells(rows)
    kinds, names = _axes(found)
    head = "".join(f"<th>{escape(title)}</th>" for title in ("kind of input", *names))
    body = "".join(
        f"<tr><th>{escape(kind)}</th>{''.join(_cell(found.get((kind, name), Cell())) for name in names)}</tr>"
        for kind in kinds
    )
    total = "".join(f"<td>{_total(found, name)}</td>" for name in names)
    table = (
        f'<table class="list heat"><thead><tr>{head}</tr></thead>'
        f'<tbody>{body}<tr class="end"><th>all kinds</th>{total}</tr></tbody></table>'
    )
    key = '<div class="key">✓ all cases right · else how many are wrong, and how: lost, sent twice, U+FFFD sent early · late: messages behind, at most</div>'
    return page(panel("Wrong cases, by manager and kind of input", table + key), style=style)


def _cell(cell: Cell) -> str:
    if not cell.cases:
        return '<td class="faint">–</td>'
    late = f' <span class="soft">late {cell.late_max:g}</span>' if cell.late_max else ""
    about = f' title="{escape(cell.words())}"'
    if not cell.wrong:
        return f'<td class="heat0"{about}><b class="ok">✓</b>{late}</td>'
    share = min(4, 1 + 4 * cell.wrong // cell.cases)
    kinds = [f"{name} {getattr(cell, name)}" for name in FAULTS if getattr(cell, name)]
    kinds += [f"late {cell.late_max:g}"] * bool(cell.late_max)
    return (
        f'<td class="heat{share}"{about}><span class="mono">{cell.shade}</span> <b>{cell.wrong}</b> of {cell.cases}'
        f"<br><small>{' · '.join(kinds)}</small></td>"
    )


def _total(found: Mapping[tuple[str, str], Cell], name: str) -> str:
    mine = [cell for (_, manager), cell in found.items() if manager == name]
    wrong, cases = sum(cell.wrong for cell in mine), sum(cell.cases for cell in mine)
    return f"<b>✗ {wrong} of {cases}</b>" if wrong else f'<b class="ok">✓ all {cases}</b>'


def heatmap_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """The map in plain text: a shade and the number of wrong cases; then each in words."""
    found = cells(rows)
    kinds, names = _axes(found)
    lines = [["kind of input", *names]]
    for kind in kinds:
        row = (found.get((kind, name), Cell()) for name in names)
        lines.append([kind, *(f"{cell.shade} {cell.wrong}" if cell.cases else "–" for cell in row)])
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    table = ["  ".join(map(pad, line, widths)).rstrip() for line in lines]
    faults = [f"{name}, {kind}: {cell.words()}" for (kind, name), cell in found.items() if cell.wrong]
    return "\n".join([*table, f"{SHADES[0]} none wrong, {SHADES[4]} nearly all", *faults])
