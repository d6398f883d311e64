"""Characters over bytes over tokens: who stands in which column.

One column a byte. A token without bytes of its own (special, or a tokenizer that has none
to give) gets one column all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from .trace import Trace
from .utf8 import Char, char_length, characters


@dataclass(frozen=True)
class Box:
    """Something that spans the columns `start` up to `end`."""

    start: int
    end: int
    text: str
    state: str
    index: int = 0


@dataclass(frozen=True)
class Strip:
    """One request as boxes, at one of its messages.

    States of `chars`: "sent", "held" (complete, not sent), "open" (bytes missing), "future",
    "broken". States of `cells`: "lead", "follower", "single", "broken", "stripped", "none".
    """

    chars: list[Box]
    cells: list[Box]
    tokens: list[Box]  # index: the token's place within its request
    current: int  # place of the current token
    arrived: int  # columns that are here
    columns: int


def strip(trace: Trace, n: int) -> Strip:
    """The request of message n, as it stands with that message."""
    places = trace.of(trace.messages[n].uid)
    now = places.index(n)
    cells: list[Box] = []
    tokens: list[Box] = []
    text_columns: list[int] = []  # the column of each byte of the text
    data = b""
    at_front = trace.strips_first_space
    for index, place in enumerate(places):
        message = trace.messages[place]
        start = len(cells)
        shown = b"" if message.hidden or message.data is None else message.data
        for byte in shown:
            goes, at_front = at_front and byte == 0x20, False
            cells.append(Box(len(cells), len(cells) + 1, f"{byte:02x}", "stripped" if goes else "", byte))
            if not goes:
                text_columns.append(len(cells) - 1)
                data += bytes([byte])
        if not shown:
            cells.append(Box(start, start + 1, "", "none"))
        state = "future" if index > now else "now" if index == now else "past"
        tokens.append(Box(start, len(cells), str(message.token), state, index))
    arrived = tokens[now].end
    step = trace.steps[n] if n < len(trace.steps) else None
    whole = characters(data)
    sent = step.complete - len(step.due) if step else 0
    chars = [_char(c, i, text_columns, arrived, sent, step is None) for i, c in enumerate(whole)]
    if trace.messages[n].data is None:
        chars = _alone(trace, places, tokens, now)
    _name_cells(cells, whole, text_columns)
    return Strip(chars, cells, tokens, now, arrived, len(cells))


def _char(char: Char, index: int, columns: list[int], arrived: int, sent: int, unknown: bool) -> Box:
    start, end = columns[char.start], columns[char.end - 1] + 1
    if start >= arrived:
        state = "future"
    elif index < sent and not unknown:
        state = "sent"
    elif end > arrived or char.state == "open":
        state = "open"
    else:
        state = "held"
    return Box(start, end, char.text, state, index)


def _alone(trace: Trace, places: list[int], tokens: list[Box], now: int) -> list[Box]:
    """Without bytes, each token's own text stands over it."""
    states = ["future" if i > now else "here" for i in range(len(places))]
    texts = [trace.messages[place].alone for place in places]
    return [Box(t.start, t.end, text, state) for t, text, state in zip(tokens, texts, states, strict=True)]


def _name_cells(cells: list[Box], chars: list[Char], columns: list[int]) -> None:
    """Say of each byte what it is within its character."""
    for char in chars:
        for place in range(char.start, char.end):
            cell = cells[columns[place]]
            if char.state == "broken":
                state = "broken"
            elif place > char.start:
                state = "follower"
            else:
                state = "single" if char_length(cell.index) == 1 else "lead"
            cells[columns[place]] = Box(cell.start, cell.end, cell.text, state, cell.index)


def clip(strip_: Strip, first: int, budget: int) -> tuple[int, int]:
    """The tokens (from, to) to show: the current one, those from `first` on, then its neighbours.

    `budget` is a number of columns; the current token is shown even where it needs more.
    """
    tokens = strip_.tokens
    low = high = strip_.current

    def cost(index: int) -> int:
        return tokens[index].end - tokens[index].start

    used = cost(low)

    def fits(index: int) -> bool:
        return 0 <= index < len(tokens) and used + cost(index) <= budget

    while low > first and fits(low - 1):
        low -= 1
        used += cost(low)
    ahead = high
    while high < ahead + 3 and fits(high + 1):  # a few tokens to come, before the past
        high += 1
        used += cost(high)
    while fits(low - 1):
        low -= 1
        used += cost(low)
    while fits(high + 1):
        high += 1
        used += cost(high)
    return low, high + 1
