"""bytes of a token

The vocabulary of byte-level BPE writes each token as a string, its **piece**. A byte cannot
stand in a string, so each of the 256 bytes is disguised as a character: `A` is the byte 41,
but `Ġ` is 20 (a space) and `Ċ` is 0A. `byte_of` is that map: character → byte.

Tokens that were added later, such as `<｜end｜>`, are written as plain text. So:

* if **every** character of the piece is in `byte_of`, the piece is the bytes that they stand for;
* if **any** character is not, the whole piece is plain text and stands for its own UTF-8.

| piece | bytes | why |
| --- | --- | --- |
| `ok` | `6f 6b` | both characters stand for themselves |
| `Ġæİ` | `20 e6 8e` | a space and two thirds of 推 |
| `<｜end｜>` | `3c ef bd 9c 65 6e 64 ef bd 9c 3e` | `｜` is not in the map |

**Why it matters.** With the bytes of each token at hand, text is a matter of joining bytes;
without them, half a character can only be seen as U+FFFD, which has forgotten what it was.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import random_text

TARGET = "minisgl_tok.vocab:piece_bytes"
CHAPTER, DIFFICULTY, MINUTES, CORE = "02", 2, 12, True

HINTS = (
    "There are two kinds of pieces, and one question about the whole piece decides which one it is.",
    "The question must be answered before the first byte is written: look at all characters first.",
    "`bytes([0x20, 0xE6])` makes bytes of numbers, and `byte_of[char]` is such a number. For the other kind:"
    " how does a `str` become UTF-8?",
)

PIECES = {
    "letters": "Hello",
    "a space in front": "Ġword",
    "a line's end": ";ĊĊ",
    "two thirds of 推 behind a space": "Ġæİ",
    "the last third of 推": "¨",
    "é": "Ã©",
    "an added token within the alphabet": "<|im_start|>",
    "an added token with a foreign character": "<｜end｜>",
    "an added token with a space": "<tool call>",
    "Ġ beside a foreign character": "Ġ｜é",
    "a byte 00 between letters": "aĀb",
    "nothing": "",
}


def fixed() -> list[Case]:
    return [{"name": name, "piece": piece} for name, piece in PIECES.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        data = bytes(random.randrange(256) for _ in range(random.randint(1, 6)))
        piece = "".join(oracles.CHAR_OF[byte] for byte in data)
        cases.append({"name": f"random bytes {number}", "piece": piece})
    for number in range(1, 4):
        piece = f"<{random_text(random, 4)}{random.choice('｜▁ ')}é>"
        cases.append({"name": f"random added token {number}", "piece": piece})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import vocab

    return vocab.piece_bytes(case["piece"], dict(oracles.BYTE_OF))


def oracle(case: Case) -> Any:
    return oracles.byte_level_bytes(case["piece"])


@wrong("`Ġ` is a letter in your bytes. It is a disguise for another byte.")
def encodes_the_disguise(piece, byte_of):
    return piece.encode()


@wrong(
    "Right for the printable half of the bytes only: a character's number is not always the byte it stands for."
)
def latin1(piece, byte_of):
    return piece.encode("latin-1")


@wrong("You went by way of text; text cannot carry half a character. Its bytes are lost for the next token.")
def through_decode(piece, byte_of):
    foreign = [char for char in piece if char not in byte_of]
    data = piece.encode() if foreign else bytes(byte_of[char] for char in piece)
    return data.decode("utf-8", "replace").encode()


@wrong("One foreign character in an added token, and you still translate the rest of it by the map.")
def mixes_rules(piece, byte_of):
    return b"".join(bytes([byte_of[char]]) if char in byte_of else char.encode() for char in piece)


@wrong(
    "Right for ordinary tokens. An added token may have a character that the map does not know; yours raises there."
)
def only_the_map(piece, byte_of):
    return bytes(byte_of[char] for char in piece)


@wrong("A foreign character in an added token vanished: the user reads the rest of it.")
def leaves_foreign_out(piece, byte_of):
    return bytes(byte_of[char] for char in piece if char in byte_of)


@wrong(
    "A character's number is not always the byte that it stands for; where it is no byte at all, yours raises."
)
def number_is_the_byte(piece, byte_of):
    return bytes([ord(char) for char in piece])


@wrong("The byte 00 is a byte like any other, but your test takes it for none.")
def zero_is_missing(piece, byte_of):
    data = [byte_of.get(char) for char in piece]
    return bytes(data) if all(data) else piece.encode()
