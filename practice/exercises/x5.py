"""late and aborted

A message can come too late: the scheduler runs ahead by a token, and an abort crosses tokens
that are under way. Such a message must not begin a request that nobody will ever finish.

Say whether a message shall be looked at, and see to it that its request has a state:

* its request is **open** (in `self.decode_map`): yes;
* its request is **over** (`msg.uid in self.ended`): no, however many such messages come;
* its uid is **new**: yes; `self.open(uid)` begins the request.

`self.ended` remembers the uids that ended last, and forgets the oldest by itself: a server
ends millions of requests. A uid that was forgotten is as good as new. What ends or aborts a
request is done for you; so is a new beginning under an old uid (`open`).

| message | answer | |
| --- | --- | --- |
| uid 1, `6f 6b` | yes | new: opened |
| uid 1, `21`, finished | yes | open |
| uid 1, `3f` | no | over |
| uid 1, `3f` | no | still over |

**Why it matters.** In the original a late token began a request anew: its user got a word
after the end, and its state stayed for the life of the process.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice.exercise import Case, wrong
from practice.streams import byte_tokenizer

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.ended import EndedUids

TARGET = "minisgl_tok.safe:SafeDetokenizeManager.accept"
CHAPTER, DIFFICULTY, MINUTES, CORE = "06", 3, 20, False

HINTS = (
    "Three situations, three answers. In one of them something must be done besides.",
    "Ask `self.decode_map` first, then `self.ended`. What is left is new.",
    "Do not change `self.ended` here, and keep no list of your own: what is over stays over until it is"
    " forgotten or opened anew.",
)

MEMORY = 2  # uids that `ended` remembers here
LETTERS = "abcdefghij"

# "1a": uid 1 brings the letter a; "1a.": and finishes; "1x": it is aborted; "1o": opened
LOGS = {
    "one request": "1a 1b 1c.",
    "a late token": "1a 1b. 1c",
    "two late tokens": "1a 1b. 1c 1d",
    "a late token that finishes": "1a. 1b.",
    "an abort, then a token": "1a 1x 1b",
    "other requests go on": "1a 2b 1c. 2d 1e 2f.",
    "opened anew under the same uid": "1a. 1o 1b 1c.",
    "forgotten in time": "1a. 2a. 3a. 1b 2b 3b",
    "more than it remembers": "1a. 2a. 3a. 4a. 4b 3b 2b",
}


def fixed() -> list[Case]:
    return [{"name": name, "remembers": MEMORY, "log": log} for name, log in LOGS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        acts = []
        for _ in range(random.randint(4, 16)):
            act = random.choice(["x", "o", *(letter + end for letter in LETTERS for end in ("", "."))])
            acts.append(f"{random.randint(1, 5)}{act}")
        cases.append({"name": f"random log {number}", "remembers": MEMORY, "log": " ".join(acts)})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeMsg
    from minisgl_tok.ended import EndedUids
    from minisgl_tok.safe import SafeDetokenizeManager

    manager = SafeDetokenizeManager(byte_tokenizer([letter.encode() for letter in LETTERS]))
    manager.ended = EndedUids(limit=case["remembers"])
    rows = []
    for act in case["log"].split():
        uid, what = int(act[0]), act[1]
        delta = ""
        if what == "x":
            manager.abort(uid)
        elif what == "o":
            manager.open(uid)
        else:
            [delta] = manager.detokenize([DetokenizeMsg(uid, LETTERS.index(what), act.endswith("."))])
        opened = {str(u): _text(status.decoded_ids) for u, status in sorted(manager.decode_map.items())}
        rows.append({"act": act, "delta": delta, "open": opened})
    return {"messages": rows}


def _text(ids: list[int]) -> str:
    return "".join(LETTERS[id_] for id_ in ids)


def oracle(case: Case) -> Any:
    rows = []
    texts: dict[int, str] = {}
    over: list[int] = []  # all that ended, in order; the last ones count
    for act in case["log"].split():
        uid, what, delta = int(act[0]), act[1], ""
        if what == "o":
            texts[uid] = ""
            over = [other for other in over if other != uid]
        elif what == "x":
            texts.pop(uid, None)
            over = [other for other in over if other != uid] + [uid]
        elif uid in texts or uid not in over[-case["remembers"] :]:
            texts[uid] = texts.get(uid, "") + what
            delta = what
            if act.endswith("."):
                del texts[uid]
                over = [other for other in over if other != uid] + [uid]
        rows.append({"act": act, "delta": delta, "open": {str(u): text for u, text in sorted(texts.items())}})
    return {"messages": rows}


@wrong("A late token began a request that no one will finish.")
def brings_it_back(self, msg):
    if msg.uid not in self.decode_map:
        self.open(msg.uid)
    return True


@wrong(
    "The first late message was refused; the second began a request, for you had forgotten the end with the first."
)
def refuses_once(self, msg):
    if msg.uid in self.decode_map:
        return True
    if msg.uid in self.ended:
        self.ended.discard(msg.uid)
        return False
    self.open(msg.uid)
    return True


@wrong("A million requests, a million uids: you remember every one, and a uid can never be used again.")
def remembers_all(self, msg):
    self.seen = getattr(self, "seen", set())
    if msg.uid in self.decode_map:
        self.seen.add(msg.uid)
        return True
    if msg.uid in self.ended or msg.uid in self.seen:
        return False
    self.seen.add(msg.uid)
    self.open(msg.uid)
    return True


@wrong("When the memory was full it was emptied; the latest end was forgotten too.")
def forgets_all_at_once(self, msg):
    if msg.uid in self.decode_map:
        return True
    if len(self.ended) >= self.ended.limit:
        self.ended = EndedUids(self.ended.limit)
    if msg.uid in self.ended:
        return False
    self.open(msg.uid)
    return True


@wrong("You said yes to a new request and gave it no state; the next step looks for it in vain.")
def never_opens(self, msg):
    return msg.uid in self.decode_map or msg.uid not in self.ended


@wrong("The first message of every request was thrown away; nothing ever begins.")
def only_known(self, msg):
    return msg.uid in self.decode_map


@wrong("Each message began its request anew: what was open before it is gone.")
def opens_each_time(self, msg):
    if msg.uid in self.ended:
        return False
    self.open(msg.uid)
    return True
