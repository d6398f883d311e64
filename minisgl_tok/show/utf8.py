"""Bytes as characters, with the place of each: what is whole, broken, or still open."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from ..safe import can_grow


class Decoder:
    """Bytes become text as they come; only what can still become a character waits.

    Python's own incremental decoder also waits behind `ed a0`: so would half of a surrogate
    begin, but UTF-8 has none, and two U+FFFD are certain.

    >>> decoder = Decoder()
    >>> [decoder.decode(data) for data in (b"\\xe9\\xb1", b"\\xbb", b"\\xed\\xa0", b"\\xf0\\x9f")]
    ['', '鱻', '��', '']
    >>> decoder.open, decoder.decode(b"", final=True)
    (b'\\xf0\\x9f', '�')
    """

    def __init__(self) -> None:
        self.open = b""  # what waits: three bytes at most

    def decode(self, data: bytes, final: bool = False) -> str:
        """The text that `data` completes; with `final`, what waits is U+FFFD."""
        data = self.open + data
        text, used = codecs.utf_8_decode(data, "replace", final)
        self.open = data[used:]
        if self.open and not can_grow(self.open):
            text += self.open.decode("utf-8", "replace")
            self.open = b""
        return text


@dataclass(frozen=True)
class Char:
    """One character of a run of bytes: `data[start:end]`."""

    text: str  # "\ufffd" where the bytes are no character (yet)
    start: int
    end: int
    state: str  # "whole", "broken" (can never be one) or "open" (the end of the bytes came first)


def characters(data: bytes) -> list[Char]:
    """The characters of any bytes, one U+FFFD for each maximal part that is none.

    >>> [(c.text, c.start, c.end, c.state) for c in characters(b"a\\xe6\\x8e\\xa8\\x80\\xf0\\x9f")]
    [('a', 0, 1, 'whole'), ('推', 1, 4, 'whole'), ('�', 4, 5, 'broken'), ('�', 5, 7, 'open')]

    Source: The Unicode Standard, section 3.9, "U+FFFD Substitution of Maximal Subparts".
    """
    found: list[Char] = []
    start = 0
    while start < len(data):
        end = start + char_length(data[start])
        try:
            char = Char(data[start:end].decode("utf-8"), start, min(end, len(data)), "whole")
        except UnicodeDecodeError as error:
            is_open = error.reason == "unexpected end of data" and end > len(data)
            char = Char("\ufffd", start, start + error.end, "open" if is_open else "broken")
        found.append(char)
        start = char.end
    return found


def char_length(lead: int) -> int:
    """Bytes of the character that a lead byte opens; 1 for a byte that opens none.

    >>> [char_length(byte) for byte in (0x61, 0xC3, 0xE6, 0xF0, 0x8E)]
    [1, 2, 3, 4, 1]
    """
    return 1 if not 0xC2 <= lead <= 0xF4 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def hexes(data: bytes) -> str:
    """Bytes as one reads them aloud: ``e6 8e``."""
    return data.hex(" ")


COUNT = ("no", "one", "two", "three", "four")
