"""pack

A drain makes several messages for one receiver. They travel in **one** frame:

* several messages as one `batch`, a class that is made of a list: `batch(msgs)`;
* a single message as itself, without a batch around it.

`msgs` has at least one message.

```
pack([AbortBackendMsg(1)], BatchBackendMsg)   →   AbortBackendMsg(1)
pack([a, b], BatchBackendMsg)                 →   BatchBackendMsg([a, b])
```

**Why it matters.** A message in a frame costs next to nothing; each frame costs the receiver
a call of the system and may wake it up. And both ends must agree on the form, to the byte.
"""

from random import Random
from typing import Any

from practice.exercise import Case, wrong

TARGET = "minisgl_tok.server:pack"
CHAPTER, DIFFICULTY, MINUTES, CORE = "04", 1, 6, False

HINTS = (
    "Two forms, and the number of messages decides.",
    "`len(msgs)` tells. The message itself is the first of the list.",
    "One line will do: `a if … else b`. A batch is made of the list as it is.",
)

BATCHES = {"BatchBackendMsg": "AbortBackendMsg", "BatchFrontendMsg": "UserReply"}  # what a batch holds


def fixed() -> list[Case]:
    return [
        {"name": "one for the scheduler", "batch": "BatchBackendMsg", "uids": [1]},
        {"name": "two for the scheduler", "batch": "BatchBackendMsg", "uids": [1, 2]},
        {"name": "one for the frontend", "batch": "BatchFrontendMsg", "uids": [7]},
        {"name": "three for the frontend", "batch": "BatchFrontendMsg", "uids": [3, 9, 3]},
    ]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 5):
        uids = [random.randrange(1, 100) for _ in range(random.randint(1, 5))]
        batch = random.choice(sorted(BATCHES))
        cases.append({"name": f"random messages {number}", "batch": batch, "uids": uids})
    return cases


def run(case: Case) -> Any:
    import msgspec

    from minisgl_tok import messages, server

    if case["batch"] == "BatchBackendMsg":
        msgs: list[Any] = [messages.AbortBackendMsg(uid) for uid in case["uids"]]
    else:
        msgs = [messages.UserReply(uid, "ok", False) for uid in case["uids"]]
    packed = server.pack(msgs, getattr(messages, case["batch"]))
    return {"the frame": msgspec.msgpack.decode(messages.encode(packed))}


def oracle(case: Case) -> Any:
    more = {} if case["batch"] == "BatchBackendMsg" else {"incremental_output": "ok", "finished": False}
    msgs = [{"__type__": BATCHES[case["batch"]], "uid": uid, **more} for uid in case["uids"]]
    return {"the frame": msgs[0] if len(msgs) == 1 else {"__type__": case["batch"], "data": msgs}}


@wrong("Right, with a wrapper around one message. mini-sglang sends it bare.")
def batch_of_one(msgs, batch):
    return batch(msgs)


@wrong("The others never left: one message of all of them is in the frame.")
def first_only(msgs, batch):
    return msgs[0]


@wrong("A batch inside a batch: the receiver unwraps once.")
def nested(msgs, batch):
    return msgs[0] if len(msgs) == 1 else batch([batch(msgs)])


@wrong("A bare list has no name on the wire; the receiver refuses it.")
def list_only(msgs, batch):
    return msgs[0] if len(msgs) == 1 else msgs


@wrong("One message came as a list of one, which has no name on the wire; the receiver refuses it.")
def list_of_one(msgs, batch):
    return msgs if len(msgs) == 1 else batch(msgs)
