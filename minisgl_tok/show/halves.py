"""One request's tokens in several processes: each has a part of every split character.

The state of a detokenizer is its own process's, so a request must always go to the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..detokenize import DetokenizeManager
from ..messages import DetokenizeMsg
from .managers import new_manager
from .marks import page, panel, text, text_words
from .utf8 import hexes
from .visible import pad, quoted, visible, width
from .vocabulary import Vocabulary


@dataclass(frozen=True)
class Part:
    """One token, in the process it went to."""

    token: int
    data: bytes
    process: int
    delta: str


@dataclass(frozen=True)
class Halves:
    """What n processes made of one request, and what one process makes of it."""

    processes: int
    parts: tuple[Part, ...]
    right: str

    @property
    def joined(self) -> str:
        return "".join(part.delta for part in self.parts)


def run(
    tokenizer: Any,
    ids: Sequence[int],
    route: Callable[[int], int],
    processes: int = 2,
    manager: Any = DetokenizeManager,
) -> Halves:
    """Send the k-th token of a request to process `route(k)`.

    Raises ValueError where `route` names a process that does not exist.

    >>> from minisgl_tok import load_tokenizer
    >>> halves = run(load_tokenizer("qwen3"), [123918, 102], route=lambda k: k % 2)
    >>> halves.joined, halves.right
    ('', '🦩')
    """
    vocabulary = Vocabulary(tokenizer)
    workers = [new_manager(manager, tokenizer) for _ in range(processes)]
    parts = []
    for k, token in enumerate(ids):
        process = route(k)
        if process not in range(processes):
            raise ValueError(f"token {k} was routed to process {process}; there are 0 to {processes - 1}")
        [delta] = workers[process].detokenize([DetokenizeMsg(1, token, k == len(ids) - 1)])
        parts.append(Part(token, vocabulary.bytes_of(token) or b"", process, delta))
    whole = b"".join(part.data for part in parts).decode("utf-8", "replace")
    return Halves(
        processes, tuple(parts), whole.removeprefix(" ") if vocabulary.strips_first_space else whole
    )


def _verdict(halves: Halves) -> str:
    if halves.joined == halves.right:
        return f"✓ the frontend has {quoted(halves.joined)}, as it should"
    return f"✗ the frontend has {quoted(halves.joined)} and should have {quoted(halves.right)}"


def draw(halves: Halves, *, style: bool = True) -> str:
    """One column a process: the bytes that reached it, and what it could send."""
    head = "".join(f"<th>process {n}</th>" for n in range(halves.processes))
    body = "".join(_row(n, part, halves.processes) for n, part in enumerate(halves.parts, start=1))
    table = f'<table class="list"><thead><tr><th></th><th>token</th>{head}</tr></thead><tbody>{body}</tbody></table>'
    kind = "say moved" if halves.joined == halves.right else "say fault"
    return page(
        panel(
            "One request, and the process each token went to",
            f'{table}<p class="{kind}">{text_words(_verdict(halves))}</p>',
        ),
        style=style,
    )


def _row(n: int, part: Part, processes: int) -> str:
    sends = (
        f"sends <mark>{text(part.delta)}</mark>" if part.delta else '<span class="soft">sends nothing</span>'
    )
    cells = [
        f"<code>{hexes(part.data)}</code> {sends}" if part.process == k else "" for k in range(processes)
    ]
    return (
        f"<tr><td>{n}</td><td><code>{part.token}</code></td>"
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + "</tr>"
    )


def as_text(halves: Halves) -> str:
    """The same as lines, one a token."""
    rows = [("token", *(f"process {n}" for n in range(halves.processes)))]
    for part in halves.parts:
        sends = f"{hexes(part.data)} → {visible(part.delta) or 'nothing'}"
        rows.append((str(part.token), *(sends if part.process == k else "" for k in range(halves.processes))))
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "\n".join(["  ".join(map(pad, row, widths)).rstrip() for row in rows] + [_verdict(halves)])
