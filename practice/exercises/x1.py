"""never twice

`output` is all the text of a request that is certain with this message. The window can take
back some of it: with one message it is sure of `丒`, with the next one of nothing, because
`丒ឤ�` ends neither in a Chinese character nor has a space. What has left cannot be called
back, so:

* return what of `output` has not been sent yet: what lies behind `sent_offset`;
* `sent_offset` **never goes back**, even where `output` is shorter than what was sent.

| `output` | returned | `sent_offset` |
| --- | --- | --- |
| `to be` | `to be` | 5 |
| `to ` | nothing | 5 |
| `to be or` | ` or` | 8 |

The text itself never changes, only how much of it is certain.

**Why it matters.** In the original the offset followed the shorter text back, and what lay
between came twice. It happens on valid text, on every server with this window.
"""

from random import Random
from typing import Any

from practice.exercise import Case, change, wrong
from practice.streams import random_text

TARGET = "minisgl_tok.safe:SafeDetokenizeManager.cut"
CHAPTER, DIFFICULTY, MINUTES, CORE = "06", 2, 10, False

HINTS = (
    "Two things must be right: what is returned, and what is remembered. Which of them went wrong in"
    " the original?",
    "The slice behind `sent_offset` is empty by itself where the text is shorter. It is the number that"
    " must not follow.",
    "After the slice: the new `sent_offset` is the larger of two numbers.",
)

OUTPUTS = {
    "it only grows": ["to", "to be", "to be or"],
    "shorter once": ["to be", "to ", "to be or"],
    "shorter, then longer step by step": ["a bc", "a ", "a b", "a bcd", "a bcdef"],
    "the same again": ["to be", "to be", "to be or"],
    "nothing at first": ["", "", "木"],
    "nothing in between": ["", "丒", "", "丒ឤ킬", "丒ឤ킬x"],
}


def fixed() -> list[Case]:
    return [{"name": name, "outputs": outputs} for name, outputs in OUTPUTS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        text = random_text(random, 20)
        lengths = [min(len(text), max(0, 3 * n + random.randint(-4, 4))) for n in range(6)]
        cases.append({"name": f"random outputs {number}", "outputs": [text[:length] for length in lengths]})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import DecodeStatus
    from minisgl_tok.safe import SafeDetokenizeManager

    manager = SafeDetokenizeManager.__new__(SafeDetokenizeManager)  # `cut` needs nothing of it
    status, rows = DecodeStatus(), []
    for output in case["outputs"]:
        delta = manager.cut(status, output)
        rows.append({"output": output, "delta": delta, "sent": status.sent_offset})
    return {"messages": rows}


def oracle(case: Case) -> Any:
    rows, had = [], ""
    for output in case["outputs"]:
        delta = "" if had.startswith(output) else output.removeprefix(had)
        had += delta
        rows.append({"output": output, "delta": delta, "sent": len(had)})
    return {"messages": rows}


remembers_the_shorter = change(
    "The text shortened once and was sent again when it grew.",
    ("max(status.sent_offset, len(output))", "len(output)"),
)


@wrong("The number is right, but the text is not cut by it: everything goes out again with each message.")
def offset_only(self, status, output):
    status.sent_offset = max(status.sent_offset, len(output))
    return output


@wrong("No one remembers what has left: `sent_offset` stands still, and all text goes out with each message.")
def never_moves(self, status, output):
    return output[status.sent_offset :]


@wrong("The number moved before the text was cut by it; nothing ever leaves.")
def moves_first(self, status, output):
    status.sent_offset = max(status.sent_offset, len(output))
    return output[status.sent_offset :]


@wrong(
    "The text shortened once, and you hold back as much from then on: text that had nothing to do with it is late."
)
def waits_for_growth(self, status, output):
    missing = status.sent_offset - len(output)
    status.lag = max(getattr(status, "lag", 0), missing)
    end = max(status.sent_offset, len(output) - status.lag)
    delta = output[status.sent_offset : end]
    status.sent_offset = end
    return delta


@wrong("You cut off as many characters as are new, from the back. Where nothing is new, that is everything.")
def from_the_back(self, status, output):
    new = len(output) - status.sent_offset
    status.sent_offset = max(status.sent_offset, len(output))
    return output[-new:]


@wrong("A text that became shorter raises. It is no one's mistake, and the whole batch stops.")
def shorter_is_an_error(self, status, output):
    if len(output) < status.sent_offset:
        raise ValueError("the text became shorter")
    delta = output[status.sent_offset :]
    status.sent_offset = len(output)
    return delta
