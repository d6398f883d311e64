"""What is right, written apart from the package: slow, obvious, from the statements' own words.

Exercises and tests judge the package by these, so nothing here imports it.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

REPLACEMENT = "\ufffd"

# The blocks of Chinese characters by their Unicode names, first and last code point.
CHINESE_BLOCKS = {
    "CJK Unified Ideographs": ("4E00", "9FFF"),
    "Extension A": ("3400", "4DBF"),
    "Extension B": ("20000", "2A6DF"),
    "Extension C": ("2A700", "2B73F"),
    "Extension D": ("2B740", "2B81F"),
    "Extension E": ("2B820", "2CEAF"),
    "Compatibility Ideographs": ("F900", "FAFF"),
    "Compatibility Ideographs Supplement": ("2F800", "2FA1F"),
}


def chinese(char: str) -> bool:
    """Whether a character lies in one of the blocks above."""
    blocks = CHINESE_BLOCKS.values()
    return any(int(first, 16) <= ord(char) <= int(last, 16) for first, last in blocks)


def printable(text: str) -> str:
    """The longest beginning of a text that one of the four rules lets go.

    A rule speaks of a cut: is the text allowed to be cut there? The rules stand in order;
    the first that fits the text decides.
    """
    if text[-1:] == "\n" or any(chinese(char) for char in text[-1:]):
        return text
    if len(text) >= 2 and chinese(text[-2]):
        return text[: len(text) - 1]
    cuts = [cut for cut in range(1, len(text) + 1) if text[cut - 1] == " "]
    return text[: cuts[-1]] if cuts else ""


def as_they_arrive(pieces: list[bytes], *, end: str = "replace") -> list[str]:
    """For each piece the text that it completes, with its last byte and no earlier.

    With the last piece, what is still open becomes U+FFFD (``end="replace"``), is dropped
    (``end="drop"``) or stays open (``end="open"``).
    """
    texts, open_ = [], b""
    for piece in pieces:
        text, open_ = feed(open_, piece)
        texts.append(text)
    if open_ and end == "replace":
        texts[-1] += REPLACEMENT
    return texts


def whole(pieces: list[bytes]) -> str:
    """All pieces joined and decoded at once."""
    return b"".join(pieces).decode("utf-8", "replace")


@dataclass
class WindowRow:
    """One message of the window: what leaves, and where the three offsets then stand."""

    surr: int
    read: int
    sent: int
    delta: str
    decoded_ids: int  # length of both windows together

    def goes_back(self, before: int) -> bool:
        """Whether `sent` is less than it was: the fault that no statement asks for."""
        return self.sent < before


def window(pieces: list[bytes], *, strips: bool = False) -> list[WindowRow]:
    """The window by its definition, one row a message, decoding the bytes afresh each time.

    `read` is the number of ids behind the last message whose new text was whole (not empty,
    no U+FFFD at its end), `surr` the value that `read` had before that. `strips`: the
    decoder takes one space from the front of whatever it decodes, as SentencePiece does.
    """

    def decoded_text(some: list[bytes]) -> str:
        return whole(some).removeprefix(" ") if strips else whole(some)

    rows: list[WindowRow] = []
    surr = read = sent = 0
    for n in range(1, len(pieces) + 1):
        confirmed = decoded_text(pieces[:read])
        new = decoded_text(pieces[surr:n])[len(decoded_text(pieces[surr:read])) :]
        decoded = (n - surr) + (read - surr)
        if new and new[-1] != REPLACEMENT:
            output = confirmed + new
            surr, read = read, n
        else:
            output = confirmed + printable(new)
        rows.append(WindowRow(surr, read, len(output), output[sent:], decoded))
        sent = len(output)
    return rows


def never_goes_back(pieces: list[bytes]) -> bool:
    """Whether the window's `sent` only grows on this stream."""
    sents = [0] + [row.sent for row in window(pieces)]
    return sents == sorted(sents)


def open_at_end(data: bytes) -> int:
    """How many bytes at the end can still become a character."""
    return len(still_open(data))


# The alphabet of byte-level BPE: what Python calls printable (the space excepted) stands for
# itself, the other bytes take the code points from 256 on, in their order.
ITSELF = [byte for byte in range(256) if chr(byte).isprintable() and byte != 0x20]
OTHERS = [byte for byte in range(256) if byte not in ITSELF]
CHAR_OF = {byte: chr(byte) for byte in ITSELF} | {byte: chr(0x100 + n) for n, byte in enumerate(OTHERS)}
BYTE_OF = {char: byte for byte, char in CHAR_OF.items()}


