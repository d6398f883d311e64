"""A whole server without a model: a client here, a scheduler and the tokenizer beside.

    with playground("qwen3") as play:
        for delta in play.client.stream("推理 streams text"):
            print(delta, end="")

Client and scheduler note every frame that they send or receive, so that `show.timeline` can
draw who sent what to whom.
"""

from __future__ import annotations

import os
import signal
import tempfile
from dataclasses import dataclass
from typing import Any

import msgspec

from .client import Answer, Client
from .echo import EchoScheduler
from .events import Event
from .launching import launch
from .processes import Launched
from .queues import ZmqPullQueue

__all__ = ["Answer", "Client", "EchoScheduler", "Event", "Playground", "playground"]


@dataclass
class Playground:
    """A client here, a scheduler and the tokenizer's processes beside; a context manager."""

    client: Client
    launched: Launched  # the tokenizer's processes
    scheduler: EchoScheduler
    log_queue: ZmqPullQueue

    def events(self) -> list[Event]:
        """All frames so far that client and scheduler have sent or received, in time."""
        while not self.log_queue.empty():
            self.client.log.events.append(Event(*self.log_queue.get()))  # type: ignore[misc]
        return sorted(self.client.log.events)

    def kill(self, name: str = "tokenizer 0") -> None:
        """Kill a process of the tokenizer, as ``kill -9`` does."""
        if name not in self.launched.pids:
            raise ValueError(f"no process {name!r} runs: there are {', '.join(self.launched.pids)}")
        os.kill(self.launched.pids[name], signal.SIGKILL)

    def stop(self) -> None:
        """Stop all processes; nothing of them stays. Once is enough, twice is no fault."""
        self.launched.stop()
        self.scheduler.stop()
        self.client.close()
        self.log_queue.close()

    def __enter__(self) -> Playground:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def playground(
    tokenizer: str = "qwen3",
    *,
    script: list[int] | None = None,
    rate: float = 50.0,
    trouble: tuple[str, ...] | list[str] = (),
    timeout: float = 10.0,
    num_tokenizer: int = 0,
    extended: bool = True,
    **options: Any,
) -> Playground:
    """Start a scheduler, the tokenizer's processes and a client, and wait until all are ready.

    `script`, `rate` and `trouble` are the scheduler's (see `EchoScheduler`), `timeout` is the
    client's, and `options` go to `launch`.
    """
    from .vocab import load_tokenizer

    folder = tempfile.mkdtemp(prefix="minisgl-play-")  # of sockets; goes with the scheduler
    addr = {
        name: f"ipc://{folder}/{name}" for name in ("frontend", "backend", "detokenizer", "prompts", "log")
    }
    apart = num_tokenizer > 0
    scheduler = EchoScheduler(
        backend_addr=addr["backend"],
        detokenizer_addr=addr["detokenizer"],
        create=apart,
        rate=rate,
        log_addr=addr["log"],
        folder=folder,
        script=script,
        end_id=load_tokenizer(tokenizer).eos_token_id,
        trouble=tuple(trouble),
    )
    log_queue = ZmqPullQueue(addr["log"], create=True, decoder=msgspec.msgpack.decode)
    prompts = addr["prompts"] if apart else addr["detokenizer"]
    client = Client(frontend_addr=addr["frontend"], tokenizer_addr=prompts, create=apart, timeout=timeout)
    try:
        scheduler.start()
        launched = launch(
            tokenizer_path=tokenizer,
            backend_addr=addr["backend"],
            frontend_addr=addr["frontend"],
            detokenizer_addr=addr["detokenizer"],
            tokenizer_addr=addr["prompts"] if apart else None,
            num_tokenizer=num_tokenizer,
            extended=extended,
            **options,
        )
    except BaseException:
        scheduler.stop()
        client.close()
        log_queue.close()
        raise
    return Playground(client, launched, scheduler, log_queue)
