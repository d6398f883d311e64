"""an open character

Bytes arrive in portions, cut anywhere. `open_` are the bytes that waited, `new` is the next
portion. Return the **text** that is certain now, and the **bytes** that wait for more.

Any bytes may come, not only valid UTF-8:

* Bytes at the end that can still become a character wait: at most three.
* Bytes that can never become a character are U+FFFD **at once**: one mark for each longest
  beginning of a character (`b"\\xf0\\x9f".decode("utf-8", "replace")` is one mark), one for
  each other byte.
* The byte that broke a character is not part of it: it may begin the next.
* Behind `ed` only `80` to `9f` can follow: UTF-8 has no surrogates.

| `open_` | `new` | text | open after it |
| --- | --- | --- | --- |
| – | `6f 6b f0 9f` | `ok` | `f0 9f` |
| `f0 9f` | `99 82 21` | `🙂!` | – |
| `f0 9f` | `6e 6f` | `�no` | – |
| `e6` | `e6` | `�` | `e6` |
| – | `ff` | `�` | – |
| – | `ed a0` | `��` | – |

`open_bytes` (your b1) and `can_grow` (whether a lead byte and what follows it can still become a
character) may be of use: `from minisgl_tok.safe import can_grow, open_bytes`. They are not the
only way.

**Why it matters.** This is all the state that exact streaming needs: three bytes a request,
whatever a model writes. And no byte, however broken, holds back the text behind it.
"""

import codecs  # wrong answers use it, and find it in their target's module too
from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import hexes, random_pieces, random_text, unhex

TARGET = "minisgl_tok.exact:feed"
CHAPTER, DIFFICULTY, MINUTES, CORE = "07", 3, 20, True

HINTS = (
    "Join what waited and what is new; then there is one question: how much of the end must wait?",
    "Python has a decoder for exactly this. Look through the module `codecs` for one that is"
    " incremental, or for the function of UTF-8 that also tells how many bytes it used.",
    '`codecs.utf_8_decode(data, "replace", False)` returns the text and the number of bytes used;'
    " `False` says that more may come. What it did not use is what waits, with one exception: `ed` and a"
    " byte from `a0` on. Python waits there, though nothing can come; these two are two marks.",
)

STREAMS = {
    "valid text": ["6f 6b f0 9f", "99 82 21"],
    "one byte at a time": ["e6", "8e", "a8", "f0", "9f", "a6", "a9"],
    "a character breaks off": ["f0 9f", "6e 6f"],
    "a character breaks another": ["61 e6", "e6 8e", "a8"],
    "a byte that is none": ["61 ff 62", "ff", "63"],
    "a lead byte that leads nowhere": ["c0", "61", "f5", "62"],
    "followers that follow nothing": ["80", "61 bf bf", "62"],
    "broken in its third byte": ["f0 9f a6", "c3", "a9"],
    "nothing comes": ["e6", "", "8e", "", "a8"],
    "a real U+FFFD": ["61 ef bf", "bd 62"],
    "half a surrogate": ["61 ed a0", "62", "ed", "bf", "ed 9f", "bf"],
}


def fixed() -> list[Case]:
    return [{"name": name, "portions": portions} for name, portions in STREAMS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        data = bytearray(random_text(random, 8).encode())
        for _ in range(random.randint(0, 4)):
            some = random.choice(b"\x80\xa9\xc3\xe6\xed\xf0\xf4\xf5\xff\xc0A")
            data.insert(random.randint(0, len(data)), some)
        portions = random_pieces(random, bytes(data))
        cases.append({"name": f"random bytes {number}", "portions": hexes(portions)})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import exact

    rows, open_ = [], b""
    for portion in case["portions"]:
        text, open_ = exact.feed(open_, bytes.fromhex(portion))
        rows.append({"bytes": portion, "text": text, "open": open_.hex(" ")})
    return {"messages": rows}


def oracle(case: Case) -> Any:
    rows, open_ = [], b""
    for portion, new in zip(case["portions"], unhex(case["portions"]), strict=True):
        text, open_ = oracles.feed(open_, new)
        rows.append({"bytes": portion, "text": text, "open": open_.hex(" ")})
    return {"messages": rows}


@wrong(
    "Right but for one case: Python's decoder waits behind `ed a0`, where no character can go on; the marks come late."
)
def waits_in_vain(open_, new):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(open_ + new), decoder.getstate()[0]


@wrong("What waited and what came were decoded apart: two halves of a character became marks.")
def never_joins(open_, new):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return open_.decode("utf-8", "replace") + decoder.decode(new), decoder.getstate()[0]


@wrong("A bad byte vanished without a trace.")
def ignores_errors(open_, new):
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    return decoder.decode(open_ + new), decoder.getstate()[0]


@wrong("A byte that can never complete holds all text behind it.")
def waits_for_ever(open_, new):
    data = open_ + new
    try:
        return data.decode(), b""
    except UnicodeDecodeError as error:
        return data[: error.start].decode(), data[error.start :]


@wrong("The byte that broke one character was the first of the next, and you threw it away with the first.")
def restarts_after_error(open_, new):
    data, text = open_ + new, ""
    while True:
        try:
            return text + data.decode(), b""
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                return text + data[: error.start].decode(), data[error.start :]
            text += data[: error.start].decode() + "\ufffd"
            data = data[error.end + 1 :]


@wrong("One broken character gave several marks (Unicode: one for each longest beginning of a character).")
def marks_per_byte(open_, new):
    data, text = open_ + new, ""
    while True:
        try:
            return text + data.decode(), b""
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                return text + data[: error.start].decode(), data[error.start :]
            text += data[: error.start].decode() + "\ufffd" * (error.end - error.start)
            data = data[error.end :]


@wrong("Nothing ever waits: half a character went out as U+FFFD, and its other half did too.")
def never_waits(open_, new):
    return (open_ + new).decode("utf-8", "replace"), b""


@wrong(
    "You hold a byte because it looks like the first of a character. No character begins with it; its mark came one portion late."
)
def believes_every_lead(open_, new):
    data = open_ + new
    for back, byte in enumerate(reversed(data[-3:]), start=1):
        if byte >= 0xC0 and back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4):
            return data[:-back].decode("utf-8", "replace"), data[-back:]
        if byte < 0x80 or byte >= 0xC0:
            break
    return data.decode("utf-8", "replace"), b""


@wrong("A text that has a broken byte in it raises, and the whole batch stops.")
def strict(open_, new):
    data = open_ + new
    decoder = codecs.getincrementaldecoder("utf-8")()
    return decoder.decode(data), decoder.getstate()[0]


@wrong("Finished text waited for the half character behind it.")
def all_or_nothing(open_, new):
    try:
        return (open_ + new).decode(), b""
    except UnicodeDecodeError:
        return "", open_ + new
