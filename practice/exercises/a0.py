"""does it end in half a character?

A tokenizer writes the character U+FFFD (`�`) where bytes do not make a character. At the
end of a text it may be half of one: the other half is in the next token. In the middle of
a text nothing more can come.

Return `True` if `text` ends in U+FFFD, else `False`.

| text | answer | |
| --- | --- | --- |
| `so�` | `True` | the end must wait |
| `�so` | `False` | whatever it was, it is over |
| `so` | `False` | nothing is open |

U+FFFD can be written `"\\ufffd"`, or `REPLACEMENT`, which is there to use.

**Why it matters.** A server that sends this mark cannot call it back: the user sees `�`
where 🦩 should have been.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import random_text

TARGET = "minisgl_tok.detokenize:ends_in_half"
CHAPTER, DIFFICULTY, MINUTES, CORE = "00", 1, 3, True

HINTS = (
    "Only one place of the text decides. Which?",
    "A text can be empty; then nothing stands at that place.",
    "A string can be asked how it ends, without counting: look through the methods of `str`"
    " (`dir('')`) for one that says so. It is happy with an empty text too.",
)

# What each message's text was decoded from.
TEXTS = {
    "nothing": "",
    "a word": "73 6f",
    "a word, then the first two bytes of 鱻": "73 6f e9 b1",
    "nothing but the first two bytes of 鱻": "e9 b1",
    "a broken character, then a word": "e9 b1 73 6f",
    "a question": "73 6f 3f",
    "two broken characters": "61 e9 b1 62 f0 9f a6",
}


def fixed() -> list[Case]:
    return [_case(name, bytes.fromhex(data)) for name, data in TEXTS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 9):
        data = random_text(random, random.randint(0, 8)).encode()
        before = random.choice([b"", b"\xe9\xb1", b"\xf0\x9f\xa6 "])  # broken, and over
        cases.append(_case(f"random text {number}", before + data[: random.randint(0, len(data))]))
    return cases


def _case(name: str, data: bytes) -> Case:
    return {"name": name, "text": data.decode("utf-8", "replace"), "bytes": data.hex(" ")}


def run(case: Case) -> Any:
    from minisgl_tok import detokenize

    return detokenize.ends_in_half(case["text"])


def oracle(case: Case) -> Any:
    return bool(oracles.open_at_end(bytes.fromhex(case["bytes"])))


@wrong("A U+FFFD in the middle makes you wait for a character that ended long ago.")
def looks_anywhere(text):
    return "\ufffd" in text


@wrong("You see half a character only when nothing stands before it.")
def whole_text_only(text):
    return text == "\ufffd"


@wrong("A message may bring no text at all; yours raises there.")
def fails_on_nothing(text):
    return text[-1] == "\ufffd"


@wrong("You look for a character that looks like it. Print `ascii()` of both.")
def question_mark(text):
    return text[-1:] == "?"


@wrong("You see only a text that begins in a broken character; the half at its other side goes out.")
def looks_at_the_front(text):
    return text[:1] == "\ufffd"