def byte_level_bytes(piece: str) -> bytes:
    """The bytes of a byte-level piece; one foreign character, and it stands for its own UTF-8."""
    foreign = [char for char in piece if char not in BYTE_OF]
    return piece.encode() if foreign else bytes([BYTE_OF[char] for char in piece])


def qwen3_prompt(chat: list[dict[str, str]], *, thinking: bool = True) -> str:
    """A chat of plain texts that ends with the user's turn, as Qwen3 reads it."""
    prompt = ""
    for message in chat:
        prompt += "<|im_start|>" + message["role"] + "\n" + message["content"] + "<|im_end|>\n"
    return prompt + "<|im_start|>assistant\n" + ("" if thinking else "<think>\n\n</think>\n\n")


def toy_prompt(chat: list[dict[str, str]]) -> str:
    """The same in the toy tokenizer's template."""
    prompt = "<s>"
    for message in chat:
        prompt += "[" + message["role"] + "] " + message["content"] + "\n"
    return prompt + "[assistant] "


SPACE_SIGN = "\u2581"


def sentencepiece_bytes(piece: str) -> bytes:
    """The bytes of a SentencePiece piece: a byte written as <0xE6>, or text whose spaces are ▁."""
    if re.fullmatch("<0x[0-9A-F]{2}>", piece):
        return bytes([int(piece[3:5], 16)])
    return " ".join(piece.split(SPACE_SIGN)).encode()


def text_or_bytes(data: bytes) -> str | bytes:
    """Text where the bytes are whole characters, else the bytes themselves."""
    text = data.decode("utf-8", "replace")
    return text if text.encode() == data else data


@functools.cache
def unfinished() -> frozenset[bytes]:
    """All beginnings of characters of more than one byte, the characters themselves left out."""
    found: set[bytes] = set()
    for code in [*range(0x80, 0xD800, 64), *range(0xE000, 0x110000, 64)]:  # the last byte has 64 values
        data = chr(code).encode()
        found.update(data[:n] for n in range(1, len(data)))
    return frozenset(found)


def still_open(data: bytes) -> bytes:
    """The bytes at the end of any data that can still become a character; b"" if there are none."""
    ends = [data[-n:] for n in (3, 2, 1) if data[-n:] in unfinished()]
    return ends[0] if ends else b""


def feed(open_: bytes, new: bytes) -> tuple[str, bytes]:
    """What is text now, and what may still become some: everything decoded but the open end."""
    data = open_ + new
    rest = still_open(data)
    return data[: len(data) - len(rest)].decode("utf-8", "replace"), rest


def first_fault(deltas: list[str], pieces: list[bytes]) -> tuple[int, str] | None:
    """The first message after which what was sent is no beginning of what was due, and how."""
    due = as_they_arrive(pieces)
    for n in range(len(deltas)):
        truth = "".join(due[: n + 1])
        before, delta = "".join(deltas[:n]), deltas[n]
        if truth.startswith(before + delta):
            continue
        rest = truth[len(before) :]
        if delta.count(REPLACEMENT) > rest.count(REPLACEMENT):
            return n, "early"
        left_out = re.fullmatch(".*".join(["", *map(re.escape, delta), ""]), rest, re.DOTALL)
        return n, "lost" if left_out else "twice"
    return (len(deltas) - 1, "lost") if "".join(deltas) != "".join(due) else None


def first_stop(text: str, stops: list[str]) -> tuple[int, str] | None:
    """Every place from the left, and there every stop, the longest first."""
    for place in range(len(text)):
        for stop in sorted(stops, key=len, reverse=True):
            if stop and text[place : place + len(stop)] == stop:
                return place, stop
    return None


def can_begin(end: str, stops: list[str]) -> bool:
    """Whether more text behind `end` can make one of the stops of it, from its first character on."""
    beginnings = [stop[:length] for stop in stops for length in range(1, len(stop))]
    return end in beginnings


def may_leave(text: str, stops: list[str], *, over: bool) -> tuple[str, str | None]:
    """Of all text so far what may have left, and the stop that is certain to end it.

    Place by place from the left: where a stop may still begin, all waits; where one stands
    and no longer one can, the text ends. `over`: no more text will come.
    """
    for place in range(len(text)):
        if not over and can_begin(text[place:], stops):
            return text[:place], None
        here = first_stop(text[place:], stops)
        if here and here[0] == 0:
            return text[:place], here[1]
    return text, None
