"""Text made visible: spaces, newlines and controls as signs, nothing that can reorder a line.

Used by every picture, in HTML and in plain text alike.
"""

from __future__ import annotations

import unicodedata

SIGNS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽", "\x7f": "␡"}
JOINERS = "\u200c\u200d\ufe0e\ufe0f"  # they shape the characters beside them, so in a run they stay


def visible(text: str) -> str:
    """The text with a sign for each character that one would not see.

    >>> visible("a b\\n\\x00"), visible("\\u202e!"), visible("\\ud83d")
    ('a␣b⏎␀', '⟨202E⟩!', '⟨D83D⟩')
    """
    return "".join(map(_sign, text))


def sentence(text: str) -> str:
    """A message for people, on one line: its spaces stay spaces.

    >>> sentence("no\\n such \\x1b")
    'no such ␛'
    """
    return visible(" ".join(text.split())).replace(SIGNS[" "], " ")


def _sign(char: str) -> str:
    if char in SIGNS:
        return SIGNS[char]
    if char < " ":
        return chr(0x2400 + ord(char))
    if char in JOINERS:
        return char
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"} or ord(char) & 0xFFFE == 0xFFFE:
        return f"⟨{ord(char):04X}⟩"
    return char


def visible_alone(char: str) -> str:
    """One character as it stands in a box of its own: a mark gets a circle to sit on.

    >>> visible_alone("\\u094d"), visible_alone("\\u200d")
    ('◌्', '⟨200D⟩')
    """
    if char in JOINERS:
        return f"⟨{ord(char):04X}⟩"
    return "◌" + char if unicodedata.category(char).startswith("M") else _sign(char)


def quoted(text: str, limit: int = 40) -> str:
    """The text made visible, in quotation marks; a long one keeps its two ends.

    >>> quoted("is rare"), quoted("x" * 99, limit=9)
    ('“is␣rare”', '“xxxx … xxxx” (99 characters)')
    """
    if len(text) == 1:
        return f"“{visible_alone(text)}”"
    if len(text) <= limit:
        return f"“{visible(text)}”"
    half = limit // 2
    return f"“{visible(text[:half])} … {visible(text[-half:])}” ({len(text)} characters)"


def width(text: str) -> int:
    """Columns that a text takes in a terminal.

    >>> width("推a"), width("◌्")
    (3, 1)
    """
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def pad(text: str, columns: int) -> str:
    """The text, filled up with spaces to so many columns of a terminal."""
    return text + " " * (columns - width(text))
