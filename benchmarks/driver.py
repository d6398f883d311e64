"""A scheduler and an API server for measurements: raw sockets, frames made before the clock starts."""

from __future__ import annotations

import contextlib
import time

import msgspec
import zmq

from minisgl_tok import load_tokenizer
from minisgl_tok.messages import BatchTokenizerMsg, DetokenizeMsg, encode

from . import texts

UNDER_WAY = {"step": 3, "message": 2}  # steps
PATIENCE = 60.0  # s without a reply after which the measurement fails


class _Batch(msgspec.Struct):
    data: list[msgspec.Raw] = []


_counter = msgspec.msgpack.Decoder(_Batch)


def count(frame: bytes) -> int:
    """How many replies a frame holds."""
    return len(_counter.decode(frame).data) or 1


class Driver:
    """Scheduler and API server in one: raw sockets without limits, so that nobody waits for it."""

    def __init__(self, folder: str, *, apart: bool = False) -> None:
        context = zmq.Context.instance()
        self.addr = {name: f"ipc://{folder}/{name}" for name in ("frontend", "backend", "tokens", "prompts")}
        self.replies, self.requests = context.socket(zmq.PULL), context.socket(zmq.PULL)
        self.tokens, self.prompts = context.socket(zmq.PUSH), context.socket(zmq.PUSH)
        self.sockets = (self.replies, self.requests, self.tokens, self.prompts)
        for socket in self.sockets:
            socket.setsockopt(zmq.SNDHWM, 0)
            socket.setsockopt(zmq.RCVHWM, 0)
        self.replies.bind(self.addr["frontend"])
        self.requests.bind(self.addr["backend"])
        if apart:
            self.tokens.bind(self.addr["tokens"])
            self.prompts.bind(self.addr["prompts"])
        else:
            self.tokens.connect(self.addr["tokens"])
        self.next_uid = 0
        ids = load_tokenizer("qwen3").encode("".join(texts.SPEED.values()), add_special_tokens=False)
        self.ids: list[int] = ids

    def uids(self, open_: int) -> range:
        """Fresh uids."""
        self.next_uid += open_
        return range(self.next_uid - open_, self.next_uid)

    def step(self, uids: range, number: int, packed: str, finished: bool = False) -> list[bytes]:
        """The frames of a step: the next token of each request, all from other places of a text."""
        msgs = [
            DetokenizeMsg(uid, self.ids[(number + 7 * uid) % len(self.ids)], finished and uid >= 0)
            for uid in uids
        ]
        return (
            [encode(msg) for msg in msgs] if packed == "message" else [encode(BatchTokenizerMsg(list(msgs)))]
        )

    def receive(self) -> tuple[int, float]:
        """How many replies came, and when."""
        if not self.replies.poll(PATIENCE * 1_000):
            raise RuntimeError(f"no reply for {PATIENCE:g} s")
        replies = count(self.replies.recv())
        now = time.perf_counter()
        with contextlib.suppress(zmq.Again):
            while True:
                replies += count(self.replies.recv(zmq.NOBLOCK))
        return replies, now

    def round(self, open_: int, steps: int, packed: str) -> tuple[float, list[float]]:
        """Messages a second, and the latency of each message in s."""
        uids = self.uids(open_)
        frames = [self.step(uids, number, packed) for number in range(steps)]
        self.answer([self.step(uids, 0, packed)], open_, packed)  # opens the requests
        began = time.perf_counter()
        latencies = self.answer(frames, open_, packed)
        rate = open_ * steps / (time.perf_counter() - began)
        self.answer([self.step(uids, steps, packed, finished=True)], open_, packed)
        return rate, latencies

    def answer(self, frames: list[list[bytes]], open_: int, packed: str) -> list[float]:
        """Send steps, a few at a time, until all their replies are here."""
        sent: list[float] = []  # when each step was sent
        latencies: list[float] = []
        while len(latencies) < len(frames) * open_:
            while len(sent) < len(frames) and len(sent) * open_ < len(latencies) + UNDER_WAY[packed] * open_:
                sent.append(time.perf_counter())
                for frame in frames[len(sent) - 1]:
                    self.tokens.send(frame)
            replies, now = self.receive()
            for place in range(len(latencies), len(latencies) + replies):
                latencies.append(now - sent[place // open_])
        return latencies

    def close(self) -> None:
        for socket in self.sockets:
            socket.close(0)
