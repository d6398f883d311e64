"""The microscope: how tokens fill the bytes of characters, and what one token says alone.

A lead byte opens as many slots as its character needs; followers fill them, whichever token
they come with. A token decoded alone sees only its own bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .marks import page, panel, text, text_words
from .player import Choices, Player
from .specimen import Specimen, bits, few, in_place, look, split_bits, why_alone
from .stepper import encode, tokenizer_menu
from .utf8 import Char, char_length
from .visible import visible_alone

TEXT = "鱻 推é!"
AROUND = 6  # characters before the current one that stay in view


# ------------------------------------------------------------------ HTML


def draw(specimen: Specimen, n: int, *, style: bool = True) -> str:
    """The characters with their slots, as they are once token n is here."""
    if not specimen.tokens:
        return page('<p class="soft">No token: there is nothing under the microscope.</p>', style=style)
    body = _slots(specimen, n) + f'<p class="say">{text_words(why_alone(specimen, n))}</p>'
    body += f'<p class="say moved">{text_words(in_place(specimen, n))}</p>'
    head = f'<div class="head"><b>Token {n + 1} of {len(specimen.tokens)}</b><span><code>{specimen.tokens[n]}</code></span></div>'
    return page(
        head + panel("Characters, and the slots of their bytes", body) + _bits(specimen, n), style=style
    )


def _slots(specimen: Specimen, n: int) -> str:
    """One small table a character: the character over its bytes over their tokens."""
    here = specimen.start(n + 1)
    shown = [char for char in specimen.chars if char.start < here]
    current = len(specimen.touched(n))
    more = max(0, len(shown) - current - AROUND)
    note = f'<span class="soft">… {more} characters before</span>' if more else ""
    return (
        f'<div class="slots">{note}{"".join(_char(specimen, n, char, here) for char in shown[more:])}</div>'
    )


def _char(specimen: Specimen, n: int, char: Char, here: int) -> str:
    data = b"".join(specimen.data)
    need = char_length(data[char.start]) if char.state != "broken" else char.end - char.start
    ready = char.end <= here and char.state != "open"
    name = visible_alone(char.text) if ready else "?"
    kind = "broken" if char.state == "broken" else "sent" if ready else "open"
    places = range(char.start, char.start + need)
    cells, owners = [], []
    for place in places:
        if place < min(here, char.end):
            owner = specimen.owner(place)
            role = (
                "broken"
                if char.state == "broken"
                else "lead"
                if place == char.start and need > 1
                else "follower"
                if place > char.start
                else "single"
            )
            cells.append(f'<td class="b {role}">{data[place]:02x}</td>')
            owners.append(owner)
        else:
            cells.append('<td class="b slot" title="a slot that waits for a byte">··</td>')
            owners.append(-1)
    spans = "".join(_owner(specimen, n, owner, count) for owner, count in _grouped(owners))
    return (
        f'<table class="strip one"><tbody><tr class="chars"><td class="c {kind}" colspan="{need}"><bdi>{escape(name)}</bdi></td></tr>'
        f'<tr class="bytes">{"".join(cells)}</tr><tr class="tokens">{spans}</tr></tbody></table>'
    )


def _grouped(owners: list[int]) -> list[tuple[int, int]]:
    groups: list[tuple[int, int]] = []
    for owner in owners:
        if groups and groups[-1][0] == owner:
            groups[-1] = owner, groups[-1][1] + 1
        else:
            groups.append((owner, 1))
    return groups


def _owner(specimen: Specimen, n: int, owner: int, count: int) -> str:
    if owner < 0:
        return f'<td class="arrow" colspan="{count}"></td>'
    now = owner == n
    label = f"<b>{specimen.tokens[owner]}</b>" if now else str(specimen.tokens[owner])
    return f'<td class="t {"new now" if now else ""}" colspan="{count}">{label}</td>'


def _bits(specimen: Specimen, n: int) -> str:
    """The bits of the last few characters that this token completes."""
    data = b"".join(specimen.data)
    rows = []
    for char in [c for c in specimen.completed(n) if c.end - c.start > 1][-3:]:
        part = data[char.start : char.end]
        split = [split_bits(byte, k, len(part)) for k, byte in enumerate(part)]
        marked = " ".join(f'<span class="soft">{marker}</span><u>{rest}</u>' for marker, rest in split)
        point = f"U+{ord(char.text):04X}"
        rows.append(
            f"<tr><th>{text(char.text)}</th><td><code>{marked}</code></td><td><code> → {point}</code></td></tr>"
        )
    if not rows:
        return ""
    note = '<div class="key">underlined: the bits of the code point · before them: how many bytes there are, or 10 for a follower</div>'
    return panel(
        "Bits of what is complete now", f'<table class="sub"><tbody>{"".join(rows)}</tbody></table>{note}'
    )


# ------------------------------------------------------------------ plain text


def as_text(specimen: Specimen, n: int) -> str:
    """The same step in lines of text."""
    if not specimen.tokens:
        return "No token: there is nothing under the microscope."
    data, here = b"".join(specimen.data), specimen.start(n + 1)
    lines = [
        f"token {n + 1} of {len(specimen.tokens)}: {specimen.tokens[n]} = {few(specimen.data[n]) or 'no bytes'}"
    ]
    for char in specimen.touched(n):
        part = data[char.start : min(char.end, here)]
        need = char_length(part[0]) if char.state != "broken" else len(part)
        slots = " ".join([f"{byte:02x}" for byte in part] + ["··"] * (need - len(part)))
        ready = char.end <= here and char.state == "whole"
        lines.append(f"  [{slots}] {visible_alone(char.text) if ready or char.state == 'broken' else '?'}")
        if ready and len(part) > 1:
            lines.append(f"      {bits(char, part)}")
    return "\n".join([*lines, why_alone(specimen, n), in_place(specimen, n)])


# ------------------------------------------------------------------ in a notebook


class _Slides:
    """A specimen as a picture for a `Player`."""

    def __init__(self, specimen: Specimen) -> None:
        self.specimen = specimen

    def steps(self) -> int:
        return len(self.specimen.tokens)

    def caption(self, step: int) -> str:
        return f"token {step + 1} of {self.steps()}" if self.steps() else "no token"

    def html(self, step: int) -> str:
        return draw(self.specimen, step, style=False)

    def text(self, step: int) -> str:
        return as_text(self.specimen, step)

    def film(self, step: int) -> str:
        frames = range(min(self.steps(), 6)) or range(1)
        return "".join(draw(self.specimen, n, style=n == 0) for n in frames)

    def plain(self) -> str:
        return "\n".join(as_text(self.specimen, n) for n in range(min(self.steps(), 40))) or as_text(
            self.specimen, 0
        )


def microscope(
    text: str = TEXT,
    tokenizer: Any = "qwen3",
    *,
    at: int | None = None,
    ids: Sequence[int] | None = None,
    pieces: Mapping[int, bytes] | None = None,
) -> Player:
    """Look at a text's tokens, or at `ids`, one after the other; `at` counts from 1."""
    tokenizers = tokenizer_menu(tokenizer, pieces)

    def make(choices: Choices) -> _Slides:
        chosen = tokenizers[choices.tokenizer]()
        return _Slides(look(chosen, encode(chosen, choices.text) if ids is None else list(ids), pieces))

    menu = list(tokenizers)[:1] if ids is not None else list(tokenizers)
    return Player(make, text=text, tokenizers=menu, fixed=ids is not None, at=None if at is None else at - 1)
