"""the whole, every time

Decode all ids so far, each time a token comes, and return what is new and safe.

* `self.ids` holds the ids of this request (add the new one), `self.tokenizer.decode(ids)`
  gives their text.
* A U+FFFD at the **end** of the text may be half a character, so it waits. The text before
  it is **safe** and leaves at once.
* `self.sent_offset` is the number of characters that have gone out. Return the safe text
  behind it.

| token | bytes | all decoded | returned | `sent_offset` |
| --- | --- | --- | --- | --- |
| 46602 | `20 e6 8e` | ` �` | ` ` | 1 |
| 101 | `a8` | ` 推` | `推` | 2 |
| 21887 | `e7 90 86` | ` 推理` | `理` | 3 |

All texts here are valid UTF-8, cut into tokens anywhere.

**Why it matters.** It is the simplest detokenizer that never breaks a character, and the
measure for all faster ones: they must send the same text, only with less work.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import PieceTokenizer, hexes, in_stepper, random_pieces, random_text, unhex

TARGET = "minisgl_tok.naive:WholeDetokenizer.push"
CHAPTER, DIFFICULTY, MINUTES, CORE = "02", 2, 15, True

HINTS = (
    "Three texts: all that is decoded, the part of it that is safe, the part of that which is new.",
    "Take the marks off the end before you count anything. What was never sent must not be counted.",
    "`str.rstrip` takes a character off the end as often as it stands there. New is what lies behind"
    " `sent_offset` in the safe text; then `sent_offset` becomes the safe text's length.",
)

STREAMS = {
    "two words": ["6f 6b", "20 73 6f"],
    "鱻": ["e9 b1", "bb"],
    "a space, then half a character": ["20 e6 8e", "a8", "e7 90 86"],
    "four tokens for one emoji": ["61", "f0", "9f", "a6", "a9", "21"],
    "a word in front of the half": ["6f 6b e2", "82", "ac 2e", "21"],
    "a token of no bytes": ["61", "", "c3", "", "a9", "62"],
}


def fixed() -> list[Case]:
    return [{"name": name, "pieces": pieces} for name, pieces in STREAMS.items()]


def fresh(random: Random) -> list[Case]:
    texts = [random_text(random, 12) for _ in range(6)]
    return [
        {"name": f"random stream {number}", "pieces": hexes(random_pieces(random, text))}
        for number, text in enumerate(texts, start=1)
    ]


def run(case: Case) -> Any:
    from minisgl_tok.naive import WholeDetokenizer

    whole = WholeDetokenizer(PieceTokenizer(unhex(case["pieces"])))  # type: ignore[arg-type]
    rows = []
    for token, piece in enumerate(case["pieces"]):
        delta = whole.push(token)
        rows.append({"token": token, "bytes": piece, "sent": whole.sent_offset, "delta": delta})
    return {"messages": rows}


def oracle(case: Case) -> Any:
    rows, sent = [], 0
    deltas = oracles.as_they_arrive(unhex(case["pieces"]), end="open")
    for token, (piece, delta) in enumerate(zip(case["pieces"], deltas, strict=True)):
        sent += len(delta)
        rows.append({"token": token, "bytes": piece, "sent": sent, "delta": delta})
    return {"messages": rows}


def replay(case: Case) -> dict[str, Any]:
    return in_stepper(unhex(case["pieces"]))


@wrong("Each token is decoded alone; half a character plus half a character is two marks, no character.")
def token_by_token(self, token):
    self.ids.append(token)
    delta = self.tokenizer.decode([token])
    self.sent_offset += len(delta)
    return delta


@wrong(
    "A mark went out, then the character in its place. What has left cannot be called back; the frontend shows both."
)
def sends_then_corrects(self, token):
    self.ids.append(token)
    text = self.tokenizer.decode(self.ids)
    delta = text[self.sent_offset :]
    self.sent_offset = len(text.rstrip("\ufffd"))
    return delta


@wrong("Your offset counts tokens, your slice counts characters.")
def counts_tokens(self, token):
    self.ids.append(token)
    delta = self.tokenizer.decode(self.ids).rstrip("\ufffd")[self.sent_offset :]
    self.sent_offset = len(self.ids)
    return delta


@wrong("You count a character as sent that you did not send; the next text is short by one.")
def counts_the_mark(self, token):
    self.ids.append(token)
    text = self.tokenizer.decode(self.ids)
    delta = text.rstrip("\ufffd")[self.sent_offset :]
    self.sent_offset = len(text)
    return delta


@wrong("Text that was already safe waited for the character behind it, and came a message late.")
def holds_the_word_too(self, token):
    self.ids.append(token)
    text = self.tokenizer.decode(self.ids)
    if text[-1:] == "\ufffd":
        return ""
    delta = text[self.sent_offset :]
    self.sent_offset = len(text)
    return delta


@wrong("Each message brings the answer from its beginning: nothing remembers what the frontend has.")
def sends_all_again(self, token):
    self.ids.append(token)
    return self.tokenizer.decode(self.ids).rstrip("\ufffd")


@wrong(
    "Half a character went out as a mark. When it was whole, nothing was new by your count, and the"
    " character never came."
)
def sends_the_mark(self, token):
    self.ids.append(token)
    text = self.tokenizer.decode(self.ids)
    delta = text[self.sent_offset :]
    self.sent_offset = len(text)
    return delta


@wrong("No id is kept: each message decodes its own token with nothing before it.")
def keeps_no_ids(self, token):
    safe = self.tokenizer.decode([*self.ids, token]).rstrip("\ufffd")
    delta = safe[self.sent_offset :]
    self.sent_offset = len(safe)
    return delta


@wrong("Your offset counts bytes, your slice counts characters: behind the first wide one, text is missing.")
def counts_bytes(self, token):
    self.ids.append(token)
    delta = self.tokenizer.decode(self.ids).rstrip("\ufffd")[self.sent_offset :]
    self.sent_offset += len(delta.encode())
    return delta
