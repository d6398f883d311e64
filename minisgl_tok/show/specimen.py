"""Tokens as the microscope sees them, and in words what each does alone and in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .utf8 import COUNT, Char, char_length, characters, hexes
from .visible import quoted
from .vocabulary import Vocabulary

MARKER_BITS = {1: 1, 2: 3, 3: 4, 4: 5}  # bits of a lead byte that say its length; 2 in a follower


@dataclass(frozen=True)
class Specimen:
    """A run of tokens, their bytes, and the characters that these spell."""

    tokens: tuple[int, ...]
    data: tuple[bytes, ...]  # the bytes of each token
    alone: tuple[str, ...]  # each decoded alone
    chars: tuple[Char, ...]
    strips_first_space: bool = False

    def start(self, n: int) -> int:
        """The place of token n's first byte."""
        return sum(map(len, self.data[:n]))

    def owner(self, place: int) -> int:
        """Which token the byte at a place belongs to."""
        for n, data in enumerate(self.data):
            if place < len(data):
                return n
            place -= len(data)
        raise IndexError(f"no byte at place {place} behind the last token")

    def touched(self, n: int) -> list[Char]:
        """The characters to which token n brings bytes."""
        start, end = self.start(n), self.start(n + 1)
        return [char for char in self.chars if char.start < end and char.end > start]

    def completed(self, n: int) -> list[Char]:
        """The characters that token n completes."""
        end = self.start(n + 1)
        return [char for char in self.touched(n) if char.end <= end and char.state == "whole"]


def look(tokenizer: Any, ids: Sequence[int], pieces: Mapping[int, bytes] | None = None) -> Specimen:
    """Put ids under the microscope. Raises ValueError where their tokenizer has no bytes to show."""
    vocabulary = Vocabulary(tokenizer, pieces)
    if not vocabulary.has_bytes:
        raise ValueError("the tokens of this tokenizer have no bytes of their own; try qwen3 or toy")
    data = tuple(vocabulary.bytes_of(id_) or b"" for id_ in ids)
    alone = tuple(map(vocabulary.alone, ids))
    return Specimen(tuple(ids), data, alone, tuple(characters(b"".join(data))), vocabulary.strips_first_space)


# ------------------------------------------------------------------ in words


def why_alone(specimen: Specimen, n: int) -> str:
    """Why token n alone decodes to what it does."""
    data, alone = specimen.data[n], specimen.alone[n]
    if not data:
        return f"Token {specimen.tokens[n]} has no bytes, so alone it is {quoted(alone)}."
    parts = "; ".join(_part(run) for run in _runs(data))
    space = specimen.strips_first_space and data.startswith(b" ") and not alone.startswith(" ")
    stripped = (
        " This tokenizer strips one space from the front of a text, and alone the token is a front." * space
    )
    return f"Alone, token {specimen.tokens[n]} is {quoted(alone)}: {parts}.{stripped}"


def _runs(data: bytes) -> list[tuple[bytes, str]]:
    """Neighbouring characters of the same state together."""
    runs: list[tuple[bytes, str]] = []
    for char in characters(data):
        part = data[char.start : char.end]
        if runs and char.state == "whole" == runs[-1][1]:
            runs[-1] = runs[-1][0] + part, "whole"
        else:
            runs.append((part, char.state))
    return runs


def _part(run: tuple[bytes, str]) -> str:
    data, state = run
    if state == "whole":
        return f"{few(data)} {'is' if len(data) == 1 else 'are'} {quoted(data.decode(), 24)}"
    if state == "open":
        need = char_length(data[0])
        have = "the first" if len(data) == 1 else f"the first {COUNT[len(data)]}"
        return f"{hexes(data)} {'is' if len(data) == 1 else 'are'} {have} of {COUNT[need]} bytes, so one �"
    if 0x80 <= data[0] < 0xC0:
        return f"{hexes(data)} follows no lead byte, so one �"
    return f"{hexes(data)} can be no character, so one �"


def few(data: bytes) -> str:
    """Bytes in hex; of many, the two ends."""
    return hexes(data) if len(data) <= 6 else f"{hexes(data[:3])} … {hexes(data[-2:])}"


def in_place(specimen: Specimen, n: int) -> str:
    """What token n does where it stands: what it completes, and what it leaves open."""
    end = specimen.start(n + 1)
    done = "".join(char.text for char in specimen.completed(n))
    split = [c for c in specimen.completed(n) if c.start < specimen.start(n)]
    said = [f"In its place it completes {quoted(done)}" if done else "In its place it completes no character"]
    if split:
        others = [str(specimen.tokens[k]) for k in range(specimen.owner(split[0].start), n)]
        begun = f"begun by token{'s' * (len(others) > 1)} {', '.join(others)}"
        said = (
            [f"{said[0]}, {begun}"]
            if done == split[0].text
            else [*said, f"{quoted(split[0].text)} was {begun}"]
        )
    last = specimen.touched(n)[-1:]
    if last and (last[0].end > end or last[0].state == "open"):
        need = char_length(b"".join(specimen.data)[last[0].start])
        said.append(f"it leaves a character open, with {COUNT[end - last[0].start]} of {COUNT[need]} bytes")
    return "; ".join(said) + "."


def bits(char: Char, data: bytes) -> str:
    """A character's bits: what marks the bytes, and what makes the code point.

    >>> bits(Char("é", 0, 2, "whole"), "é".encode())
    '110|00011 10|101001 → 00011 101001 = U+00E9'
    """
    split = [split_bits(byte, k, char_length(data[0])) for k, byte in enumerate(data)]
    payload = " ".join(rest for _, rest in split)
    return " ".join(f"{marker}|{rest}" for marker, rest in split) + f" → {payload} = U+{ord(char.text):04X}"


def split_bits(byte: int, place: int, length: int) -> tuple[str, str]:
    """A byte's bits: those that mark it, and those of the code point."""
    cut = 2 if place else MARKER_BITS[length]
    return f"{byte:08b}"[:cut], f"{byte:08b}"[cut:]
