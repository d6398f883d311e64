"""the text that is certain

The end of a text may still change when the next token comes. Return the beginning of `text`
that can go out already. mini-sglang asks four questions in this order; the first "yes" decides.

| | does the text … | then goes out | text | result |
| --- | --- | --- | --- | --- |
| 1 | end in a newline? | all of it | `ok\\n` | `ok\\n` |
| 2 | end in a Chinese character? | all of it | `to 推` | `to 推` |
| 3 | have a Chinese character as its last but one? | all but the last character | `推�` | `推` |
| 4 | otherwise | all up to the last space, the space included | `to be con` | `to be ` |

Where there is no space either, nothing goes out: `con` gives the empty text.

A character is **Chinese** if its code point lies in one of these ranges (both ends belong to
it). `is_chinese(char)` is there to use.

| block | range |
| --- | --- |
| CJK Unified Ideographs | 4E00–9FFF |
| Extension A | 3400–4DBF |
| Extension B | 20000–2A6DF |
| Extension C | 2A700–2B73F |
| Extension D | 2B740–2B81F |
| Extension E | 2B820–2CEAF |
| Compatibility Ideographs | F900–FAFF |
| Compatibility Ideographs Supplement | 2F800–2FA1F |

**Why it matters.** While half a character is held back, this rule decides what a reader sees
in the meantime: too much, and it must be taken back; too little, and the text stutters.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, change, wrong
from practice.streams import random_text

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.detokenize import is_chinese

TARGET = "minisgl_tok.detokenize:find_printable_text"
CHAPTER, DIFFICULTY, MINUTES, CORE = "03", 2, 12, False

HINTS = (
    "Four questions, four returns. Mind the texts that are too short for a question.",
    "The first three look at one character each, at a place counted from the end. The fourth needs"
    " the place of the last space.",
    "What does your search for the last space give when there is none? Look it up, and see what"
    " becomes of it when you add one.",
)

TEXTS = {
    "nothing": "",
    "one letter": "a",
    "a newline at the end": "to be\n",
    "a newline inside": "to be\nor n",
    "Chinese": "推理",
    "Chinese, then a mark": "推理\ufffd",
    "Chinese, then a letter": "推a",
    "Chinese, then two letters": "to 推ab",
    "Chinese, then a space": "推 ",
    "words": "to be con",
    "a space at the end": "to be ",
    "a space at the front": " to",
    "a word without a space": "con",
    "a word, then a mark": "so\ufffd",
    "two words, then a mark": "so so\ufffd",
    "kana": "すし ひらが",
    "Hangul": "안녕",
    "the last of extension B": "a\U0002a6df",
    "behind the last of the unified block": "a b\ua000",
    "one that is kept for compatibility": "a b\uf900",
}


def fixed() -> list[Case]:
    return [{"name": name, "text": text} for name, text in TEXTS.items()]


def fresh(random: Random) -> list[Case]:
    ends = ["", "\ufffd", "\n", " ", "推\ufffd", "ab", _border(random), _border(random) + "x"]
    return [
        {"name": f"random text {number}", "text": random_text(random, random.randint(1, 8)) + end}
        for number, end in enumerate(ends, start=1)
    ]


def _border(random: Random) -> str:
    """A character at the border of one of the ranges, or next to it."""
    border = random.choice(random.choice(sorted(oracles.CHINESE_BLOCKS.values())))
    return chr(int(border, 16) + random.choice([-1, 0, 1]))


def run(case: Case) -> Any:
    from minisgl_tok import detokenize

    return detokenize.find_printable_text(case["text"])


def oracle(case: Case) -> Any:
    return oracles.printable(case["text"])


@wrong("You drop the U+FFFD and send the word before it, which may still change.")
def strips_the_mark(text):
    return text.rstrip("\ufffd")


@wrong("The space itself stays behind, and arrives late.")
def before_the_space(text):
    if text[-1:] == "\n" or any(is_chinese(char) for char in text[-1:]):
        return text
    if any(is_chinese(char) for char in text[-2:-1]):
        return text[:-1]
    return text.rpartition(" ")[0]


all_after_newline = change(
    "A newline anywhere releases everything; the rule looks at one place.",
    ('text.endswith("\\n")', '"\\n" in text'),
)


@wrong("You treat every wide script alike. Compare with the ranges in the table.")
def kana_is_chinese(text):
    def wide(char):
        return is_chinese(char) or 0x3040 <= ord(char) <= 0x30FF or 0xAC00 <= ord(char) <= 0xD7A3

    if text[-1:] == "\n" or any(wide(char) for char in text[-1:]):
        return text
    if any(wide(char) for char in text[-2:-1]):
        return text[:-1]
    return text[: text.rfind(" ") + 1]


@wrong(
    "With a space the space stays behind; without one all but the last character goes out. What"
    " does your search give then?"
)
def minus_one(text):
    if text[-1:] == "\n" or any(is_chinese(char) for char in text[-1:]):
        return text
    if any(is_chinese(char) for char in text[-2:-1]):
        return text[:-1]
    return text[: text.rfind(" ")]


@wrong("Text goes out up to the first space; the words behind it wait although they are certain.")
def first_space(text):
    if text[-1:] == "\n" or any(is_chinese(char) for char in text[-1:]):
        return text
    if any(is_chinese(char) for char in text[-2:-1]):
        return text[:-1]
    return text[: text.find(" ") + 1]


@wrong("You know the Chinese characters of the first block alone; the rarer ones wait for a space.")
def one_block_only(text):
    def common(char):
        return "\u4e00" <= char <= "\u9fff"

    if text[-1:] == "\n" or any(common(char) for char in text[-1:]):
        return text
    if any(common(char) for char in text[-2:-1]):
        return text[:-1]
    return text[: text.rfind(" ") + 1]


@wrong("You know newlines and spaces alone. Chinese text has hardly any, and waits for them.")
def spaces_only(text):
    return text if text[-1:] == "\n" else text[: text.rfind(" ") + 1]


@wrong("One character behind Chinese text, a mark perhaps, and all of the text before it waits.")
def forgets_the_last_but_one(text):
    if text[-1:] == "\n" or any(is_chinese(char) for char in text[-1:]):
        return text
    return text[: text.rfind(" ") + 1]


@wrong("A text without a space goes out whole, although nothing in it is certain.")
def all_without_a_space(text):
    if text[-1:] == "\n" or any(is_chinese(char) for char in text[-1:]):
        return text
    if any(is_chinese(char) for char in text[-2:-1]):
        return text[:-1]
    return text[: text.rfind(" ") + 1] if " " in text else text


@wrong("A text may have one character, or none; yours asks for a character that is not there and raises.")
def fails_on_short_texts(text):
    if text.endswith("\n") or is_chinese(text[-1]):
        return text
    return text[:-1] if is_chinese(text[-2]) else text[: text.rfind(" ") + 1]
