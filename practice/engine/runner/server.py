"""The warm process: libraries loaded, nothing run; it forks one child an answer and watches it.

Requests come on file 0, replies go to file 1, both as frames:

    {"op": "run", "exercise", "source", "filename", "beside", "cases", "seconds"}
        -> {"outcome": …} for each case, or {"unloadable": …}, or {"broken": …}; then {"done": …}
    {"op": "torch"}   imports torch, so that children have it   -> nothing
    {"op": "cancel"}  ends the answer that is running           -> {"cancelled": …}

It must never run a torch operation or a batch of the tokenizers: their threads do not
survive a fork, and a child would wait for them for ever. It ends when its client does.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from typing import Any

from practice.engine.runner import frames, limits
from practice.engine.runner.process import Process, start

POLL = 0.05  # seconds between two looks at a child that may have died with its pipe still open
AT_THE_END = 0.5  # seconds for a child whose pipe is closed to end
ORPHANED = 5.0  # seconds between two looks at whether the client is still there


class ClientGone(Exception):
    """Nobody is left to serve."""


class Server:
    def __init__(self, requests: int, replies: int) -> None:
        self.inbox = frames.ThreadedInbox(requests) if not limits.CAN_FORK else frames.Inbox(requests)
        self.replies = replies
        self.private = (requests, replies)  # a child closes them
        self.processes = limits.most_processes()
        self.parent = os.getppid()

    def serve(self) -> None:
        """Answers requests until the client is gone."""
        while True:
            request = self.next_request(ORPHANED)
            if request is None:
                continue
            if request["op"] == "cancel":  # it came when the answer had just ended
                self.reply({"cancelled": True})
            elif request["op"] == "torch":
                import torch  # noqa: F401

                gc.freeze()
            else:
                self.run({**request, "processes": self.processes})

    def next_request(self, timeout: float) -> dict[str, Any] | None:
        request = self.inbox.frame()
        if request is None:
            frames.wait([self.inbox], timeout)
            self.inbox.pump()
            request = self.inbox.frame()
        if request is None and (self.inbox.closed or os.getppid() != self.parent):
            raise ClientGone
        return request

    def reply(self, message: dict[str, Any]) -> None:
        try:
            frames.send(self.replies, message)
        except frames.Closed as error:
            raise ClientGone from error

    def run(self, request: dict[str, Any]) -> None:
        """Runs an answer: a new child takes over after a case that ended one."""
        first, costly, total = 0, 0, len(request["cases"])
        while True:
            child = start(request, first, self.private)
            watch = Watch(self, child, request, first, costly)
            try:
                ended = watch.until_the_end()
            finally:
                child.end()
            first, costly = watch.number, watch.costly
            if ended == "cancelled":
                self.reply({"cancelled": True})
                return
            if ended in ("done", "unloadable") or first >= total or costly >= limits.MOST_COSTLY:
                break
        self.reply({"done": True})


class Watch:
    """One child, from its start to its end, however that comes."""

    def __init__(
        self, server: Server, child: Process, request: dict[str, Any], first: int, costly: int
    ) -> None:
        self.server, self.child = server, child
        self.seconds, self.total = request["seconds"], len(request["cases"])
        self.stage = "starting"  # then "loading", then "case"
        self.number = first  # of the case that runs
        self.costly = costly  # cases so far that came to a limit
        self.deadline = time.monotonic() + limits.STARTING

    def until_the_end(self) -> str:
        """What ended it: "done", "unloadable", "cancelled", or a word for how the child died."""
        while True:
            inboxes = [self.server.inbox, self.child.results, self.child.printed]
            frames.wait(inboxes, min(POLL, self.deadline - time.monotonic()))
            if self.cancelled():
                return "cancelled"
            dead = self.child.status()  # before the last look at the pipe: then nothing is missed
            self.child.collect()
            try:
                while (message := self.child.results.frame()) is not None:
                    if (ended := self.handle(message)) is not None:
                        return ended
            except (frames.BadFrame, KeyError, TypeError) as error:
                return self.died("ended", f"the answer wrote to the judge's own pipe ({error})")
            if dead is not None:
                return self.died(*limits.death_in_words(dead))
            if self.child.results.closed:  # it ends just now, or goes on without its pipe
                self.deadline = min(self.deadline, time.monotonic() + AT_THE_END)
            if time.monotonic() > self.deadline:
                if self.child.results.closed:
                    return self.died("ended", "the answer closed the judge's own pipe")
                return self.died("time limit", self.too_long())

    def too_long(self) -> str:
        if self.stage == "starting":
            return f"the child was not ready after {limits.STARTING:g} s"
        doing = "the case" if self.stage == "case" else "the cell itself, before the first case,"
        return f"{doing} was not done after {self.seconds:g} s"

    def cancelled(self) -> bool:
        request = self.server.next_request(0)
        return request is not None and request["op"] == "cancel"

    def handle(self, message: dict[str, Any]) -> str | None:
        self.deadline = time.monotonic() + self.seconds
        if "ready" in message:
            self.stage = "loading"
        elif "loaded" in message:
            self.stage = "case"
            if text := self.child.take_printed():
                self.server.reply({"printed": text})
            self.child.allow_next()
        elif "outcome" in message:
            self.outcome({**message["outcome"], "printed": self.child.take_printed()})
            if self.costly >= limits.MOST_COSTLY or self.number > self.total:
                return "done"
            self.child.allow_next()
        elif "unloadable" in message:
            self.server.reply({"unloadable": {**message["unloadable"], "printed": self.child.take_printed()}})
            return "unloadable"
        elif "done" in message:
            return "done"
        return None

    def died(self, word: str, sentence: str) -> str:
        what = {"raised": word, "message": sentence, "printed": self.child.take_printed()}
        if self.stage == "starting":
            self.server.reply({"broken": f"{sentence}\n{what['printed']}".strip()})
            return "unloadable"
        if self.stage == "loading":
            self.server.reply({"unloadable": what})
            return "unloadable"
        self.outcome(what)
        return word

    def outcome(self, what: dict[str, Any]) -> None:
        self.server.reply({"outcome": what})
        self.number += 1
        self.costly += what.get("raised") in limits.COSTLY


def load_libraries() -> None:
    """What children should find loaded: the tokenizers, but no torch."""
    import tokenizers  # noqa: F401
    import transformers  # noqa: F401

    from minisgl_tok import load_tokenizer

    load_tokenizer("qwen3"), load_tokenizer("toy")


def main() -> None:
    requests, replies = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as empty:
        os.dup2(empty.fileno(), 0)
    os.dup2(2, 1)  # what a library prints must not meet the replies
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limits.adopt_orphans()
    if limits.CAN_FORK:
        load_libraries()
        gc.collect()
        gc.freeze()
    server = Server(requests, replies)
    server.reply({"ready": os.getpid()})
    try:
        server.serve()
    except ClientGone:
        sys.exit(0)


if __name__ == "__main__":
    main()
