"""the earliest match

A request ends where one of its stop strings appears in the text. Find where the **first** of
them begins, and which it is: `(place, stop)`, or `None` where there is none.

* The place counts, not the order in which the stops are listed.
* Where two stops begin at the same place, the **longer** one wins.
* An empty string is no stop.

| text | stops | answer |
| --- | --- | --- |
| `one END two` | `["two", "END"]` | `(4, "END")` |
| `one END two` | `["E", "END"]` | `(4, "END")` |
| `one` | `["END"]` | `None` |

**Why it matters.** What stands before this place is the answer; what stands behind it was
never asked for. One place too far, and the user reads it.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong

TARGET = "minisgl_tok.stop:earliest"
CHAPTER, DIFFICULTY, MINUTES, CORE = "05", 2, 12, False

HINTS = (
    "Each stop alone has a first place in the text, or none. Which of these places do you want?",
    "Collect a pair of place and stop for each stop that is there at all, then take the smallest place."
    " Among equal places something else decides.",
    "`text.find(stop)` gives -1 where there is none. `min` takes a `key`: a pair of the place and the"
    " length turned negative puts the longer one first.",
)

TEXTS = {
    "no stop": ("one two", []),
    "none is there": ("one two", ["END", "x"]),
    "one of two": ("one END", ["x", "END"]),
    "the later one is listed first": ("one END two", ["two", "END"]),
    "two begin at one place": ("one END two", ["E", "END"]),
    "two begin at one place, the longer first": ("one END two", ["END", "E"]),
    "the same stop twice": ("a; b; c", [";"]),
    "at the front": ("END", ["END"]),
    "an empty stop": ("one END", ["", "END"]),
    "only an empty stop": ("one", [""]),
    "a later, longer one": ("ab abc", ["abc", "b"]),
    "characters of several bytes": ("推理。结束。", ["束", "。"]),
}


def fixed() -> list[Case]:
    return [{"name": name, "text": text, "stops": stops} for name, (text, stops) in TEXTS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 11):
        text = "".join(random.choice("abc。") for _ in range(random.randint(0, 10)))
        stops = ["".join(random.choice("abc。") for _ in range(random.randint(1, 3))) for _ in range(3)]
        stops = random.choice([stops, stops[:1], [*stops, ""]])
        cases.append({"name": f"random text {number}", "text": text, "stops": stops})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import stop

    return stop.earliest(case["text"], case["stops"])


def oracle(case: Case) -> Any:
    return oracles.first_stop(case["text"], case["stops"])


@wrong("You honour the order the caller wrote, not the order of the text.")
def first_in_the_list(text, stops):
    for stop in stops:
        if stop and stop in text:
            return text.index(stop), stop
    return None


@wrong("Two stops begin at one place; you report the one that ended there first.")
def shorter_of_two(text, stops):
    found = [(text.find(stop), len(stop), stop) for stop in stops if stop and stop in text]
    return (min(found)[0], min(found)[2]) if found else None


@wrong("Text behind a stop went out: of a stop that comes twice you saw only the second.")
def last_match(text, stops):
    found = [(text.rfind(stop), -len(stop), stop) for stop in stops if stop and stop in text]
    return (min(found)[0], min(found)[2]) if found else None


@wrong("A stop of no characters matches everywhere; your request ended before it began.")
def empty_stop(text, stops):
    found = [(text.find(stop), -len(stop), stop) for stop in stops if stop in text]
    return (min(found)[0], min(found)[2]) if found else None


@wrong("A stop that is not in the text was found all the same, one character before the text's beginning.")
def missing_is_a_place(text, stops):
    found = [(text.find(stop), -len(stop), stop) for stop in stops if stop]
    return (min(found)[0], min(found)[2]) if found else None


@wrong("The longest stop wins, wherever it stands; text behind an earlier one went out.")
def longest_anywhere(text, stops):
    found = [(-len(stop), text.find(stop), stop) for stop in stops if stop and stop in text]
    return (min(found)[1], min(found)[2]) if found else None
