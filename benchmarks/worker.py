"""How many messages a second a worker answers, and how late, through real sockets.

A driver stands for the scheduler and the API server. Each step it sends a token of every
open request, and counts the replies; a few steps are under way at a time, as with a
scheduler that overlaps its work. A step is one frame, or each message is a frame of its
own. What is reported is the median of several rounds. The seed's loop, with the window, a
batch limit of 1 and its own messages, runs through the same sockets in the same run.

With tokenizers apart a prompt of 100,000 tokens comes while the others' text streams.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from minisgl_tok import launch, load_tokenizer
from minisgl_tok.messages import SamplingParams, TokenizeMsg, encode
from minisgl_tok.processes import Child, Launched

from . import report, texts
from .driver import PATIENCE, Driver, count

SEED = "the seed's loop"
MANAGERS = ("exact", "safe", "window")
BATCH_LIMITS = (1, 32, 256)  # local_bs
OPEN = (1, 64, 1_024)  # requests
PACKED = {"step": "a step a frame", "message": "a message a frame"}
MESSAGES = 60_000  # of a round, about; but no more than so many steps:
STEPS = 400
ROUNDS = 3
LONG_PROMPT = 100_000  # tokens

GOALS = ((15.0, "step"), (5.0, "message"))  # times the seed's rate at 1,024 open requests
DELAY = 50.0  # ms by which a long prompt may delay others


# ------------------------------------------------------------------ rate and latency


@contextlib.contextmanager
def running(who: str, local_bs: int) -> Iterator[Driver]:
    """A driver and the worker that it drives."""
    with tempfile.TemporaryDirectory(prefix="mt-") as folder:
        driver = Driver(folder)
        addr = driver.addr
        if who == SEED:
            arguments = {
                "addr": addr["tokens"],
                "frontend_addr": addr["frontend"],
                "local_bs": local_bs,
            }
            child = Child(who, "benchmarks.seed_loop:seed_worker", arguments)
            launched = Launched([child], tempfile.mkdtemp(prefix="mt-"), restart=False)
            launched.start(PATIENCE)
        else:
            launched = launch(
                tokenizer_path="qwen3",
                backend_addr=addr["backend"],
                frontend_addr=addr["frontend"],
                detokenizer_addr=addr["tokens"],
                detokenizer=who,
                local_bs=local_bs,
            )
        with launched:
            yield driver
        driver.close()


def measure(who: str, local_bs: int, *, open_: tuple[int, ...], messages: int, rounds: int) -> list[dict]:
    """A row for each number of open requests and each way to pack."""
    rows = []
    with running(who, local_bs) as driver:
        for requests in open_:
            for packed in PACKED:
                steps = max(5, min(STEPS, messages // requests))
                results = [driver.round(requests, steps, packed) for _ in range(rounds)]
                rows.append(
                    {
                        "who": who,
                        "local_bs": local_bs,
                        "open": requests,
                        "packed": packed,
                        "messages": steps * requests,
                        "rate": round(statistics.median(rate for rate, _ in results)),
                        "p50_ms": _quantile(results, 0.50),
                        "p99_ms": _quantile(results, 0.99),
                    }
                )
    return rows


def _quantile(results: list[tuple[float, list[float]]], share: float) -> float:
    """The median over the rounds of a quantile of their latencies, in ms."""
    each = [sorted(latencies)[int(share * (len(latencies) - 1))] for _, latencies in results]
    return round(statistics.median(each) * 1_000, 3)


# ------------------------------------------------------------------ a long prompt


def long_prompt(
    num_tokenizer: int, *, tokens: int, requests: int = 64, rounds: int = ROUNDS
) -> dict[str, Any]:
    """How late the others' text comes while a long prompt is tokenized."""
    words = "".join(texts.SPEED.values())
    prompt = words * (tokens // len(load_tokenizer("qwen3").encode(words)) + 1)
    apart = num_tokenizer > 0
    with tempfile.TemporaryDirectory(prefix="mt-") as folder:
        driver = Driver(folder, apart=apart)
        launched = launch(
            tokenizer_path="qwen3",
            backend_addr=driver.addr["backend"],
            frontend_addr=driver.addr["frontend"],
            detokenizer_addr=driver.addr["tokens"],
            tokenizer_addr=driver.addr["prompts"] if apart else None,
            num_tokenizer=num_tokenizer,
            max_prompt_tokens=10 * tokens,
        )
        with launched:
            prompts = driver.prompts if apart else driver.tokens
            uids = driver.uids(requests)
            for uid in uids:
                prompts.send(encode(TokenizeMsg(uid, "Hi", SamplingParams())))
            _await_requests(driver, requests)
            quiet, busy, took = [], [], []
            for number in range(rounds):
                quiet += _stream(driver, uids, until=time.perf_counter() + 0.5)[0]
                began = time.perf_counter()
                prompts.send(encode(TokenizeMsg(10**6 + number, prompt, SamplingParams())))
                latencies, seconds = _stream(driver, uids, until=None)
                busy += latencies
                took.append(seconds if seconds else time.perf_counter() - began)
        driver.close()
    return {
        "tokenizers_apart": num_tokenizer,
        "tokens": tokens,
        "prompt_ms": round(statistics.median(took) * 1_000, 1),
        "quiet_p50_ms": round(statistics.median(quiet) * 1_000, 3),
        "busy_p99_ms": round(sorted(busy)[int(0.99 * (len(busy) - 1))] * 1_000, 3),
        "delay_ms": round((max(busy) - statistics.median(quiet)) * 1_000, 2),
    }


def _await_requests(driver: Driver, count_: int) -> None:
    while count_ > 0:
        if not driver.requests.poll(PATIENCE * 1_000):
            raise RuntimeError("a prompt was not answered")
        count_ -= count(driver.requests.recv())


def _stream(driver: Driver, uids: range, until: float | None) -> tuple[list[float], float]:
    """Latencies of steps, 200 a second, until a moment or until the long prompt has been answered."""
    latencies, began, number = [], time.perf_counter(), 0
    while True:
        number += 1
        latencies += driver.answer([driver.step(uids, number, "step")], len(uids), "step")[-1:]
        now = time.perf_counter()
        if until is not None and now >= until:
            return latencies, 0.0
        if until is None and driver.requests.poll(0):
            _await_requests(driver, 1)
            return latencies, now - began
        if now - began > PATIENCE:
            raise RuntimeError("the long prompt was not answered")
        time.sleep(0.005)


# ------------------------------------------------------------------ the command


def goals(rows: list[dict[str, Any]], delay: dict[str, Any]) -> list[dict[str, Any]]:
    """What was aimed at, what was reached, and whether that is enough."""
    most = max(row["open"] for row in rows)
    limit = max(row["local_bs"] for row in rows)

    def row(who: str, local_bs: int, packed: str) -> dict[str, Any]:
        wanted = {"who": who, "local_bs": local_bs, "open": most, "packed": packed}
        return next(row for row in rows if wanted.items() <= row.items())

    made = []
    for target, packed in GOALS:
        ours, seed = row("exact", limit, packed), row(SEED, 1, packed)
        times = round(ours["rate"] / seed["rate"], 1)
        name = f"times the seed's rate, {most:,} open, {PACKED[packed]}"
        made.append({"goal": name, "target": target, "value": times, "met": times >= target})
        lower = round(seed["p99_ms"] / ours["p99_ms"], 1)
        name = f"times lower p99, {most:,} open, {PACKED[packed]}"
        made.append({"goal": name, "target": 1.0, "value": lower, "met": lower > 1.0})
    name = f"ms that a prompt of {delay['tokens']:,} tokens delays others, at most"
    made.append(
        {"goal": name, "target": DELAY, "value": delay["delay_ms"], "met": delay["delay_ms"] <= DELAY}
    )
    return made


def main(argv: list[str] | None = None) -> int:
    args = report.parser("worker", __doc__.splitlines()[0]).parse_args(argv)
    size: dict[str, Any] = {"open_": OPEN, "messages": MESSAGES, "rounds": ROUNDS}
    limits: tuple[int, ...] = BATCH_LIMITS
    if args.quick:
        size, limits = {"open_": (64, 1_024), "messages": 12_000, "rounds": 1}, (256,)
    rows = measure(SEED, 1, **size)
    for local_bs in limits:
        for who in MANAGERS:
            rows += measure(who, local_bs, **size)
    tokens = LONG_PROMPT // 5 if args.quick else LONG_PROMPT
    delays = [long_prompt(apart, tokens=tokens) for apart in (0, 1)]
    results = {
        "machine": report.machine(),
        "rows": rows,
        "long_prompt": delays,
        "goals": goals(rows, delays[1]),
    }
    report.show(
        "qwen3: messages a second, and their latency",
        ["who", "local_bs", "open", "packed", "messages/s", "p50 ms", "p99 ms"],
        [
            [
                row["who"],
                str(row["local_bs"]),
                f"{row['open']:,}",
                PACKED[row["packed"]],
                f"{row['rate']:,}",
                f"{row['p50_ms']:.2f}",
                f"{row['p99_ms']:.2f}",
            ]
            for row in rows
        ],
    )
    report.show(
        f"A prompt of {tokens:,} tokens while others stream",
        ["tokenizers apart", "prompt ms", "others' p50 ms before", "p99 ms meanwhile", "delay ms, at most"],
        [
            [
                str(d["tokenizers_apart"]),
                *(f"{d[k]:.1f}" for k in ("prompt_ms", "quiet_p50_ms", "busy_p99_ms", "delay_ms")),
            ]
            for d in delays
        ],
    )
    report.show_goals(results["goals"])
    report.save(results, report.target("worker", args))
    return 0 if args.quick or all(goal["met"] for goal in results["goals"]) else 1


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.exit(main())
