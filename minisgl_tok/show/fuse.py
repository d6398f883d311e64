"""The end of a text that may become a stop, as a fuse: it burns on, goes out, or ends the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .marks import fault, page, panel, text, text_words
from .visible import pad, quoted, sentence, visible, width


@dataclass(frozen=True)
class Spark:
    """What one delta did."""

    delta: str
    left: str  # what left with it
    held: str  # what waits: the burning end
    matched: str | None
    state: str  # "quiet", "burns", "goes out", "stop", "ended" or "error"
    error: str | None = None


def run(
    deltas: Sequence[str], stops: Sequence[str], make: Callable[[list[str]], Any] | None = None
) -> list[Spark]:
    """Push deltas through stop strings; the last one finishes. `make` is the package's own if none is given.

    >>> [spark.state for spark in run(["so <", "/b", " </", "s> and"], ["</s>"])]
    ['burns', 'goes out', 'burns', 'stop']
    """
    sparks: list[Spark] = []
    pushed = sent = ""
    try:
        machine = (make or _package_stops())(list(stops))
        for n, delta in enumerate(deltas, start=1):
            left, matched = machine.push(delta, n == len(deltas))
            over = any(spark.matched for spark in sparks)
            pushed, sent = pushed + delta, sent + left
            held = "" if matched or over else pushed[len(sent) :]
            burning = bool(sparks) and sparks[-1].state == "burns"
            state = (
                "ended"
                if over
                else "stop"
                if matched
                else "burns"
                if held
                else "goes out"
                if burning
                else "quiet"
            )
            sparks.append(Spark(delta, left, held, matched, state))
    except Exception as error:  # a reader's own class
        said = f"{type(error).__name__}: {error}"
        sparks.append(
            Spark(deltas[len(sparks)] if len(sparks) < len(deltas) else "", "", "", None, "error", said)
        )
    return sparks


def _package_stops() -> Callable[[list[str]], Any]:
    from .. import stop

    return stop.StopStrings


def _words(spark: Spark, stops: Sequence[str]) -> str:
    if spark.state == "burns":
        ways = [stop for stop in stops if any(spark.held.endswith(stop[:k]) for k in range(1, len(stop)))]
        to = " or ".join(map(quoted, ways)) or "no stop at all"
        return f"the fuse burns: {quoted(spark.held)} may become {to}"
    if spark.state == "stop":
        return f"the fuse is through: {quoted(spark.matched or '')} ends the answer and is not sent"
    said = {
        "quiet": "nothing may become a stop",
        "goes out": "the fuse goes out: what waited leaves",
        "ended": "after the stop nothing leaves",
    }
    return said.get(spark.state, sentence(spark.error or ""))


SIGNS = {"quiet": "·", "burns": "~", "goes out": "×", "stop": "■", "ended": "□", "error": "✗"}


def draw(sparks: Sequence[Spark], stops: Sequence[str], *, style: bool = True) -> str:
    """Each delta as a row: what leaves, what burns, and why."""
    rows = "".join(_row(n, spark, stops) for n, spark in enumerate(sparks, start=1))
    titles = "".join(f"<th>{title}</th>" for title in ("", "delta", "leaves", "held", ""))
    table = f'<table class="list"><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>'
    names = ", ".join(f"“{text(stop)}”" for stop in stops)
    return page(panel("A fuse for each stop", f'<p class="soft">stops: {names}</p>{table}'), style=style)


def _row(n: int, spark: Spark, stops: Sequence[str]) -> str:
    left = f"<mark>{text(spark.left)}</mark>" if spark.left else ""
    held = f'<span class="burn">{text(spark.held)}</span>' if spark.held else ""
    said = fault(spark.error) if spark.error else text_words(f"{SIGNS[spark.state]} {_words(spark, stops)}")
    return f'<tr><td>{n}</td><td>{text(spark.delta)}</td><td>{left}</td><td>{held}</td><td style="white-space:normal">{said}</td></tr>'


def as_text(sparks: Sequence[Spark], stops: Sequence[str]) -> str:
    """The same as lines: delta, what leaves, what is held, and why."""
    rows = [("delta", "leaves", "held", "")]
    rows += [
        (visible(s.delta), visible(s.left), visible(s.held), f"{SIGNS[s.state]} {_words(s, stops)}")
        for s in sparks
    ]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(pad, row, widths)).rstrip() for row in rows)
