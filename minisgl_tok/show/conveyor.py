"""A drain: frames come along a conveyor, and a gate lets the worker take what has arrived.

The clock is a made-up one, so the picture is the same on every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ..messages import BatchTokenizerMsg, DetokenizeMsg
from .marks import fault, page, panel
from .visible import sentence


@dataclass(frozen=True)
class Drain:
    """One pass of the worker."""

    start: int  # tick at which the worker asked for a frame
    waited: int  # ticks until one was there
    frames: tuple[int, ...]  # messages in each frame that it took
    left: tuple[int, ...]  # frames that had arrived and stayed on the belt
    got: int  # messages that came out
    error: str | None = None


class Belt:
    """A queue of frames, each with the tick at which it arrives."""

    def __init__(self, frames: Sequence[tuple[int, int]]) -> None:
        self.coming = sorted(frames, key=lambda frame: frame[0])  # (tick, messages)
        self.now = self.waited = self.uid = 0
        self.taken: list[int] = []

    def arrived(self) -> list[int]:
        return [size for tick, size in self.coming if tick <= self.now]

    def empty(self) -> bool:
        return not self.arrived()

    def get(self) -> Any:
        """The next frame; where none has arrived the clock moves on to it."""
        if not self.coming:
            raise EOFError("the worker waits, and no frame will ever come")
        tick, size = self.coming.pop(0)
        self.waited += max(0, tick - self.now)
        self.now = max(self.now, tick)
        self.taken.append(size)
        msgs: list[Any] = [DetokenizeMsg(self.uid + k, 0, False) for k in range(size)]
        self.uid += size
        return msgs[0] if size == 1 else BatchTokenizerMsg(msgs)


def run(
    frames: Sequence[tuple[int, int]],
    local_bs: int,
    busy: int = 2,
    drain: Callable[[Any, int], list] | None = None,
) -> list[Drain]:
    """The drains of a worker that is `busy` ticks with each; `frames` are (tick, messages).

    `drain` is the package's (the reader's own, where that is installed) if none is given.

    >>> [d.frames for d in run([(0, 1), (1, 1), (1, 3), (9, 1)], local_bs=4)]
    [(1,), (1, 3), (1,)]
    """
    take = drain or _package_drain()
    belt = Belt(frames)
    drains: list[Drain] = []
    while belt.coming and len(drains) <= 2 * len(frames):
        start, belt.waited, belt.taken = belt.now, 0, []
        error, got = None, 0
        try:
            got = len(take(belt, local_bs))
        except Exception as wrong:  # a reader's own drain
            error = f"{type(wrong).__name__}: {wrong}"
        drains.append(Drain(start, belt.waited, tuple(belt.taken), tuple(belt.arrived()), got, error))
        if error:
            break
        belt.now += busy
    return drains


def _package_drain() -> Callable[[Any, int], list]:
    from .. import server

    return server.drain


def _words(drain: Drain, local_bs: int) -> str:
    """One drain in a sentence."""
    if drain.error:
        return f"✗ {sentence(drain.error)}"
    waited = f"waits {drain.waited} ticks, " if drain.waited else ""
    lost = sum(drain.frames) - drain.got
    threw = f" ✗ {lost} of them never came out of it." if lost > 0 else ""
    if drain.left:
        reason = (
            f"the gate closes at {local_bs}" if sum(drain.frames) >= local_bs else "it did not look further"
        )
        end = f"{sum(drain.left)} stay on the belt: {reason}"
    else:
        end = "nothing else had arrived"
    took = f"takes {sum(drain.frames)} in {len(drain.frames)} frame{'s' * (len(drain.frames) != 1)}"
    return f"{waited}{took}; {end}.{threw}"


def draw(drains: Sequence[Drain], local_bs: int, *, style: bool = True) -> str:
    """Each drain as a row: the frames behind the gate, and those that stay."""
    rows = "".join(_row(n, drain, local_bs) for n, drain in enumerate(drains, start=1))
    table = f'<table class="list"><thead><tr><th>drain</th><th>tick</th><th>taken | on the belt</th><th></th></tr></thead><tbody>{rows}</tbody></table>'
    key = '<div class="key">a box is a frame, ● a message · solid: taken · dotted: stays for the next drain · double line: the gate</div>'
    return page(panel(f"What each drain takes, with local_bs = {local_bs}", table + key), style=style)


def _row(n: int, drain: Drain, local_bs: int) -> str:
    taken = "".join(f'<span class="frame">{"●" * size}</span>' for size in drain.frames)
    left = "".join(f'<span class="frame late">{"●" * size}</span>' for size in drain.left)
    belt = f'<div class="belt">{taken}<span class="gate"></span>{left}</div>'
    said = fault(drain.error) if drain.error else escape(_words(drain, local_bs))
    return f'<tr><td>{n}</td><td>{drain.start}</td><td>{belt}</td><td style="white-space:normal">{said}</td></tr>'


def as_text(drains: Sequence[Drain], local_bs: int) -> str:
    """The drains as lines: frames in brackets, the gate as ‖.

    >>> print(as_text(run([(0, 1), (0, 2), (0, 1)], local_bs=3), 3))
    drain 1, tick 0: [●][●●] ‖ [●]  takes 3 in 2 frames; 1 stay on the belt: the gate closes at 3.
    drain 2, tick 2: [●] ‖  takes 1 in 1 frame; nothing else had arrived.
    """
    lines = []
    for n, drain in enumerate(drains, start=1):
        taken, left = ("".join(f"[{'●' * size}]" for size in sizes) for sizes in (drain.frames, drain.left))
        lines.append(
            f"drain {n}, tick {drain.start}: {taken} ‖ {left}".rstrip() + f"  {_words(drain, local_bs)}"
        )
    return "\n".join(lines)
