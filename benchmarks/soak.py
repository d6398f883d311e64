"""Ten thousand requests through a real worker while everything goes wrong that may go wrong.

One process stands for the API server and the scheduler. Between 1 and 256 requests are open
at once; their tokens come in random drains, with late ones, odd ids and broken frames among
them; some requests are bad, some are aborted, some end at a stop string, and a worker is
killed three times. What counts: each request ended exactly once, by reply or by the client's
time-out, its text was right by bytes alone, no state is left, and memory did not grow.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import tempfile
import time
from collections import Counter, deque
from pathlib import Path
from random import Random
from typing import Any

import psutil
from msgspec import UNSET

from minisgl_tok import launch
from minisgl_tok.messages import (
    AbortBackendMsg,
    AbortMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    SamplingParams,
    TokenizeMsg,
    UserMsg,
    UserReply,
)
from minisgl_tok.queues import ZmqPullQueue, ZmqPushQueue
from minisgl_tok.server import tokenize_worker, unpack

from . import report
from .stories import Request, Stories

REQUESTS, QUICK = 10_000, 1_500
RUNS = (  # tokenizer, detokenizer, processes for tokenizing (0: together), processes for detokenizing
    ("qwen3", "exact", 0, 1),
    ("qwen3", "safe", 0, 1),
    ("qwen3", "exact", 2, 2),
    ("toy", "exact", 0, 1),
    ("toy", "safe", 0, 1),
)
OPEN = 256  # at most
KILLS = 3
SETTLED = 1_000  # requests behind the last kill after which memory is read for the first time
GROWTH = 1.05  # of memory, at most
TIMEOUT = 20.0  # s without a reply after which the client gives a request up
STUCK = 180.0  # s without any end after which the run fails
SHOWN = ["who", "tokenizer", "processes", "met", "faults", "state_left", "memory_growth", "kills", "seconds"]
REPORT = "SOAK_REPORT"  # environment variable: the folder where a worker leaves what it counted
COUNTED = ("kills", "bad frames", "late tokens", "replies after a time-out", "errors of another life")
BAD_FRAMES = (b"", b"\xc1", b"\x91" * 500, b"\x82\xa8__type__\xa8Nonsense\xa3uid\x01", b"\x00" * 100)
BAD_PROMPTS: tuple[Any, ...] = ([], [{"role": "user"}], [{"role": "user", "content": [{"type": "image"}]}])


def reporting_worker(**arguments: Any) -> None:
    """The worker, and at its end a file that says what it counted."""
    logging.disable(logging.WARNING)  # thousands of errors are part of the plan
    counts = tokenize_worker(**arguments)
    Path(os.environ[REPORT], f"{os.getpid()}.json").write_text(json.dumps(counts))


class Soak:
    """The world around the worker."""

    def __init__(
        self, name: str, manager: str, total: int, seed: int, *, tokenizers: int = 0, detokenizers: int = 1
    ) -> None:
        self.tokenizers, self.detokenizers = tokenizers, detokenizers
        self.random = Random(seed)
        self.name, self.manager, self.total = name, manager, total
        self.stories = Stories(name, self.random)
        self.open: dict[int, Request] = {}
        self.running: dict[int, Request] = {}  # those that the scheduler works on
        self.over: dict[int, Request] = {}
        self.recent: deque[Request] = deque(maxlen=50)  # the last of them
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.began = 0  # requests so far
        self.wanted = 1  # open requests that the client aims at
        self.kills = [total * (n + 1) // 20 for n in range(KILLS)]
        self.memory: list[int] = []  # bytes, at two moments
        self.settled: int | None = None  # ended requests after which memory is read
        self.progress = time.monotonic()
        self.steady = True  # every process is there, and answers

    # ---------------------------------------------------------- requests

    def begin(self, api: ZmqPushQueue) -> None:
        """Open requests until as many are open as are wanted just now."""
        if self.random.random() < 0.02:
            self.wanted = self.random.choice([1, 4, 16, 64, OPEN])
        batch = []
        while len(self.open) < self.wanted and self.began < self.total:
            self.began += 1
            request = self.stories.invent(self.began)
            request.steady = self.steady
            request.heard, request.life = time.monotonic(), self.counts["kills"]
            self.open[request.uid] = request
            text = self.random.choice(BAD_PROMPTS) if request.bad else "Hello 推理"
            params = SamplingParams(stop=request.stops or UNSET)
            batch.append(TokenizeMsg(request.uid, text, params))
        self.send(api, batch)

    def send(self, queue: ZmqPushQueue, msgs: list) -> None:
        """Send messages in frames of random sizes, and now and then a frame that is none."""
        while msgs:
            size = self.random.choice([1, 2, 16, 256])
            frame, msgs = msgs[:size], msgs[size:]
            queue.put(frame[0] if len(frame) == 1 else BatchTokenizerMsg(frame))
            if self.random.random() < 0.02:
                queue.put_frame(self.random.choice(BAD_FRAMES))
                self.counts["bad frames"] += 1

    # ---------------------------------------------------------- the scheduler

    def schedule(self, backend: ZmqPullQueue, tokens: ZmqPushQueue, api: ZmqPushQueue) -> None:
        """Take requests and aborts, and send a step: no, one or several tokens a request."""
        while not backend.empty():
            for msg in unpack(backend.get()):
                if isinstance(msg, AbortBackendMsg):
                    self.running.pop(msg.uid, None)
                elif isinstance(msg, UserMsg) and msg.uid in self.open:
                    self.running[msg.uid] = self.open[msg.uid]
        step: list[Any] = []
        for request in list(self.running.values()):
            for _ in range(self.random.choice([0, 1, 1, 1, 2, 3])):
                if request.sent == request.abort_at and not request.aborted:
                    request.aborted = True
                    self.send(api, [AbortMsg(request.uid)])
                if request.sent == len(request.tokens):
                    break
                last = request.sent + 1 == len(request.tokens)
                step.append(DetokenizeMsg(request.uid, request.tokens[request.sent], last))
                request.sent += 1
            if request.sent == len(request.tokens):
                del self.running[request.uid]
        known = [request.uid for request in self.recent if request.sent]  # by the scheduler
        if known and self.random.random() < 0.1:
            late = self.random.choice(known)
            step.append(DetokenizeMsg(late, self.stories.ids[0], self.random.random() < 0.5))
            self.counts["late tokens"] += 1
        self.send(tokens, step)

    # ---------------------------------------------------------- the client

    def listen(self, frontend: ZmqPullQueue) -> None:
        """Take replies, and give up requests that nobody answers."""
        now = time.monotonic()
        for msg in unpack(frontend.get()):
            self.hear(msg, now)
        while not frontend.empty():
            for msg in unpack(frontend.get()):
                self.hear(msg, now)
        for request in [r for r in self.open.values() if now - r.heard > TIMEOUT]:
            self.finish(request, "time-out")

    def hear(self, reply: UserReply, now: float) -> None:
        request = self.open.get(reply.uid)
        if request is None:
            known = self.over[reply.uid]
            if known.end == "time-out":
                self.counts["replies after a time-out"] += 1
            elif known.life < self.counts["kills"] and reply.finish_reason == "error":
                self.counts["errors of another life"] += 1  # to a late token; the new worker cannot know
            else:
                self.faults.append(f"request {reply.uid}: a reply after its end ({known.end})")
            return
        request.heard = now
        request.text.append(reply.incremental_output)
        if reply.finished:
            request.matched = None if reply.matched_stop is UNSET else reply.matched_stop
            self.finish(request, str(reply.finish_reason))

    def finish(self, request: Request, end: str) -> None:
        request.end, request.life = end, self.counts["kills"]
        self.over[request.uid] = self.open.pop(request.uid)
        self.recent.append(request)
        self.running.pop(request.uid, None)
        self.counts[end] += 1
        self.progress = time.monotonic()
        if wrong := self.stories.judge(request):
            self.faults.append(f"request {request.uid}, {end}: {wrong}")

    def run(self) -> dict[str, Any]:
        """All requests from first to last."""
        started = time.monotonic()
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mt-"))
            os.environ[REPORT] = folder
            addr = {name: f"ipc://{folder}/{name}" for name in ("frontend", "backend", "tokens", "prompts")}
            apart = self.tokenizers > 0
            frontend, backend = (ZmqPullQueue(addr[n], True, tick=2) for n in ("frontend", "backend"))
            api = ZmqPushQueue(addr["prompts" if apart else "tokens"], create=apart)
            tokens = ZmqPushQueue(addr["tokens"], create=apart)
            launched = stack.enter_context(
                launch(
                    tokenizer_path=self.name,
                    backend_addr=addr["backend"],
                    frontend_addr=addr["frontend"],
                    detokenizer_addr=addr["tokens"],
                    tokenizer_addr=addr["prompts"] if apart else None,
                    num_tokenizer=self.tokenizers,
                    num_detokenizer=self.detokenizers,
                    detokenizer=self.manager,
                    extended=True,
                    entry="benchmarks.soak:reporting_worker",
                )
            )
            while len(self.over) < self.total:
                self.begin(api)
                self.schedule(backend, tokens, api)
                self.listen(frontend)
                self.disturb(launched)
                if time.monotonic() - self.progress > STUCK:
                    self.faults.append(f"{len(self.open)} requests hang")
                    break
            if not self.memory:
                self.faults.append("the workers never settled, so their memory was not compared")
            self.memory.append(_memory(launched))
            launched.stop()
            counted = [json.loads(file.read_text()) for file in Path(folder).glob("*.json")]
            for queue in (frontend, backend, api, tokens):
                queue.close()
        growth = self.memory[-1] / self.memory[0]
        if len(counted) < self.tokenizers + self.detokenizers:
            self.faults.append("not every worker left in time")
        left = sum(counts["open"] + counts["states"] for counts in counted)
        return {
            "who": self.manager,
            "tokenizer": self.name,
            "processes": f"{self.tokenizers} + {self.detokenizers}",
            "requests": self.total,
            "ends": {end: self.counts[end] for end in ("stop", "length", "abort", "error", "time-out")},
            **{name.replace(" ", "_"): self.counts[name] for name in COUNTED},
            "faults": len(self.faults),
            "state_left": left,
            "memory_growth": round(growth, 4),
            "seconds": round(time.monotonic() - started, 1),
            "met": not self.faults and not left and growth <= GROWTH,
        }

    def disturb(self, launched: Any) -> None:
        """Kill the worker when it is time to, and read its memory once it has settled."""
        if self.kills and len(self.over) >= self.kills[0] and launched.pids:
            self.kills.pop(0)
            self.counts["kills"] += 1
            self.steady = False
            for request in self.open.values():
                request.steady = False
            os.kill(self.random.choice(list(launched.pids.values())), signal.SIGKILL)
            self.settled = None
        ready = (
            launched.restarts >= self.counts["kills"]  # a killed process seems alive for a moment
            and len(launched.pids) == len(launched.children)
            and all(child.ready for child in launched.children)
        )
        self.steady = self.steady or ready
        if self.settled is None and ready:
            self.settled = len(self.over) + min(SETTLED, self.total // 4)
        elif not self.kills and not self.memory and ready and len(self.over) >= (self.settled or 0):
            self.memory.append(_memory(launched))


def _memory(launched: Any) -> int:
    """Bytes that the processes hold."""
    return sum(psutil.Process(pid).memory_info().rss for pid in launched.pids.values())


def main(argv: list[str] | None = None) -> int:
    parser = report.parser("soak", __doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of everything random (default: 1)")
    args = parser.parse_args(argv)
    total = QUICK if args.quick else REQUESTS
    rows, said = [], []
    for name, manager, tokenizers, detokenizers in RUNS:
        if args.quick and name == "toy":
            continue
        soak = Soak(name, manager, total, args.seed, tokenizers=tokenizers, detokenizers=detokenizers)
        rows.append(soak.run())
        said += soak.faults[:10]
    columns = [*SHOWN, *rows[0]["ends"]]
    lines = [[str(value) for value in (*(row[key] for key in SHOWN), *row["ends"].values())] for row in rows]
    report.show(f"{total:,} requests each", [column.replace("_", " ") for column in columns], lines)
    for line in said:
        print(line)
    report.save({"machine": report.machine(), "rows": rows}, report.target("soak", args))
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.exit(main())
