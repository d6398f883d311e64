"""bytes of an unfinished character

In UTF-8 the first byte of a character, its **lead byte**, says how many bytes the character
has. All others are **followers**.

| byte | what it is | character's length |
| --- | --- | --- |
| `00`–`7F` | a whole character | 1 |
| `80`–`BF` | a follower | – |
| `C2`–`DF` | a lead byte | 2 |
| `E0`–`EF` | a lead byte | 3 |
| `F0`–`F4` | a lead byte | 4 |

`data` is the beginning of some valid UTF-8, cut anywhere. Return how many bytes at its end
belong to a character that is not finished yet: 0 to 3.

| data | answer | |
| --- | --- | --- |
| `6f 6b` | 0 | `ok` is whole |
| `6f 6b e6` | 1 | the first byte of three |
| `6f 6b e6 8e` | 2 | two bytes of three |
| `6f 6b e6 8e a8` | 0 | `ok推` is whole |

**Why it matters.** These are the bytes that a detokenizer must hold. To know them it needs
no U+FFFD, no decoding and no text: the bytes say it themselves.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import random_text

TARGET = "minisgl_tok.vocab:open_bytes"
CHAPTER, DIFFICULTY, MINUTES, CORE = "02", 3, 20, True

HINTS = (
    "Start at the end and go back. You are looking for one byte; how far can it be?",
    "Go back until you meet a byte that is no follower. It says how long its character is; you"
    " know how many bytes are there. Compare the two.",
    "If the byte that you met stands `n` bytes before the end (the last byte: n = 1) and its"
    " character needs more than n, the answer is n. Else it is 0. An empty `data` has no such byte."
    " (Or let Python do it: the module `codecs` has an incremental decoder that tells its state.)",
)

SCAFFOLD = """
# for n = 1, 2, 3: the byte that stands n bytes before the end (stop where data begins)
#     a whole character?  nothing is open behind it
#     a lead byte?        how long is its character? is it all there?
#     a follower?         go on
"""

# Enough of a text to see the cut.
TEXTS = {
    "nothing": "",
    "two letters": "6f 6b",
    "a whole é": "c3 a9",
    "half of é": "61 c3",
    "one byte of 推": "6f 6b e6",
    "two bytes of 推": "6f 6b e6 8e",
    "a whole 推": "6f 6b e6 8e a8",
    "one byte of 🦩": "f0",
    "two bytes of 🦩": "e6 8e a8 f0 9f",
    "three bytes of 🦩": "20 f0 9f a6",
    "a whole 🦩": "f0 9f a6 a9",
    "a letter behind 🦩": "f0 9f a6 a9 21",
    "é, then one byte of 推": "c3 a9 e6",
}


def fixed() -> list[Case]:
    return [{"name": name, "bytes": data} for name, data in TEXTS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 13):
        data = random_text(random, random.randint(0, 8)).encode()
        cut = data[: random.randint(0, len(data))]
        cases.append({"name": f"random cut {number}", "bytes": cut.hex(" ")})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import vocab

    return vocab.open_bytes(bytes.fromhex(case["bytes"]))


def oracle(case: Case) -> Any:
    return oracles.open_at_end(bytes.fromhex(case["bytes"]))


@wrong("You count followers and forget the byte that they follow.")
def counts_continuations_only(data):
    count = 0
    while count < len(data) and data[-1 - count] in range(0x80, 0xC0):
        count += 1
    return count


@wrong("A finished character also ends in a high byte; you make it wait.")
def every_high_byte(data):
    count = 0
    while count < len(data) and data[-1 - count] >= 0x80:
        count += 1
    return count


@wrong("Text in your script works. What about a character outside the BMP, which takes more bytes?")
def three_is_enough(data):
    for back in range(1, min(len(data), 2) + 1):
        lead = data[-back]
        if lead < 0x80:
            return 0
        if lead >= 0xC0:
            return back if back < (2 if lead < 0xE0 else 3) else 0
    return 0


@wrong("You ask the last byte. It cannot know how many should come; an earlier one does.")
def last_byte_only(data):
    return 1 if data and data[-1] >= 0xC0 else 0


@wrong(
    "You found the byte that opens the last character and hold from there on, whether its followers have come or not."
)
def back_to_the_lead(data):
    for back in range(1, len(data) + 1):
        if data[-back] < 0x80:
            return 0
        if data[-back] >= 0xC0:
            return back
    return 0


@wrong("You say how many bytes are missing. Asked is how many are there and wait.")
def counts_the_missing(data):
    for back, byte in enumerate(reversed(data[-3:]), start=1):
        if byte < 0x80:
            return 0
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return max(0, length - back)
    return 0


@wrong("Up to three high bytes at the end wait in yours; those of a finished character are among them.")
def high_bytes_up_to_three(data):
    count = 0
    while count < min(len(data), 3) and data[-1 - count] >= 0x80:
        count += 1
    return count


@wrong("There may be no bytes yet; yours looks at one all the same and raises.")
def fails_on_nothing(data):
    back = 1
    while data[-back] in range(0x80, 0xC0):
        back += 1
    lead = data[-back]
    length = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return back if back < length else 0
