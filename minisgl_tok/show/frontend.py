"""What a frontend should have and has of one request, message by message.

The truth is the bytes of the visible tokens, decoded as they come: a character is due as
soon as its last byte is here. What leaves is held against it; a difference is a fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..detokenize import REPLACEMENT
from .utf8 import Decoder, hexes
from .visible import quoted
from .vocabulary import Vocabulary


@dataclass(frozen=True)
class Fault:
    """Something that went wrong with one message."""

    kind: str  # "early", "twice", "lost", or "extra": text that no visible token stands for
    words: str  # a sentence


def fault_kind(delta: str, due: str) -> str:
    """The name of the fault of a delta that is no beginning of what is due.

    >>> fault_kind("�", ""), fault_kind("b", "ab"), fault_kind("ab", "b")
    ('early', 'lost', 'twice')
    """
    if delta.count(REPLACEMENT) > due.count(REPLACEMENT):
        return "early"
    rest = iter(due)
    return "lost" if all(char in rest for char in delta) else "twice"


class Frontend:
    """One request: what is due to its frontend, and what the frontend has."""

    def __init__(self, vocabulary: Vocabulary, manager: Any = None) -> None:
        self.vocabulary = vocabulary
        self.drops = getattr(manager, "on_cut", "") == "drop" or getattr(manager, "cut_mark", None) == ""
        self.hidden = vocabulary.hidden if getattr(manager, "skip_special_tokens", True) else frozenset()
        self.decoder = Decoder()
        self.ids: list[int] = []  # visible ones
        self.due = ""  # complete, and not yet sent
        self.had = ""  # what the frontend has
        self.complete = 0  # characters that are complete
        self.ended = False
        self.over = False  # a message came after the end
        self.at_front = vocabulary.strips_first_space  # the first space is still to come

    @property
    def open(self) -> bytes:
        """The bytes of a character that is not complete."""
        return self.decoder.open

    def arrive(self, token: int, finished: bool) -> None:
        """A token is here: what it completes is due."""
        self.over = self.ended
        if self.ended:
            return
        self.ended = finished
        visible = [] if token in self.hidden else [token]
        self.ids += visible
        text = self._by_bytes(visible) if self.vocabulary.has_bytes else self._by_text()
        self.due += text
        self.complete += len(text)

    def _by_bytes(self, visible: list[int]) -> str:
        data = b"".join(self.vocabulary.bytes_of(token) or b"" for token in visible)
        if data and self.at_front:
            data, self.at_front = data.removeprefix(b" "), False
        return self.decoder.decode(data) + (self._cut() if self.ended else "")

    def _cut(self) -> str:
        """The end of the request: what is open becomes U+FFFD, or goes."""
        if self.drops:
            self.decoder.open = b""
        return self.decoder.decode(b"", final=True)

    def _by_text(self) -> str:
        """Where tokens have no bytes, the whole decoded text is all that can be asked."""
        text = self.vocabulary.decode(self.ids) if self.ids else ""
        return (text if self.ended else text.rstrip(REPLACEMENT))[self.complete :]

    def send(self, delta: str) -> list[Fault]:
        """A message's text reaches the frontend; the faults that it shows."""
        faults = []
        if self.due.startswith(delta):
            self.due = self.due[len(delta) :]
        else:
            faults.append(self._fault(delta))
        self.had += delta
        if self.ended and not self.over and self.due:
            faults.append(Fault("lost", f"The request is over and {quoted(self.due)} never left."))
            self.due = ""
        return faults

    def _fault(self, delta: str) -> Fault:
        """Name the fault, and set what is due to what may come next."""
        kind, due = fault_kind(delta, self.due), self.due
        if kind == "early":
            self.due = ""  # the marks stand in its place
            those = f"in place of {quoted(due)}" if due else "though no byte is broken"
            if self.open:
                those = f"while {hexes(self.open)} could still become a character"
            return Fault("early", f"U+FFFD was sent, {those}.")
        if kind == "lost":
            left = _after(delta, due)
            self.due = left
            skipped = due[: len(due) - len(left)].removesuffix(delta)
            return Fault("lost", f"{quoted(skipped)} was skipped.")
        again = delta[: _overlap(self.had, delta)]
        if again:
            self.due = due[_overlap(delta, due) :]
            return Fault("twice", f"{quoted(again)} had already left.")
        right = _agree(delta, due)
        self.due = due[right:][_overlap(delta[right:], due[right:]) :]
        return Fault(
            "extra", f"{quoted(delta[right:])} is no text that a visible token of this answer stands for."
        )


def _agree(one: str, other: str) -> int:
    """How many characters two texts share from the front."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _after(delta: str, due: str) -> str:
    """What remains of `due` behind the characters of `delta`, found one by one."""
    place = 0
    for char in delta:
        place = due.index(char, place) + 1
    return due[place:]


def _overlap(before: str, after: str) -> int:
    """Length of the longest beginning of `after` with which `before` ends.

    >>> _overlap("B 木", "木€"), _overlap("ab", "c")
    (1, 0)
    """
    return next((n for n in range(min(len(before), len(after)), 0, -1) if before.endswith(after[:n])), 0)
