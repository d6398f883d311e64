"""What was expected beside what was given, message by message, as HTML and as plain text.

A row is a dict: ``token`` (None for none), ``bytes`` (hex), ``offsets`` (a tuple of surr,
read and sent, or None) and ``delta``. Rows that are missing on one side are shown as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .marks import page, text
from .visible import pad, visible, width

Row = dict[str, Any]
MISSING: Row = {"missing": True}


def first_difference(expected: Sequence[Row], given: Sequence[Row]) -> int | None:
    """The place of the first row that differs in offsets or delta; None where none does.

    >>> first_difference([{"offsets": None, "delta": ""}], [{"offsets": None, "delta": "�"}])
    0
    """
    pairs = _pairs(expected, given)
    return next((n for n, (want, got) in enumerate(pairs) if _outcome(want) != _outcome(got)), None)


def _outcome(row: Row) -> tuple[Any, ...]:
    return ("missing",) if row is MISSING else (_offsets(row), row.get("delta"))


def _pairs(expected: Sequence[Row], given: Sequence[Row]) -> list[tuple[Row, Row]]:
    longest = max(len(expected), len(given))
    filled = [list(rows) + [MISSING] * (longest - len(rows)) for rows in (expected, given)]
    return list(zip(*filled, strict=True))


def _offsets(row: Row) -> tuple[Any, ...] | None:
    offsets = row.get("offsets")
    return None if offsets is None else tuple(offsets) if isinstance(offsets, (tuple, list)) else (offsets,)


def _delta(row: Row) -> str:
    """A delta as one reads it: made visible, "nothing" for "", the value itself for no text."""
    if row is MISSING:
        return "no answer"
    delta = row.get("delta", "")
    if not isinstance(delta, str):
        return visible(repr(delta)[:60])
    return visible(delta) if delta else "nothing"


def _head(want: Row, got: Row) -> tuple[str, str]:
    known = got if want is MISSING else want
    token, data = known.get("token"), known.get("bytes")
    hexes = data.hex(" ") if isinstance(data, bytes) else data or ""
    return "" if token is None else str(token), str(hexes)


# ------------------------------------------------------------------ HTML


def compare_html(
    rows_expected: Sequence[Row], rows_given: Sequence[Row], first: int | None = None, *, style: bool = True
) -> str:
    """The two as a table; what differs is underlined twice, row `first` is marked."""
    pairs = _pairs(rows_expected, rows_given)
    first = first_difference(rows_expected, rows_given) if first is None else first
    offsets = any(_offsets(row) is not None for pair in pairs for row in pair)
    middle = ["surr·read·sent, expected", "yours"] if offsets else []
    titles = ["", "token", "bytes", *middle, "delta, expected", "yours"]
    body = "".join(_html_row(n, want, got, offsets, n == first) for n, (want, got) in enumerate(pairs))
    head = "".join(f"<th>{title}</th>" for title in titles)
    return page(
        f'<table class="list"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>', style=style
    )


def _html_row(n: int, want: Row, got: Row, offsets: bool, now: bool) -> str:
    token, data = _head(want, got)
    cells = [f"{'▸' if now else ''}{n + 1}", f"<code>{escape(token)}</code>", f"<code>{escape(data)}</code>"]
    if offsets:
        cells += [_html_offsets(_offsets(want), None), _html_offsets(_offsets(got), _offsets(want))]
    differs = _outcome(want)[-1] != _outcome(got)[-1]
    cells += [
        _html_delta(want),
        f'<mark class="bad">{_html_delta(got)}</mark>' if differs else _html_delta(got),
    ]
    return f'<tr class="{"now" if now else ""}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _html_offsets(offsets: tuple[Any, ...] | None, wanted: tuple[Any, ...] | None) -> str:
    if offsets is None:
        return "" if wanted is None else '<mark class="bad">none</mark>'
    cells = []
    for place, offset in enumerate(offsets):
        shown = escape(visible(str(offset))[:20])
        differs = wanted is not None and (place >= len(wanted) or wanted[place] != offset)
        cells.append(f'<mark class="bad">{shown}</mark>' if differs else shown)
    return "<code>" + "·".join(cells) + "</code>"


def _html_delta(row: Row) -> str:
    delta = row.get("delta", "")
    if row is MISSING or delta == "" or not isinstance(delta, str):
        return f'<span class="soft">{escape(_delta(row))}</span>'
    return text(delta)


# ------------------------------------------------------------------ plain text


def compare_text(rows_expected: Sequence[Row], rows_given: Sequence[Row], first: int | None = None) -> str:
    """The same in aligned columns: ▸ marks row `first`, ≠ what differs."""
    pairs = _pairs(rows_expected, rows_given)
    first = first_difference(rows_expected, rows_given) if first is None else first
    offsets = any(_offsets(row) is not None for pair in pairs for row in pair)
    middle = ["surr·read·sent", "expected"] if offsets else []
    rows = [["", "token", "bytes", *middle, "delta", "expected"]]
    for n, (want, got) in enumerate(pairs):
        row = ["▸" if n == first else "", *_head(want, got)]
        if offsets:
            row += _two(_text_offsets(got), _text_offsets(want))
        rows.append(row + _two(_delta(got), _delta(want)))
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(pad, row, widths)).rstrip() for row in rows)


def _two(got: str, want: str) -> list[str]:
    return [got if got == want else f"≠ {got}", want]


def _text_offsets(row: Row) -> str:
    offsets = _offsets(row)
    return "" if offsets is None else "·".join(visible(str(offset))[:20] for offset in offsets)
