"""nothing is lost at the end

The last message of a request has come; no token will complete anything any more. `new_text`
is the text of the ids that are not yet confirmed. It may end in half a character, which
decodes to one U+FFFD. Return what leaves with this message:

* all confirmed text (`status.decoded_str`) and all of `new_text`, but of course only what
  has not left yet: `self.cut(status, output)` sees to that;
* what becomes of the half character is for `self.on_cut` to say: with `"replace"` its U+FFFD
  goes out, with `"drop"` it is left out, the mark alone;
* a U+FFFD that the model **wrote** is whole and stays in both cases.

`self.windows(status)` gives the ids to read and the ids of the context;
`self.is_whole(text, ids)` says whether a text, decoded from these ids, ends with a whole
character. `new_text` ends where the ids to read end, so ask about it with these.

| last bytes | `on_cut` | the end of the answer |
| --- | --- | --- |
| `6f 6b 20 6e 6f` | either | `ok no` |
| `6f 6b e6 8e` | `"replace"` | `ok�` |
| `6f 6b e6 8e` | `"drop"` | `ok` |
| `6f 6b ef bf bd` | either | `ok�` |

**Why it matters.** A request that is cut at its longest ends anywhere. The original held the
unfinished end for ever, and with it the words before it up to the last space.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import as_ids, byte_tokenizer, hexes, random_pieces, random_text, unhex

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.detokenize import find_printable_text

TARGET = "minisgl_tok.safe:SafeDetokenizeManager.flush"
CHAPTER, DIFFICULTY, MINUTES, CORE = "06", 2, 15, True

HINTS = (
    "In one case out of four something is taken away. Find that case; in the others everything goes.",
    'Only with `"drop"`, and only where the text does not end with a whole character, one mark goes.',
    "First look whether the mark must be taken off `new_text` (a slice does it). Then the output is"
    " confirmed text and new text together, and `self.cut` makes the delta of it.",
)

STREAMS = {
    "whole words": ["6f 6b", "20 6e 6f"],
    "half a character": ["6f 6b", "e6 8e"],
    "a word, then half": ["6f 6b 20 6e 6f e6"],
    "a word ahead, then half": ["6f 6b 20 e6", "8e"],
    "half, completed by the last": ["61", "f0 9f", "a6 a9 62"],
    "a real U+FFFD": ["6f 6b", "ef bf bd"],
    "a real U+FFFD, then half": ["6f 6b", "ef bf bd", "f0 9f"],
    "a real U+FFFD and half in one token": ["6f 6b", "ef bf bd f0 9f"],
    "text before and behind the last whole": ["6f 6e 65 20", "74 77 6f 20", "c3"],
}


def fixed() -> list[Case]:
    return [
        {"name": f"{name}, {on_cut}", "on_cut": on_cut, "pieces": pieces}
        for name, pieces in STREAMS.items()
        for on_cut in ("replace", "drop")
    ]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        data = (random_text(random, 8) + random.choice(["", "\ufffd", "\ufffd鱻"])).encode()
        pieces = hexes(random_pieces(random, data[: random.randint(1, len(data))]))
        case = {"name": f"random cut {number}", "on_cut": random.choice(["replace", "drop"])}
        cases.append({**case, "pieces": pieces})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeMsg
    from minisgl_tok.safe import SafeDetokenizeManager

    ids, pieces = as_ids(unhex(case["pieces"]))
    manager = SafeDetokenizeManager(byte_tokenizer(pieces), on_cut=case["on_cut"])
    rows = []
    for n, (token, piece) in enumerate(zip(ids, case["pieces"], strict=True), start=1):
        finished = n == len(ids)
        [delta] = manager.detokenize([DetokenizeMsg(1, token, finished)])
        rows.append({"token": token, "bytes": piece, "finished": finished, "delta": delta})
    return {"messages": rows}


def oracle(case: Case) -> Any:
    stream = unhex(case["pieces"])
    ids, _ = as_ids(stream)
    deltas = oracles.as_they_arrive(stream, end=case["on_cut"])
    rows = []
    for n, (token, piece) in enumerate(zip(ids, case["pieces"], strict=True), start=1):
        finished = n == len(ids)
        rows.append({"token": token, "bytes": piece, "finished": finished, "delta": deltas[n - 1]})
    return {"messages": rows}


def replay(case: Case) -> dict[str, Any]:
    ids, pieces = as_ids(unhex(case["pieces"]))
    return {"tokenizer": byte_tokenizer(pieces), "ids": ids}


@wrong("The last word stayed behind because no space followed.")
def only_printable(self, status, new_text):
    return self.cut(status, status.decoded_str + find_printable_text(new_text))


@wrong("Half a character at the end took the whole words before it along.")
def all_or_nothing(self, status, new_text):
    ids, _ = self.windows(status)
    return self.cut(status, status.decoded_str + (new_text if self.is_whole(new_text, ids) else ""))


@wrong("The half character should go; you dropped the whole words before it with it.")
def drops_the_new_text(self, status, new_text):
    ids, _ = self.windows(status)
    if self.on_cut == "drop" and not self.is_whole(new_text, ids):
        new_text = ""
    return self.cut(status, status.decoded_str + new_text)


@wrong("With the last message all text of the request went out again: what had left was not cut off.")
def cuts_nothing(self, status, new_text):
    ids, _ = self.windows(status)
    if self.on_cut == "drop" and not self.is_whole(new_text, ids):
        new_text = new_text[:-1]
    return status.decoded_str + new_text


@wrong("A U+FFFD that the model wrote was taken for damage.")
def drops_real_marks(self, status, new_text):
    if self.on_cut == "drop":
        new_text = new_text.rstrip("\ufffd")
    return self.cut(status, status.decoded_str + new_text)


@wrong(
    "Of several marks at the end only the last stands for half a character; you dropped those the model wrote, too."
)
def drops_all_marks(self, status, new_text):
    ids, _ = self.windows(status)
    if self.on_cut == "drop" and not self.is_whole(new_text, ids):
        new_text = new_text.rstrip("\ufffd")
    return self.cut(status, status.decoded_str + new_text)


@wrong("Text from before came again: the context was sent along.")
def flushes_the_context(self, status, new_text):
    ids, _ = self.windows(status)
    text = self.tokenizer.decode(ids)
    if self.on_cut == "drop" and not self.is_whole(text, ids):
        text = text[:-1]
    return self.cut(status, status.decoded_str + text)


@wrong("A request wished for no marks at its end and got one.")
def always_replaces(self, status, new_text):
    return self.cut(status, status.decoded_str + new_text)


@wrong("What had gone ahead of its confirmation went out again with the end.")
def sends_ahead_again(self, status, new_text):
    ids, _ = self.windows(status)
    if self.on_cut == "drop" and not self.is_whole(new_text, ids):
        new_text = new_text[:-1]
    return new_text
