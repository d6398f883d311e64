"""push and release

A `StopStrings` watches one request. `push(delta, finished)` gets each new text and returns
two things: the text that may leave **now**, and the stop that has matched with this delta
(`None` if none has).

* All that leaves, joined, is the text up to its earliest stop; nothing of the stop leaves,
  nothing behind it. A stop may come in several deltas.
* What could still become a stop is held; all other text leaves **at once**.
* A match is final as soon as no stop that begins earlier, and none that is longer at the
  same place, can still complete.
* `finished`: no more text will come. Then nothing is held, and nothing can complete.
* After a match nothing leaves any more: `("", None)`.

What is there to use: `earliest(text, stops)` and `held(text, stops)` (your s1 and s2),
`self.stops`, `self.waiting` (a text, at first empty) and `self.matched` (at first `None`).
Keep only what you hold; the whole answer is not yours to keep.

With the stop `</s>`:

| delta | finished | returned |
| --- | --- | --- |
| `so <` | no | `("so ", None)` |
| `/b` | no | `("</b", None)` |
| `x</` | no | `("x", None)` |
| `s> and` | no | `("", "</s>")` |
| `more` | yes | `("", None)` |

**Why it matters.** Models write stops across tokens all the time. A server that looks at each
delta alone lets them pass; one that searches the whole answer again each time gets slower
with every token.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, wrong

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.stop import earliest, held

TARGET = "minisgl_tok.stop:StopStrings.push"
CHAPTER, DIFFICULTY, MINUTES, CORE = "05", 3, 30, False

HINTS = (
    "What must be searched with each delta: the delta, the whole answer, or something between?",
    "Search what waited together with the delta. There are three endings: already matched before; a match"
    " that is final; no match yet, where one part leaves and one part waits.",
    "Let `certain` be the length of the text without what is held (nothing is held when finished). A match"
    " that begins before `certain` is final; when finished, any match is. Otherwise the text up to"
    " `certain` leaves and the rest waits.",
)

SCAFFOLD = """
# 1  matched before: nothing leaves
# 2  what waited and the delta together; how much of it is certain?
# 3  a match that is final: the text before it leaves, nothing waits
#    otherwise: what is certain leaves, the rest waits
"""

# stops, deltas; the last delta finishes
STREAMS = {
    "no stop": ([], ["one ", "two"]),
    "it never comes": (["</s>"], ["so < ", "far"]),
    "in one delta": (["END"], ["one ", "END", " two"]),
    "in the middle of a delta": (["END"], ["one END two", "three"]),
    "in two deltas": (["</s>"], ["so </", "s> and", " on"]),
    "one character at a time": (["</s>"], ["a", "<", "/", "s", ">", "b"]),
    "a beginning that fails": (["</s>"], ["so <", "/b", " x"]),
    "a beginning at the end": (["</s>"], ["so", " <"]),
    "two that begin alike": (["ab", "abc"], ["x ab", "c y", "z"]),
    "two that begin alike, the longer fails": (["ab", "abc"], ["x ab", "d y", "z"]),
    "two that begin alike, at the end": (["ab", "abc"], ["x ", "ab"]),
    "one inside another": (["bc", "abcd"], ["x abc", "d", "e"]),
    "the last delta brings it": (["END"], ["one E", "ND"]),
    "a stop twice": ([";"], ["a; b", "; c", ""]),
    "a long answer": (["END"], ["to be or not to be, "] * 12),
}


def fixed() -> list[Case]:
    return [{"name": name, "stops": stops, "deltas": deltas} for name, (stops, deltas) in STREAMS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 11):
        stops = ["".join(random.choice("ab") for _ in range(random.randint(1, 4))) + "。" for _ in range(2)]
        stops += random.choice([[], ["".join(random.choice("ab。") for _ in range(random.randint(2, 3)))]])
        deltas = [
            "".join(random.choice("aab。 ") for _ in range(random.randint(0, 4)))
            for _ in range(random.randint(1, 7))
        ]
        cases.append({"name": f"random stream {number}", "stops": stops, "deltas": deltas})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok.stop import StopStrings

    strings = StopStrings(case["stops"])
    enough = max(map(len, case["stops"]), default=1) + max(map(len, case["deltas"]))
    rows, most = [], 0
    for n, delta in enumerate(case["deltas"], start=1):
        leaves, matched = strings.push(delta, n == len(case["deltas"]))
        rows.append({"push": delta, "leaves": leaves, "matched": matched})
        kept = [_size(value) for name, value in vars(strings).items() if name != "stops"]
        most = max(most, *kept)
    return {"messages": rows, "text kept": "bounded" if most <= enough else "grows"}


def _size(value: Any) -> int:
    """Characters of a text, or of all texts in a list."""
    if isinstance(value, list):
        return sum(map(_size, value)) if all(isinstance(item, str) for item in value) else 0
    return len(value) if isinstance(value, str) else 0


def oracle(case: Case) -> Any:
    rows, text, sent, done = [], "", "", False
    for n, delta in enumerate(case["deltas"], start=1):
        text += delta
        allowed, matched = oracles.may_leave(text, case["stops"], over=n == len(case["deltas"]))
        leaves = "" if done else allowed.removeprefix(sent)
        rows.append({"push": delta, "leaves": leaves, "matched": None if done else matched})
        sent, done = sent + leaves, done or matched is not None
    return {"messages": rows, "text kept": "bounded"}


@wrong("The stop came in two messages and passed through.")
def searches_the_delta(self, delta, finished):
    if self.matched is not None:
        return "", None
    match = earliest(delta, self.stops)
    if match is None:
        return delta, None
    self.matched = match[1]
    return delta[: match[0]], self.matched


@wrong("The frontend reads the stop itself.")
def sends_the_stop(self, delta, finished):
    if self.matched is not None:
        return "", None
    text = self.waiting + delta
    certain = len(text) - (0 if finished else held(text, self.stops))
    match = earliest(text, self.stops)
    if match and (match[0] < certain or finished):
        self.waiting, self.matched = "", match[1]
        return text[: match[0] + len(match[1])], self.matched
    self.waiting = text[certain:]
    return text[:certain], None


@wrong("One message held the stop and text after it; only the stop was cut out.")
def sends_what_follows(self, delta, finished):
    if self.matched is not None:
        return "", None
    text = self.waiting + delta
    certain = len(text) - (0 if finished else held(text, self.stops))
    match = earliest(text, self.stops)
    if match and (match[0] < certain or finished):
        self.waiting, self.matched = "", match[1]
        return text[: match[0]] + text[match[0] + len(match[1]) :], self.matched
    self.waiting = text[certain:]
    return text[:certain], None


@wrong("The request ended and what waited never left.")
def keeps_at_the_end(self, delta, finished):
    if self.matched is not None:
        return "", None
    text = self.waiting + delta
    certain = len(text) - held(text, self.stops)
    match = earliest(text, self.stops)
    if match and match[0] < certain:
        self.waiting, self.matched = "", match[1]
        return text[: match[0]], self.matched
    self.waiting = text[certain:]
    return text[:certain], None


@wrong("After the match new text came out.")
def goes_on_after_a_match(self, delta, finished):
    text = self.waiting + delta
    certain = len(text) - (0 if finished else held(text, self.stops))
    match = earliest(text, self.stops)
    if match and (match[0] < certain or finished):
        self.waiting, self.matched = "", match[1]
        return text[: match[0]], self.matched
    self.waiting = text[certain:]
    return text[:certain], None


@wrong("Right, at a cost that grows with the answer: you keep all of it and search it again each time.")
def searches_everything_again(self, delta, finished):
    if self.matched is not None:
        return "", None
    sent = getattr(self, "sent", 0)
    self.waiting += delta
    certain = len(self.waiting) - (0 if finished else held(self.waiting, self.stops))
    match = earliest(self.waiting, self.stops)
    if match and (match[0] < certain or finished):
        self.matched, certain = match[1], match[0]
    self.sent = certain
    return self.waiting[sent:certain], self.matched


@wrong("Two stops begin alike; you took the shorter one before the longer one could end.")
def decides_too_early(self, delta, finished):
    if self.matched is not None:
        return "", None
    text = self.waiting + delta
    match = earliest(text, self.stops)
    if match:
        self.waiting, self.matched = "", match[1]
        return text[: match[0]], self.matched
    certain = len(text) - (0 if finished else held(text, self.stops))
    self.waiting = text[certain:]
    return text[:certain], None


@wrong(
    "Nothing had to wait, and just then nothing left: an end of no characters was cut off, and it took all."
)
def cuts_off_minus_nothing(self, delta, finished):
    if self.matched is not None:
        return "", None
    text = self.waiting + delta
    match = earliest(text, self.stops)
    if match:
        self.waiting, self.matched = "", match[1]
        return text[: match[0]], self.matched
    wait = held(text, self.stops)
    self.waiting = text[-wait:]
    return text[:-wait], None


@wrong("Something waited, the next delta came alone, and what had waited never left.")
def forgets_what_waited(self, delta, finished):
    if self.matched is not None:
        return "", None
    match = earliest(self.waiting + delta, self.stops)
    if match:
        text, self.matched = self.waiting + delta, match[1]
        return text[: match[0]], self.matched
    certain = len(delta) - (0 if finished else held(delta, self.stops))
    self.waiting = delta[certain:]
    return delta[:certain], None


@wrong("Nothing leaves before the end: the user waits for the whole answer.")
def holds_everything(self, delta, finished):
    if self.matched is not None:
        return "", None
    self.waiting += delta
    match = earliest(self.waiting, self.stops)
    if match:
        self.matched = match[1]
        return self.waiting[: match[0]], self.matched
    return (self.waiting if finished else ""), None
