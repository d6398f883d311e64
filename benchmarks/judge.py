"""How long the judge takes: one verdict once it is warm, all exercises, and the course's check of itself.

Wall time. A verdict is measured as a cell has it: from the source to the verdict, an exercise's
cases, fixed and fresh, included. The median of several rounds and the slowest exercise.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from practice.engine import overlay, selfcheck
from practice.engine.verdict import Judge
from practice.exercise import exercise_ids, load

from . import report

ROUNDS = 5
ONE, ALL, CHECK = 0.5, 10.0, 60.0  # seconds: the goals


def seconds(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def measure(rounds: int) -> dict[str, Any]:
    """All figures, in seconds."""
    sources = {id_: overlay.reference_source(load(id_)) for id_ in exercise_ids()}
    wrong = {
        id_: load(id_).wrong[0].source(load(id_), source)
        for id_, source in sources.items()
        if load(id_).wrong
    }
    with Judge() as judge:
        started = seconds(lambda: (judge.warm(list(sources)), judge.client.wait_until_ready()))
        judge_all = seconds(lambda: [judge.judge(id_, source) for id_, source in sources.items()])
        right = {id_: _median(judge, id_, source, rounds) for id_, source in sources.items()}
        failing = {id_: _median(judge, id_, source, rounds) for id_, source in wrong.items()}
        checked = selfcheck.check(judge=judge)
    for problem in checked.problems:
        print("problem:", *problem, file=sys.stderr)
    return {
        "machine": report.machine(),
        "started": round(started, 2),
        "a right answer": round(statistics.median(right.values()), 3),
        "a wrong answer": round(statistics.median(failing.values()), 3),
        "the slowest verdict": [max(right, key=right.__getitem__), round(max(right.values()), 3)],
        "all exercises": [len(sources), round(judge_all, 2)],
        "the check": [checked.exercises, checked.wrong_answers, round(checked.seconds, 1)],
    }


def _median(judge: Judge, id_: str, source: str, rounds: int) -> float:
    return statistics.median(judge.judge(id_, source).seconds for _ in range(rounds))


def main() -> int:
    """Prints the figures with their goals; exit status 1 where one is missed."""
    args = report.parser("judge", __doc__ or "").parse_args()
    found = measure(1 if args.quick else ROUNDS)
    slowest, all_, check = found["the slowest verdict"], found["all exercises"], found["the check"]
    lines = [
        ("ready for the first answer", found["started"], None),
        ("a right answer, median", found["a right answer"], ONE),
        ("a wrong answer, median", found["a wrong answer"], ONE),
        (f"the slowest right one ({slowest[0]})", slowest[1], ONE),
        (f"all {all_[0]} exercises", all_[1], ALL),
        (f"the check: {check[0]} exercises, {check[1]} wrong answers", check[2], CHECK),
    ]
    for what, took, goal in lines:
        verdict = "" if goal is None else f"   goal {goal:g} s: {'met' if took <= goal else 'MISSED'}"
        print(f"{what:48} {took:7.3f} s{verdict}")
    report.save(found, report.target("judge", args))
    return 0 if all(goal is None or took <= goal for _, took, goal in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
