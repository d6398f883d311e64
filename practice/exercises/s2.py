"""what to hold

The end of a text may be the beginning of a stop string; the next delta will tell. Return how
many characters at the **end** of `text` could still become a stop: the length of the longest
end that is the beginning of one of `stops`, but not all of it.

* An end that matches a whole stop is a match, not a promise: by itself it does not count.
* The stop must be able to complete with more text **behind**; what stands in `text` stays.

| text | stops | answer | |
| --- | --- | --- | --- |
| `so <` | `["</s>"]` | 1 | `<` may become `</s>` |
| `so </` | `["</s>"]` | 2 | |
| `so </b` | `["</s>"]` | 0 | `</b` cannot any more |
| `so </s>` | `["</s>"]` | 0 | it is there |
| `aab` | `["abc", "bx"]` | 2 | `ab`, not only `b` |

**Why it matters.** Hold too little, and half of a stop is on the user's screen. Hold too
much, and every answer lags behind, though hardly any text has a stop in it.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong

TARGET = "minisgl_tok.stop:held"
CHAPTER, DIFFICULTY, MINUTES, CORE = "05", 3, 20, False

HINTS = (
    "Take one end of the text, say its last two characters. When exactly could they become a stop?",
    "An end can become a stop if the stop begins with it and is longer. Try ends of every length; which"
    " do you try first?",
    "Try the lengths from the largest that makes sense down to 1; the first that fits is the answer, 0 if"
    " none does. `stop.startswith(end)` asks one stop; any of them will do.",
)

TEXTS = {
    "nothing": ("", ["</s>"]),
    "no stop": ("so <", []),
    "one character": ("so <", ["</s>"]),
    "half of it": ("so </", ["</s>"]),
    "all but the last": ("so </s", ["</s>"]),
    "it cannot any more": ("so </b", ["</s>"]),
    "a start that died before": ("a < b", ["</s>"]),
    "it is there": ("so </s>", ["</s>"]),
    "it is there, and may be longer": ("so ab", ["ab", "abc"]),
    "two beginnings": ("xab", ["abc", "bx"]),
    "the text has two of the same": ("aa", ["aab"]),
    "it overlaps itself": ("abab", ["abac", "ababa"]),
    "two stops, the second fits": ("so E", ["</s>", "END"]),
    "longer than the text": ("</", ["so </s>", "</s>"]),
    "text without any beginning": ("so far", ["</s>", "END"]),
}


def fixed() -> list[Case]:
    return [{"name": name, "text": text, "stops": stops} for name, (text, stops) in TEXTS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 11):
        text = "".join(random.choice("ab。") for _ in range(random.randint(0, 8)))
        stops = ["".join(random.choice("ab。") for _ in range(random.randint(1, 5))) for _ in range(3)]
        cases.append({"name": f"random text {number}", "text": text, "stops": stops[: random.randint(1, 3)]})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import stop

    return stop.held(case["text"], case["stops"])


def oracle(case: Case) -> Any:
    text = case["text"]
    ends = [text[place:] for place in range(len(text))]
    return max([len(end) for end in ends if oracles.can_begin(end, case["stops"])], default=0)


@wrong("Safe, and always that many characters late: you hold as much as the longest stop could need.")
def holds_the_longest_stop(text, stops):
    return min(len(text), max(map(len, stops), default=1) - 1)


@wrong("You look one character back; a stop can be half here.")
def one_character(text, stops):
    return int(any(len(stop) > 1 and stop[0] == text[-1:] for stop in stops))


@wrong("The text ends in two possible beginnings. You kept the smaller.")
def shortest(text, stops):
    for length in range(1, len(text) + 1):
        if any(len(stop) > length and stop.startswith(text[-length:]) for stop in stops):
            return length
    return 0


@wrong("This end can no longer become the stop; it waits for nothing.")
def holds_a_dead_start(text, stops):
    longest = max(map(len, stops), default=1) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(text[-length] == stop[0] and length < len(stop) for stop in stops):
            return length
    return 0


@wrong("A finished stop is a match, not a promise; it belongs to s1.")
def whole_stop_too(text, stops):
    for length in range(len(text), 0, -1):
        if any(stop.startswith(text[-length:]) for stop in stops):
            return length
    return 0


@wrong("You ask the first of the stops alone; half of another one goes out.")
def first_stop_only(text, stops):
    for length in range(len(text), 0, -1):
        if any(len(stop) > length and stop.startswith(text[-length:]) for stop in stops[:1]):
            return length
    return 0


@wrong("You look for the beginning of a stop anywhere, and hold all text behind it.")
def begins_anywhere(text, stops):
    places = [text.find(stop[0]) for stop in stops if stop[0] in text]
    return len(text) - min(places) if places else 0
