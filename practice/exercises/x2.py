"""two tokens in one drain

A drain may hold several messages of one request. The window decodes all messages of a batch
together, so no uid may stand in a batch twice. Split a drain into **rounds**: lists of places
(indices into `msgs`), to be handled one after the other.

* Every place stands in exactly one round.
* No round holds a uid twice.
* The messages of a uid keep their order: an earlier one is in an earlier round.
* There are as few rounds as can be: as many as the busiest uid has messages.

| uids of the messages | rounds |
| --- | --- |
| 7 8 9 | `[[0, 1, 2]]` |
| 7 7 8 8 | `[[0, 2], [1, 3]]` |
| 7 8 7 8 7 | `[[0, 1], [2, 3], [4]]` |
| none | `[]` |

**Why it matters.** A scheduler that runs ahead sends two tokens of a request at once. In the
original the second one repeated the first one's text, and at the end it was a KeyError that
stopped the process.
"""

from collections import Counter
from random import Random
from typing import Any

from practice.exercise import Case, wrong

TARGET = "minisgl_tok.safe:rounds"
CHAPTER, DIFFICULTY, MINUTES, CORE = "06", 3, 20, False

HINTS = (
    "Take one uid alone: into which rounds must its first, second and third message go?",
    "The n-th message of a uid can go into round n, whatever the other uids do. So count messages by uid"
    " as you go.",
    "A dict counts how many messages of each uid you have seen: that number is the round. Where there is"
    " no such round yet, it is the next one; append a new list.",
)

DRAINS = {
    "no message": [],
    "three requests": [7, 8, 9],
    "one request, three tokens": [4, 4, 4],
    "two tokens each": [7, 7, 8, 8],
    "in turn": [7, 8, 7, 8, 7],
    "one busy, others between": [1, 2, 1, 3, 4, 1, 2],
}


def fixed() -> list[Case]:
    cases: list[Case] = [{"name": name, "uids": uids, "finished": []} for name, uids in DRAINS.items()]
    return [*cases, {"name": "the last token of a request", "uids": [5, 6, 5], "finished": [2]}]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        uids = [random.randint(1, 5) for _ in range(random.randint(1, 14))]
        last = {uid: place for place, uid in enumerate(uids)}
        finished = [place for place in last.values() if random.random() < 0.4]
        cases.append({"name": f"random drain {number}", "uids": uids, "finished": sorted(finished)})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeMsg, safe

    uids = case["uids"]
    msgs = [DetokenizeMsg(uid, 0, place in case["finished"]) for place, uid in enumerate(uids)]
    rounds = [list(places) for places in safe.rounds(msgs)]
    flat = [place for places in rounds for place in places]
    twice = [places for places in rounds if len({uids[place] for place in places}) < len(places)]
    orders = {uid: [place for place in flat if uids[place] == uid] for uid in uids}
    return {
        "places, sorted": sorted(flat),
        "rounds that hold a uid twice": twice,
        "uids out of order": [uid for uid, places in orders.items() if places != sorted(places)],
        "number of rounds": len(rounds),
    }


def oracle(case: Case) -> Any:
    return {
        "places, sorted": list(range(len(case["uids"]))),
        "rounds that hold a uid twice": [],
        "uids out of order": [],
        "number of rounds": max(Counter(case["uids"]).values(), default=0),
    }


@wrong("One of two tokens was never looked at: of each uid only the last place is left.")
def last_wins(msgs):
    return [list({msg.uid: place for place, msg in enumerate(msgs)}.values())] if msgs else []


@wrong("Right, with a decode for each message again: nothing is batched.")
def one_by_one(msgs):
    return [[place] for place in range(len(msgs))]


@wrong(
    "Right, but you begin anew at each repeat: a drain such as a a b b has more rounds than any uid has messages."
)
def breaks_at_a_repeat(msgs):
    found, seen = [], set()
    for place, msg in enumerate(msgs):
        if not found or msg.uid in seen:
            found.append([])
            seen = set()
        found[-1].append(place)
        seen.add(msg.uid)
    return found


@wrong("A request was closed before its last token: messages that finish were handled before the others.")
def finish_first(msgs):
    found, counts = [], {}
    for place in sorted(range(len(msgs)), key=lambda place: not msgs[place].finished):
        number = counts[msgs[place].uid] = counts.get(msgs[place].uid, -1) + 1
        if number == len(found):
            found.append([])
        found[number].append(place)
    return found


@wrong("You sorted by request: a round holds all messages of one uid, which is what must not happen.")
def one_round_a_request(msgs):
    found = {}
    for place, msg in enumerate(msgs):
        found.setdefault(msg.uid, []).append(place)
    return list(found.values())


@wrong("Nothing was split: two tokens of one request meet the same window.")
def all_at_once(msgs):
    return [list(range(len(msgs)))] if msgs else []


@wrong("Rounds are right, but they hold uids where places were asked for: the wrong messages are handled.")
def uids_instead(msgs):
    found, counts = [], {}
    for msg in msgs:
        number = counts[msg.uid] = counts.get(msg.uid, -1) + 1
        if number == len(found):
            found.append([])
        found[number].append(msg.uid)
    return found
