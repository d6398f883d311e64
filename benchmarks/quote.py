"""The README's tables on speed and faults, written from the saved results.

``python -m benchmarks.quote`` puts them between the two markers of the README; a test keeps
them equal to the results.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from . import report
from .conformance import FAULTS
from .detokenize import EXACT, FLOOR, mean_us

BEGIN, END = "<!-- speed:begin -->", "<!-- speed:end -->"
README = Path(__file__).parent.parent / "README.md"
CALLED = {
    FLOOR: "a list of texts, wrong on half characters",
    "WholeDetokenizer": "`WholeDetokenizer`",
    EXACT: "**`ExactDetokenizeManager`**",
    "SafeDetokenizeManager": "`SafeDetokenizeManager`",
    "DetokenizeManager": "`DetokenizeManager`, mini-sglang's window",
    "DecodeStream": "`DecodeStream` of tokenizers",
    "TextStreamer": "`TextStreamer` of transformers",
}


def results(name: str) -> Any:
    """Saved results by the name of their command."""
    return json.loads((report.RESULTS / f"{name}.json").read_text("utf-8"))


def number(value: float) -> str:
    """A figure with as many digits as it deserves.

    >>> number(0.0153), number(0.25), number(14.73), number(1958.2)
    ('0.015', '0.25', '14.7', '1,958')
    """
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def speed_table(measured: dict[str, Any]) -> list[str]:
    """Microseconds a token and how many times the exact manager's, for the first tokenizer."""
    name, batches = measured["tokenizers"][0], measured["batches"]
    rows = measured["speed"]
    grown = {row["who"]: row for row in measured["growth"] if row["tokenizer"] == name}
    lines = [
        "| µs of CPU time a token | "
        + " | ".join(f"batch {batch:,}" for batch in batches)
        + " | on ids that never complete |",
        "| --- |" + " ---: |" * (len(batches) + 1),
    ]
    for who in dict.fromkeys(row["who"] for row in rows):
        cells = []
        for batch in batches:
            us, own = mean_us(rows, who, name, batch), mean_us(rows, EXACT, name, batch)
            times = "" if who == EXACT else f" ({number(us / own)} ×)"
            cells.append(number(us) + times)
        lines.append(f"| {CALLED[who]} | " + " | ".join(cells) + f" | {growth(grown.get(who))} |")
    return lines


def growth(row: dict[str, Any] | None) -> str:
    """First and last figure of a growth, and the number of ids at which they were read."""
    if row is None:
        return ""
    (first, early), (last, late) = row["points"][0], row["points"][-1]
    stopped = ", stopped" if row["stopped_at"] else ""
    return f"{number(early)} → {number(late)} (id {first:,} → {last:,}{stopped})"


def fault_table(rows: list[dict[str, Any]]) -> list[str]:
    """How many cases each gets right, and the faults of the others."""
    lines = [
        "| cases | right | " + " | ".join(FAULTS) + " | most messages late |",
        "| --- |" + " ---: |" * (len(FAULTS) + 2),
    ]
    for who in dict.fromkeys(row["manager"] for row in rows):
        own = [row for row in rows if row["manager"] == who]
        right, cases = sum(row["right"] for row in own), sum(row["cases"] for row in own)
        faults = [f"{sum(row[fault] for row in own):,}" for fault in FAULTS]
        latest = max(row["late_max"] for row in own)
        lines.append(f"| {CALLED[who]} | {right:,} of {cases:,} | " + " | ".join(faults) + f" | {latest} |")
    return lines


def batch_sentence(measured: dict[str, Any]) -> str:
    """What one call of the library is worth to the tokenizing side."""
    rows = [row for row in measured["rows"] if row["work"].startswith(("256 prompts", "32"))]
    cores = {1: "one core", 2: "two cores"}
    parts = [f"{row['ratio']:.1f} × on {row['work']} ({cores[row['cores']]})" for row in rows]
    return f"`TokenizeManager` against one `encode` a message: {', '.join(parts)}."


def text() -> str:
    """All that stands between the markers."""
    measured, judged, tokenized = results("detokenize"), results("conformance"), results("tokenize")
    kinds = ", ".join(dict.fromkeys(row["kind"] for row in measured["speed"]))
    tokenizers = ", ".join(dict.fromkeys(row["tokenizer"] for row in judged))
    sections = [
        [
            "How fast and how right it is, beside two streamers in wide use (`python -m benchmarks.detokenize`,"
            " `benchmarks.conformance` and `benchmarks.tokenize` measure it anew):"
        ],
        speed_table(measured),
        [
            f"Mean of {kinds} with {measured['tokenizers'][0]}; in brackets, times the exact manager's."
            f" {report.machine_text(measured['machine'])}. A quiet request takes"
            f" {number(max(measured['state_bytes'].values()))} bytes of state."
        ],
        fault_table(judged),
        [f"Twelve kinds of input with {tokenizers}; a case is counted by its first fault."],
        [batch_sentence(tokenized)],
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def quoted(page: str) -> str:
    """A page with the text between its markers. Raises ValueError where it has none."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"the page needs one {BEGIN} and behind it one {END}")
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{text()}\n{END}{rest.partition(END)[2]}"


def main() -> int:
    README.write_text(quoted(README.read_text("utf-8")), "utf-8")
    print(f"{README.name}: written from benchmarks/results")
    return 0


if __name__ == "__main__":
    sys.exit(main())
