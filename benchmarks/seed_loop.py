"""The loop that the workbook grows from, with its own costs: the window, and messages as plain objects.

It stands here to be measured against. What it costs to turn messages into bytes belongs to
it: mini-sglang walks each message field by field in Python, in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import zmq

from minisgl_tok import DetokenizeManager, load_tokenizer
from minisgl_tok.server import Leaving


@dataclass
class DetokenizeMsg:
    uid: int
    next_token: int
    finished: bool


@dataclass
class UserReply:
    uid: int
    incremental_output: str
    finished: bool


@dataclass
class BatchTokenizerMsg:
    data: list[Any]


@dataclass
class BatchFrontendMsg:
    data: list[Any]


CLASSES = {c.__name__: c for c in (DetokenizeMsg, UserReply, BatchTokenizerMsg, BatchFrontendMsg)}


PLAIN = {int, float, str, bytes, bool, type(None)}


def to_plain(value: Any) -> Any:
    """A message as maps and lists, its class named in each map."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is list:
        return [to_plain(item) for item in value]
    fields = {"__type__": kind.__name__}
    for key, item in value.__dict__.items():
        fields[key] = item if type(item) in PLAIN else to_plain(item)
    return fields


def from_plain(value: Any) -> Any:
    """The opposite of `to_plain`."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {key: from_plain(item) for key, item in value.items() if key != "__type__"}
    return CLASSES[value["__type__"]](**fields) if "__type__" in value else fields


def seed_worker(*, addr: str, frontend_addr: str, local_bs: int, ack_queue: Any) -> None:
    """The process: only tokens come, so only the loop's first branch is here."""
    leaving = Leaving()
    context = zmq.Context.instance()
    inbox, outbox = context.socket(zmq.PULL), context.socket(zmq.PUSH)
    inbox.bind(addr)
    outbox.connect(frontend_addr)
    manager: Any = DetokenizeManager(load_tokenizer("qwen3"))

    def receive() -> list[Any]:
        msg = from_plain(msgspec.msgpack.decode(inbox.recv()))
        return msg.data if isinstance(msg, BatchTokenizerMsg) else [msg]

    ack_queue.put("ready")
    while not leaving():
        if not inbox.poll(200):  # the original waits for ever; this one must be able to leave
            continue
        pending = receive()
        while len(pending) < local_bs and inbox.poll(0) != 0:
            pending.extend(receive())
        texts = manager.detokenize(pending)
        replies = [UserReply(m.uid, text, m.finished) for m, text in zip(pending, texts, strict=True)]
        answer = replies[0] if len(replies) == 1 else BatchFrontendMsg(replies)
        outbox.send(msgspec.msgpack.encode(to_plain(answer)), copy=False)
