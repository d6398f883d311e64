"""How much time a token costs: the package's managers beside two streamers in wide use.

One run, the same tokens for all. A step brings one token of each of 1, 32, 256 or 1,024
requests that are already open. The package's managers get a list of `DetokenizeMsg`; `DecodeStream` and
`TextStreamer` serve one request each, so theirs are called in a loop, as their users do.
Messages and tensors are made before the clock starts. What is reported is the median of
several rounds, in microseconds of CPU time a token, all threads counted.

The floor is `[texts[token] for token in tokens]`: a table look-up, wrong on every character
of several tokens. On ids that never complete a character the cost must not grow; whoever
grows too slow is stopped, and the table says where.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

from minisgl_tok import DetokenizeMsg, ExactDetokenizeManager
from minisgl_tok.exact import build_table

from . import report, texts
from .contenders import EXACT, FLOOR, STREAM, WINDOW, Run, Steps, contenders
from .zoo import available, zoo

BATCHES = (1, 32, 256, 1_024)
ROUNDS = 5
WARM = 16  # steps before the clock starts: requests are opened, and caches as full as in use
TOKENS = 12_288  # of one kind in one round, about
NEVER = 20_000  # ids that never complete a character
CHUNK = 200  # ids of one figure of the growth
MARKS = (200, 1_000, 5_000, 10_000, NEVER)  # where the growth is read
PATIENCE = 4.0  # seconds of CPU time for one contender's growth

# ------------------------------------------------------------------ speed


def steps_of(tokenizer: Any, text: str, batch: int, tokens: int) -> Steps:
    """Steps for a batch: all requests stream the text, each from another place in it."""
    ids = tokenizer.encode(text, add_special_tokens=False)
    count = WARM + max(8, tokens // batch)
    return [[ids[(step + 7 * uid) % len(ids)] for uid in range(batch)] for step in range(count)]


def cpu_time(task: Callable[[], Any]) -> float:
    """Seconds of CPU time, collecting no garbage meanwhile."""
    gc.disable()
    start = time.process_time()
    task()
    spent = time.process_time() - start
    gc.enable()
    return spent


def time_a_token(prepare: Callable[[Any, Steps], Run], tokenizer: Any, steps: Steps) -> float:
    """Seconds of CPU time a token, behind the first steps."""
    run, calls = prepare(tokenizer, steps)
    timed = calls[WARM:]
    run(calls[:WARM])
    return cpu_time(partial(run, timed)) / (len(timed) * len(steps[0]))


def speed(name: str, *, batches: tuple[int, ...], rounds: int, tokens: int) -> list[dict[str, Any]]:
    """A row for each contender, batch and kind of text; rounds are taken in turn."""
    tokenizer = zoo(name)
    rows = []
    for batch in batches:
        for kind, text in texts.SPEED.items():
            steps = steps_of(tokenizer, text, batch, tokens)
            spent: dict[str, list[float]] = {who: [] for who in contenders()}
            for _ in range(rounds):
                gc.collect()
                for who, prepare in contenders().items():
                    spent[who].append(time_a_token(prepare, tokenizer, steps))
            for who, times in spent.items():
                us = round(statistics.median(times) * 1e6, 4)
                rows.append({"who": who, "tokenizer": name, "batch": batch, "kind": kind, "us": us})
    return rows


def growth(name: str, *, never: int, patience: float) -> list[dict[str, Any]]:
    """Microseconds a token at each mark, for one request whose ids never complete a character.

    A figure is that of the `CHUNK` ids before the mark. Who takes more than `patience`
    seconds in all is stopped; its last point says where.
    """
    tokenizer = zoo(name)
    lone = next(token for token, entry in enumerate(build_table(tokenizer)) if entry == b"\xf0")
    rows = []
    for who, prepare in contenders().items():
        if who == FLOOR:
            continue
        run, calls = prepare(tokenizer, [[lone]] * CHUNK)
        points: list[list[float]] = []
        done, spent = 0, 0.0
        while done < never and spent < patience:
            seconds = cpu_time(partial(run, calls))  # it goes on where it ended
            done, spent = done + CHUNK, spent + seconds
            if done in MARKS or done >= never or spent >= patience:
                points.append([done, round(seconds / CHUNK * 1e6, 3)])
        rows.append(
            {"who": who, "tokenizer": name, "points": points, "stopped_at": done if done < never else None}
        )
    return rows


# ------------------------------------------------------------------ table and state


def table_seconds(name: str) -> float:
    """Seconds of CPU time to build the table, the median of three."""
    tokenizer = zoo(name)
    return round(statistics.median(cpu_time(lambda: build_table(tokenizer)) for _ in range(3)), 3)


def state_bytes(name: str, requests: int = 10_000) -> float:
    """Bytes that an open request takes while no character is open."""
    manager = ExactDetokenizeManager(zoo(name))
    token = zoo(name).encode("a", add_special_tokens=False)[-1]
    gc.collect()
    tracemalloc.start()
    for uid in range(requests):
        manager.detokenize([DetokenizeMsg(10**6 + uid, token, False)])  # the uid itself counts as well
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return round(size / requests, 1)


# ------------------------------------------------------------------ goals and tables


def mean_us(rows: list[dict[str, Any]], who: str, tokenizer: str, batch: int) -> float:
    """The mean over the kinds of text."""
    key = (who, tokenizer, batch)
    return statistics.mean(row["us"] for row in rows if (row["who"], row["tokenizer"], row["batch"]) == key)


def goals(results: dict[str, Any]) -> list[dict[str, Any]]:
    """What was aimed at, what was reached, and whether that is enough."""
    name = results["tokenizers"][0]
    reached = []

    def goal(what: str, target: float, value: float, at_least: bool) -> None:
        met = value >= target if at_least else value <= target
        reached.append({"goal": what, "target": target, "value": round(value, 3), "met": met})

    for who, batch, target in ((STREAM, 1, 2), (STREAM, 256, 5), (WINDOW, 1, 15), (WINDOW, 256, 40)):
        if batch in results["batches"]:
            ratio = mean_us(results["speed"], who, name, batch) / mean_us(
                results["speed"], EXACT, name, batch
            )
            goal(f"times faster than {who}, batch {batch}", target, ratio, True)
    for row in results["growth"]:
        if row["who"] == EXACT:
            first, last = row["points"][0][1], row["points"][-1][1]
            what = f"cost on ids that never complete, last against first, {row['tokenizer']}"
            goal(what, 1.5, last / first, False)
    goal(f"seconds to build the table of {name}", 0.5, results["table_seconds"][name], False)
    goal("bytes of state a quiet request", 300, max(results["state_bytes"].values()), False)
    return reached


def tables(results: dict[str, Any]) -> None:
    """Print everything that was measured."""
    rows, batches = results["speed"], results["batches"]
    whos = list(dict.fromkeys(row["who"] for row in rows))
    for name in results["tokenizers"]:
        columns = ["who", *(f"batch {batch:,}" for batch in batches for _ in (0, 1))]
        columns[2::2] = ["× exact"] * len(batches)
        lines = []
        for who in whos:
            line = [who]
            for batch in batches:
                us, own = mean_us(rows, who, name, batch), mean_us(rows, EXACT, name, batch)
                line += [f"{us:.3f}", f"{us / own:.2f}"]
            lines.append(line)
        report.show(f"{name}: µs of CPU time a token, mean of {', '.join(texts.SPEED)}", columns, lines)
        kinds = [
            [f"{who}, batch {batch:,}", *(f"{row['us']:.3f}" for row in rows if _is(row, who, name, batch))]
            for batch in (batches[0], batches[-1])
            for who in whos
        ]
        report.show(f"{name}: by kind of text", ["who", *texts.SPEED], kinds)
    report.show(
        "One request whose ids never complete a character, µs a token after so many ids",
        ["who", "tokenizer", "after ids: µs"],
        [[row["who"], row["tokenizer"], _points(row)] for row in results["growth"]],
    )
    report.show_goals(results["goals"])


def _is(row: dict[str, Any], who: str, name: str, batch: int) -> bool:
    return bool((row["who"], row["tokenizer"], row["batch"]) == (who, name, batch))


def _points(row: dict[str, Any]) -> str:
    points = "  ".join(f"{ids:,}: {us:g}" for ids, us in row["points"])
    return points + ("  (stopped)" if row["stopped_at"] else "")


# ------------------------------------------------------------------ the command


def run(names: list[str], *, quick: bool) -> dict[str, Any]:
    """Everything, measured in one process."""
    batches = (1, 256) if quick else BATCHES
    rounds, tokens = (1, 256) if quick else (ROUNDS, TOKENS)
    never, patience = (1_000, 0.3) if quick else (NEVER, PATIENCE)
    results: dict[str, Any] = {"machine": report.machine(), "tokenizers": names, "batches": list(batches)}
    results["speed"] = [
        row for name in names for row in speed(name, batches=batches, rounds=rounds, tokens=tokens)
    ]
    results["growth"] = [row for name in names for row in growth(name, never=never, patience=patience)]
    results["table_seconds"] = {name: table_seconds(name) for name in names}
    results["state_bytes"] = {name: state_bytes(name) for name in names}
    results["goals"] = goals(results)
    return results


def main(argv: list[str] | None = None) -> int:
    parser = report.parser("detokenize", __doc__.splitlines()[0])
    parser.add_argument(
        "--tokenizers", nargs="+", choices=available(), help="default: qwen3 and one of SentencePiece's kind"
    )
    args = parser.parse_args(argv)
    byte_fallback = "mistral" if "mistral" in available() and not args.quick else "toy"
    results = run(args.tokenizers or ["qwen3", byte_fallback], quick=args.quick)
    tables(results)
    report.save(results, report.target("detokenize", args))
    return 0 if args.quick or all(goal["met"] for goal in results["goals"]) else 1


if __name__ == "__main__":
    sys.exit(main())
