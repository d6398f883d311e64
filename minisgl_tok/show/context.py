"""What the context of a window is for: the same new ids with it, and with surr = read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .marks import page, panel, text
from .visible import quoted


@dataclass(frozen=True)
class Reading:
    """One way to read the ids from `read` on."""

    surr: int
    read: int
    read_text: str  # decoded ids[surr:]
    surr_text: str  # decoded ids[surr:read]

    @property
    def new_text(self) -> str:
        return self.read_text[len(self.surr_text) :]


def run(tokenizer: Any, ids: Sequence[int], read: int) -> list[Reading]:
    """The ids from `read` on, read with one id of context, then with none.

    Raises ValueError where `read` leaves no id for the context or none to read.

    >>> from minisgl_tok import load_tokenizer
    >>> toy = load_tokenizer("toy")
    >>> ids = toy.encode("Hello world", add_special_tokens=False)
    >>> [reading.new_text for reading in run(toy, ids, read=1)]
    [' world', 'world']
    """
    if not 1 <= read < len(ids):
        raise ValueError(f"read is 1 to {len(ids) - 1} for {len(ids)} ids, not {read}")
    ids = list(ids)
    return [
        Reading(surr, read, *tokenizer.batch_decode([ids[surr:], ids[surr:read]]))
        for surr in (read - 1, read)
    ]


def _verdict(readings: Sequence[Reading]) -> str:
    with_, without = readings
    if with_.new_text == without.new_text:
        return f"Both find {quoted(with_.new_text)}: this tokenizer needs no context here."
    return f"With context the new text is {quoted(with_.new_text)}, without it is {quoted(without.new_text)}: what stands at the front of a text is decoded in another way."


def draw(readings: Sequence[Reading], ids: Sequence[int], *, style: bool = True) -> str:
    """The ids with a bracket for each reading, and the text that each finds."""
    low = readings[0].surr
    tokens = "".join(
        f'<td class="t {"context" if k < readings[0].read else "new"}">{ids[k]}</td>'
        for k in range(low, len(ids))
    )
    rows = f'<tr class="tokens"><th>tokens</th>{tokens}<td></td></tr>' + "".join(
        _bracket(r, low, len(ids)) for r in readings
    )
    table = f'<div class="scroll"><table class="strip"><tbody>{rows}</tbody></table></div>'
    return page(
        panel(
            "The same new ids, with context and without",
            f'{table}<p class="say">{escape(_verdict(readings))}</p>',
        ),
        style=style,
    )


def _bracket(reading: Reading, low: int, end: int) -> str:
    context = reading.read - reading.surr
    cells = "<td></td>" * (reading.surr - low)
    cells += f'<td class="w context" colspan="{context}"></td>' if context else ""
    cells += f'<td class="w new" colspan="{end - reading.read}"></td>'
    name = f"surr {reading.surr}, read {reading.read}"
    found = f'<td class="arrow">“{text(reading.read_text)}” less “{text(reading.surr_text)}” is <mark class="new">{text(reading.new_text)}</mark></td>'
    return f'<tr class="window"><th>{name}</th>{cells}{found}</tr>'


def as_text(readings: Sequence[Reading], ids: Sequence[int]) -> str:
    """The same as lines."""
    lines = [
        f"surr {r.surr}, read {r.read}: {list(ids[r.surr :])} → {quoted(r.read_text)}"
        f" less {quoted(r.surr_text)} is {quoted(r.new_text)}"
        for r in readings
    ]
    return "\n".join([*lines, _verdict(readings)])
