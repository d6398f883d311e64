"""The cost picture: the time that one more token takes, against the length of the answer.

Decoding everything costs more with each token; a window does not, until ids come that never
complete a character; bytes never do. `measure` takes the times, `plot`, `picture` and `as_text` draw.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import matplotlib

from ..messages import DetokenizeMsg
from .managers import new_manager
from .stepper import default_managers
from .still import Still
from .theme import LIGHT
from .visible import pad, width

LENGTHS = (50, 100, 200, 400, 800, 1_600)
NEAR = 25  # tokens before a length whose median stands for it
STYLES = (("-", "o"), ("--", "s"), (":", "^"), ("-.", "D"), ((0, (5, 1, 1, 1)), "v"))


@dataclass(frozen=True)
class Point:
    """The time of one token of one manager, once an answer has a length."""

    manager: str
    length: int  # tokens
    us: float  # microseconds a token


def measure(
    tokenizer: Any,
    ids: Sequence[int],
    managers: Mapping[str, Any] | None = None,
    *,
    lengths: Sequence[int] = LENGTHS,
    budget: float = 2.0,
) -> list[Point]:
    """Time each manager on one request of `ids`, repeated up to the longest length.

    A manager that has used up `budget` seconds stops at the last length it reached. Raises
    ValueError where there is no id to repeat.
    """
    if not ids:
        raise ValueError("ids is empty; give at least one token to repeat")
    ids = (list(ids) * (max(lengths) // len(ids) + 1))[: max(lengths)]
    chosen = default_managers() if managers is None else managers
    return [
        point for name, one in chosen.items() for point in _time(name, one, tokenizer, ids, lengths, budget)
    ]


def _time(
    name: str, manager: Any, tokenizer: Any, ids: list[int], lengths: Sequence[int], budget: float
) -> list[Point]:
    target = new_manager(manager, tokenizer)
    target.detokenize([DetokenizeMsg(0, ids[0], True)])  # what is made once is not counted
    took: list[float] = []
    end = perf_counter() + budget
    for token in ids:
        start = perf_counter()
        target.detokenize([DetokenizeMsg(1, token, False)])
        took.append(perf_counter() - start)
        if perf_counter() > end:
            break
    reached = [length for length in lengths if length <= len(took)]
    return [Point(name, n, median(took[max(0, n - NEAR) : n]) * 1e6) for n in reached]


def _by_manager(points: Sequence[Point]) -> dict[str, list[Point]]:
    names = dict.fromkeys(point.manager for point in points)
    return {name: [point for point in points if point.manager == name] for name in names}


def plot(points: Sequence[Point], title: str = "", axes: Any = None) -> Any:
    """Draw the points with matplotlib, both axes logarithmic; the axes are returned.

    Lines differ in dash and marker and carry their names at their ends.
    """
    if axes is None:
        from matplotlib.figure import Figure

        axes = Figure(figsize=(7.2, 3.8), layout="constrained").subplots()
    ends: list[tuple[float, int, str]] = []
    colours = [LIGHT[name] for name in ("fault", "new", "context", "sent", "soft")]
    for k, (name, line) in enumerate(_by_manager(points).items()):
        dash, marker = STYLES[k % len(STYLES)]
        xs, ys = [point.length for point in line], [point.us for point in line]
        axes.plot(xs, ys, linestyle=dash, marker=marker, color=colours[k % len(colours)], label=name)
        ends.append((ys[-1], xs[-1], name))
    free = 0.0
    for y, x, name in sorted(ends):  # a name moves up where another stands in its place
        free = max(y, free)
        axes.text(x * 1.12, free, name, va="center")
        free *= 1.5
    axes.set(xscale="log", yscale="log", xlabel="tokens of the answer so far", ylabel="µs for the next token")
    axes.set_title(title)
    if points:
        longest = max(point.length for point in points)
        axes.set_xlim(right=longest * 2.6)  # room for the names
        lengths = sorted({point.length for point in points})
        axes.set_xticks(lengths, [str(length) for length in lengths])
        axes.minorticks_off()
    axes.grid(visible=True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def picture(points: Sequence[Point], title: str = "") -> Still:
    """The points as a notebook shows them: the plot, with the table as its text."""
    drawn = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "cost", "svg.fonttype": "none"}):
        plot(points, title).figure.savefig(drawn, format="svg", metadata={"Date": None})
    svg = drawn.getvalue()
    return Still(svg[svg.index("<svg") :], as_text(points))


def as_text(points: Sequence[Point]) -> str:
    """The points as a table of µs a token, and how each manager grew.

    >>> print(as_text([Point("window", 50, 12.0), Point("window", 200, 12.6)]))
    µs a token at    50   200  grew
    window         12.0  12.6  × 1.1
    """
    lengths = sorted({point.length for point in points})
    rows = [["µs a token at", *map(str, lengths), "grew"]]
    for name, line in _by_manager(points).items():
        times = {point.length: point.us for point in line}
        cells = [f"{times[n]:.1f}" if n in times else "–" for n in lengths]
        rows.append([name, *cells, f"× {line[-1].us / line[0].us:.1f}"])
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: list[str], widths: list[int]) -> str:
    name, *numbers, last = row
    right = (f"{number:>{w}}" for number, w in zip(numbers, widths[1:-1], strict=True))
    return "  ".join([pad(name, widths[0]), *right, last]).rstrip()
