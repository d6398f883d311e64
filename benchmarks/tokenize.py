"""How long it takes to tokenize a batch: one call of the library against one for each prompt.

The loop is the one of mini-sglang: for each message the chat template, then
``tokenizer.encode(prompt, return_tensors="pt")``. `TokenizeManager` renders all prompts, then
enters the library once, which leaves out offsets and spreads the prompts over the cores.
Wall time, the median of several rounds taken in turn, in a process that may use one core,
then in one that may use two.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from functools import partial
from typing import Any

from minisgl_tok import SamplingParams, TokenizeManager, TokenizeMsg

from . import report, texts
from .zoo import zoo

ROUNDS = 15
WORK = {  # name -> messages, words of each, whether it is a chat
    "256 prompts of 50 words": (256, 50, False),
    "256 chats of 50 words": (256, 50, True),
    "32 prompts of 2,000 words": (32, 2_000, False),
    "1 prompt of 50 words": (1, 50, False),
}
SHORT, LONG = "256 prompts of 50 words", "32 prompts of 2,000 words"
GOALS = ((1, SHORT, 1.3), (1, LONG, 1.3), (2, SHORT, 2.0), (2, LONG, 2.5))  # cores, work, times faster


def messages(count: int, words: int, chat: bool, *, seed: int = 1) -> list[TokenizeMsg]:
    """Prompts of random words, the same on each run."""
    choose = random.Random(seed)
    known = (texts.ENGLISH + texts.CODE).split() + [str(number) for number in range(0, 1_000, 37)]
    msgs: list[TokenizeMsg] = []
    for uid in range(count):
        text: Any = " ".join(choose.choices(known, k=words))
        text = [{"role": "user", "content": text}] if chat else text
        msgs.append(TokenizeMsg(uid, text, SamplingParams()))
    return msgs


def loop(tokenizer: Any, msgs: list[TokenizeMsg]) -> list[Any]:
    """One message after the other, as mini-sglang has it."""
    import torch

    tensors = []
    for msg in msgs:
        prompt = msg.text
        if not isinstance(prompt, str):
            prompt = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
        tensors.append(tokenizer.encode(prompt, return_tensors="pt").flatten().to(torch.int32))
    return tensors


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each work: milliseconds of the loop and of the manager, and the ratio."""
    tokenizer = zoo("qwen3")
    manager = TokenizeManager(tokenizer)
    rows = []
    for work, (count, words, chat) in WORK.items():
        msgs = messages(count, words, chat)
        same = [a.tolist() for a in loop(tokenizer, msgs)] == [b.tolist() for b in manager.tokenize(msgs)]
        both = partial(loop, tokenizer, msgs), partial(manager.tokenize, msgs)
        spent: list[list[float]] = [[], []]
        for _ in range(rounds):
            for task, times in zip(both, spent, strict=True):
                start = time.perf_counter()
                task()
                times.append(time.perf_counter() - start)
        slow, fast = (statistics.median(times) * 1e3 for times in spent)
        rows.append(
            {
                "work": work,
                "loop_ms": round(slow, 3),
                "manager_ms": round(fast, 3),
                "ratio": round(slow / fast, 2),
                "same_ids": same,
            }
        )
    return rows


def measured_on(cores: int, rounds: int) -> list[dict[str, Any]]:
    """`measure` in a process that may use so many cores."""
    environment = os.environ | {"RAYON_NUM_THREADS": str(cores), "TOKENIZERS_PARALLELISM": "true"}
    command = [sys.executable, "-m", "benchmarks.tokenize", "--measure", str(cores), str(rounds)]
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [{"cores": cores, **row} for row in json.loads(result.stdout)]


def keep_to(cores: int) -> None:
    """Use so many cores and no more, where the system can say so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def goals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was aimed at, what was reached, and whether that is enough."""
    ratios = {(row["cores"], row["work"]): row["ratio"] for row in rows}
    return [
        {
            "goal": f"times faster than the loop, {work}, {'one core' if cores == 1 else f'{cores} cores'}",
            "target": target,
            "value": ratios[cores, work],
            "met": ratios[cores, work] >= target,
        }
        for cores, work, target in GOALS
        if (cores, work) in ratios
    ]


def main(argv: list[str] | None = None) -> int:
    parser = report.parser("tokenize", __doc__.splitlines()[0])
    parser.add_argument("--measure", nargs=2, type=int, help=argparse.SUPPRESS)  # a child: cores, rounds
    args = parser.parse_args(argv)
    if args.measure:
        cores, rounds = args.measure
        keep_to(cores)
        print(json.dumps(measure(rounds)))
        return 0
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cores = [1] if args.quick or usable == 1 else [1, 2]
    rows = [row for count in cores for row in measured_on(count, 1 if args.quick else ROUNDS)]
    results: dict[str, Any] = {"machine": report.machine(), "rows": rows, "goals": goals(rows)}
    report.show(
        "qwen3: milliseconds a batch",
        ["work", "cores", "loop", "TokenizeManager", "times faster", "same ids"],
        [
            [
                row["work"],
                str(row["cores"]),
                f"{row['loop_ms']:.2f}",
                f"{row['manager_ms']:.2f}",
                f"{row['ratio']:.2f}",
                "yes" if row["same_ids"] else "NO",
            ]
            for row in rows
        ],
    )
    report.show_goals(results["goals"])
    report.save(results, report.target("tokenize", args))
    same = all(row["same_ids"] for row in rows)
    met = args.quick or all(goal["met"] for goal in results["goals"])
    return 0 if same and met else 1


if __name__ == "__main__":
    sys.exit(main())
