"""Right or wrong: every manager and two peers on every kind of input, judged by the bytes.

A case is one request: its tokens, cut into calls, the last one finished. Each message's text
is compared with what must have left by then (`truth`). The first fault of a case is counted:

* lost    text was skipped, or never left
* twice   text left that had left before
* early   U+FFFD left where a character was still to come, or where the bytes have fewer of it
* extra   text left that nobody should see, or that no token wrote
* raised  the call raised an exception

Late is counted in messages: how long text stayed after the message that completed it.
All get the same calls. Peers take a token at a time, so theirs are taken apart for them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from minisgl_tok import DetokenizeMsg, UnsupportedTokenizer

from . import report
from .cases import Calls, Source
from .streamers import managers
from .truth import Truth
from .zoo import available

CASES = 120  # of each kind, for each tokenizer
FAULTS = ("lost", "twice", "early", "extra", "raised")
EXACT = "ExactDetokenizeManager"


# ------------------------------------------------------------------ judging


@dataclass
class Cell:
    """One manager on one kind of input with one tokenizer."""

    manager: str
    kind: str
    tokenizer: str
    cases: int = 0
    right: int = 0
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    late: list[int] = field(default_factory=list)  # messages, for each message

    def row(self) -> dict[str, Any]:
        mean = sum(self.late) / len(self.late) if self.late else 0.0
        return {
            "manager": self.manager,
            "kind": self.kind,
            "tokenizer": self.tokenizer,
            "cases": self.cases,
            "right": self.right,
            **self.faults,
            "late_mean": round(mean, 4),
            "late_max": max(self.late, default=0),
        }


def sent(manager: Any, calls: Calls, uid: int) -> list[str] | None:
    """The text of each message of a request, or None where a call raised."""
    deltas: list[str] = []
    for number, call in enumerate(calls, start=1):
        finished = [number == len(calls) and n == len(call) for n in range(1, len(call) + 1)]
        msgs = [DetokenizeMsg(uid, token, last) for token, last in zip(call, finished, strict=True)]
        try:
            deltas += manager.detokenize(msgs)
        except Exception:  # whatever it is, it is a fault of the one that raised it
            return None
    return deltas


def first_fault(deltas: list[str], whole: str) -> str | None:
    """The first fault of a request's deltas; `whole` is what they must add up to.

    >>> first_fault(["a", "bc"], "abc"), first_fault(["ab", "b"], "abc"), first_fault(["a", "c"], "abc")
    (None, 'twice', 'lost')
    """
    at = 0
    for delta in deltas:
        if whole[at : at + len(delta)] == delta:
            at += len(delta)
            continue
        right = next(n for n in range(len(delta)) if whole[at + n : at + n + 1] != delta[n])
        wrong, at = delta[right:], at + right
        if wrong[0] == "\ufffd":
            return "early"
        if any(whole.startswith(wrong, start) for start in range(at)):
            return "twice"
        return "lost" if whole.find(wrong, at) >= 0 else "extra"
    return None if at == len(whole) else "lost"


def lateness(deltas: list[str], due: list[str]) -> list[int]:
    """For each message how many more it took until all that was due with it had left.

    >>> lateness(["", "a", "b"], ["a", "a", "ab"])
    [1, 0, 0]
    """
    lengths: list[int] = []
    for delta in deltas:
        lengths.append((lengths[-1] if lengths else 0) + len(delta))
    waits = []
    for number, text in enumerate(due):
        waits.append(next((n - number for n in range(number, len(lengths)) if lengths[n] >= len(text)), 0))
    return waits


def judge(cell: Cell, manager: Any, calls: Calls, truth: Truth) -> None:
    """Count one case. Lateness counts where nothing else is wrong."""
    tokens = [token for call in calls for token in call]
    deltas = sent(manager, calls, uid=cell.cases)
    fault = "raised" if deltas is None else first_fault(deltas, truth.text(tokens))
    cell.cases += 1
    if fault is None and deltas is not None:
        cell.right += 1
        cell.late += lateness(deltas, truth.so_far([[token] for token in tokens]))
    elif fault is not None:
        cell.faults[fault] += 1


def run(names: list[str], cases: int) -> list[dict[str, Any]]:
    """A row for each manager, kind and tokenizer."""
    rows = []
    for name in names:
        source = Source(name)
        for kind, stream in source.kinds().items():
            chosen = [next(stream) for _ in range(cases)]
            for manager_name, make in managers().items():
                cell = Cell(manager_name, kind, name)
                try:
                    make(source.tokenizer)
                except UnsupportedTokenizer:
                    continue
                for calls in chosen:
                    judge(cell, make(source.tokenizer), calls, source.truth)
                rows.append(cell.row())
    return rows


def smallest_fault(name: str, manager: str) -> tuple[list[int], list[str] | None, str] | None:
    """The shortest stream of ids that Hypothesis finds a fault on: ids, deltas, what is right.

    None where it finds none.
    """
    from hypothesis import find, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample

    source = Source(name)
    make = managers()[manager]
    ids = st.one_of(st.sampled_from(source.unfinished), st.integers(0, source.size - 1))

    def deltas_of(tokens: list[int]) -> list[str] | None:
        return sent(make(source.tokenizer), [[token] for token in tokens], uid=1)

    def wrong(tokens: list[int]) -> bool:
        deltas = deltas_of(tokens)
        return deltas is None or first_fault(deltas, source.truth.text(tokens)) is not None

    try:
        limits = settings(derandomize=True, database=None, max_examples=300, deadline=None)
        tokens = find(st.lists(ids, min_size=1, max_size=12), wrong, settings=limits)
    except NoSuchExample:
        return None
    return tokens, deltas_of(tokens), source.truth.text(tokens)


# ------------------------------------------------------------------ the command


def tables(rows: list[dict[str, Any]]) -> None:
    """Print how many are right by manager and kind, then the faults by manager."""
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    names = list(dict.fromkeys(row["manager"] for row in rows))

    def total(key: str, **where: str) -> int:
        return sum(row[key] for row in rows if all(row[name] == value for name, value in where.items()))

    def share(**where: str) -> str:
        return f"{100 * total('right', **where) / total('cases', **where):.0f} %"

    report.show(
        "Cases that are right",
        ["kind of input", *names],
        [[kind, *(share(manager=name, kind=kind) for name in names)] for kind in kinds],
    )
    late = {name: [row for row in rows if row["manager"] == name] for name in names}
    report.show(
        "Faults, and messages late where the text is right",
        ["manager", "cases", "right", *FAULTS, "late, mean", "late, max"],
        [
            [
                name,
                *(str(total(key, manager=name)) for key in ("cases", "right", *FAULTS)),
                f"{sum(row['late_mean'] for row in late[name]) / len(late[name]):.2f}",
                str(max(row["late_max"] for row in late[name])),
            ]
            for name in names
        ],
    )


def smallest_table(names: list[str]) -> None:
    """Print the shortest stream that breaks each manager."""
    rows = []
    for name in names:
        for manager in managers():
            ids, deltas, right = smallest_fault(name, manager) or ("none found", "", "")
            rows.append([manager, name, str(ids), ascii(deltas), ascii(right)])
    report.show("The shortest stream that goes wrong", ["manager", "tokenizer", "ids", "sent", "right"], rows)


def main(argv: list[str] | None = None) -> int:
    parser = report.parser("conformance", __doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, help=f"of each kind, for each tokenizer (default: {CASES})")
    parser.add_argument("--tokenizers", nargs="+", choices=available(), help="default: all of these")
    parser.add_argument(
        "--shrink", action="store_true", help="only show the shortest stream that breaks each"
    )
    args = parser.parse_args(argv)
    names = args.tokenizers or (["qwen3", "toy"] if args.quick else available())
    if args.shrink:
        smallest_table(names)
        return 0
    rows = run(names, args.cases or (5 if args.quick else CASES))
    tables(rows)
    report.save(rows, report.target("conformance", args))
    wrong = sum(row["cases"] - row["right"] + row["late_max"] for row in rows if row["manager"] == EXACT)
    print(f"{EXACT}: no fault in any cell." if not wrong else f"{EXACT}: FAULTS, see above.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
