"""bounded

The window waits while its text ends in U+FFFD. But a model may **write** a U+FFFD, and some
bytes can never become a character; then it waits for ever, and grows. The text cannot tell.
The bytes can.

`ids` are the ids of a window. Return whether their bytes end at the end of a character, so
that there is nothing to wait for. That is also so where they end in a real U+FFFD, or in
bytes that can never become a character.

* `self.bytes_of(id)` gives the bytes of an id; it may have none (`b""`).
* `open_bytes(data)` (your b1) says how many bytes at the end belong to an unfinished
  character, **if** the data is the beginning of valid UTF-8.
* `can_grow(tail)` says whether such a tail can still become a character at all.
* Where the tokens have no bytes (`self.rule is None`), nothing is known: return `False`.

| bytes of the ids | answer | |
| --- | --- | --- |
| `61` `f0 9f` | `False` | two bytes of four |
| `f0` `9f` `a6` `a9` | `True` | 🦩, from four ids |
| `61` `ef bf bd` | `True` | a U+FFFD that the model wrote |
| `61` `ff` | `True` | no character begins with ff |

**Why it matters.** In the original each further token costs more than the one before, once
such an id has come: 41 µs a token after 200 of them, 1,958 µs after 5,000. One user can hold
up all the others.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import as_ids, byte_tokenizer, hexes, random_pieces, random_text, unhex

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.safe import can_grow
    from minisgl_tok.vocab import open_bytes

TARGET = "minisgl_tok.safe:SafeDetokenizeManager.is_complete"
CHAPTER, DIFFICULTY, MINUTES, CORE = "06", 4, 30, False

HINTS = (
    "A character may come in several ids, one byte each. So what must be looked at together?",
    "Join the bytes of all ids. `open_bytes` tells you how long the unfinished end is; it believes every"
    " lead byte, so its answer needs a second look.",
    "The unfinished end is `data[len(data) - open_bytes(data) :]`. There is nothing to wait for if it is"
    " empty, or if it cannot grow.",
)

WINDOWS = {
    "no id": [],
    "letters": ["6f 6b", "20 6e"],
    "two bytes of four": ["61", "f0 9f"],
    "four ids, one byte each": ["f0", "9f", "a6", "a9"],
    "three of them": ["f0", "9f", "a6"],
    "half a character behind three letters": ["61", "62", "63", "f0"],
    "its first byte came with an id before": ["6f e6", "8e"],
    "completed by the last": ["6f e6", "8e", "a8"],
    "a real U+FFFD": ["61", "ef bf bd"],
    "a byte that begins no character": ["61", "ff"],
    "a lead byte of nothing": ["61", "c0"],
    "followers that follow nothing": ["80", "bf"],
    "a second byte that no character has": ["e0 80"],
    "an id of no bytes, nothing open": ["61", ""],
    "an id of no bytes, half a character open": ["e6", ""],
}


def fixed() -> list[Case]:
    cases = [{"name": name, "pieces": pieces, "tokens have bytes": True} for name, pieces in WINDOWS.items()]
    return [*cases, {"name": "tokens without bytes", "pieces": ["61"], "tokens have bytes": False}]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 11):
        data = random_text(random, 3).encode()
        data = data[: random.randint(1, len(data))] + random.choice(
            [b"", b"", b"\xff", b"\xc0", b"\xef\xbf\xbd"]
        )
        pieces = hexes(random_pieces(random, data, 3))
        cases.append({"name": f"random window {number}", "pieces": pieces, "tokens have bytes": True})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok.safe import SafeDetokenizeManager

    ids, pieces = as_ids(unhex(case["pieces"]))
    manager = SafeDetokenizeManager(byte_tokenizer(pieces))
    if not case["tokens have bytes"]:
        manager.rule = None
    return manager.is_complete(ids)


def oracle(case: Case) -> Any:
    return case["tokens have bytes"] and not oracles.still_open(b"".join(unhex(case["pieces"])))


@wrong("A U+FFFD that the model wrote, or a byte that can never complete, holds the window for ever.")
def by_the_mark(self, ids):
    if self.rule is None:
        return False
    return not b"".join(map(self.bytes_of, ids)).decode("utf-8", "replace").endswith("\ufffd")


@wrong("After some tokens you give up; a character of which each byte came alone is broken.")
def by_count(self, ids):
    if self.rule is None:
        return False
    data = b"".join(map(self.bytes_of, ids))
    return len(ids) >= 3 or not open_bytes(data) or not can_grow(data[len(data) - open_bytes(data) :])


@wrong("You look at the newest id alone. The first byte of its character came with an id before.")
def only_the_last_id(self, ids):
    if self.rule is None:
        return False
    data = self.bytes_of(ids[-1]) if ids else b""
    return not open_bytes(data) or not can_grow(data[len(data) - open_bytes(data) :])


@wrong("An id that decodes to nothing is no reason to wait.")
def empty_waits(self, ids):
    if self.rule is None or not ids or not self.bytes_of(ids[-1]):
        return False
    data = b"".join(map(self.bytes_of, ids))
    return not open_bytes(data) or not can_grow(data[len(data) - open_bytes(data) :])


@wrong("You believe every lead byte. Some lead nowhere, and your window waits for what cannot come.")
def believes_every_lead(self, ids):
    return self.rule is not None and not open_bytes(b"".join(map(self.bytes_of, ids)))


@wrong("Minus zero counts from the front: where no byte is open you looked at all of them, not at none.")
def minus_zero(self, ids):
    if self.rule is None:
        return False
    data = b"".join(map(self.bytes_of, ids))
    return not can_grow(data[-open_bytes(data) :])


@wrong("What is not valid raises, and what is only unfinished as well: one odd id stops the batch.")
def strict(self, ids):
    if self.rule is None:
        return False
    b"".join(map(self.bytes_of, ids)).decode()
    return True


@wrong("Tokens without bytes: you answer as if you knew. Half a character goes out.")
def knows_too_much(self, ids):
    data = b"".join(map(self.bytes_of, ids))
    return not open_bytes(data) or not can_grow(data[len(data) - open_bytes(data) :])
