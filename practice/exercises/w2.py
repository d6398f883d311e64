"""one drain

One pass of the worker begins with a **drain**: wait for one frame, then take what has already
arrived meanwhile, until there are about `local_bs` messages. Return their list, in order.

* `queue.get()` gives the next frame; while there is none, it **waits**.
* `queue.empty()` says whether a `get` would wait.
* A frame is one message or a batch: `unpack(frame)` gives the list of its messages. A frame is never
  cut, so there may be a few more than `local_bs`, a number of **messages**.
* Only the first frame may be waited for.

With `local_bs` 3:

| messages in the frames that have arrived | returned | left in the queue |
| --- | --- | --- |
| `[1]`, `[2]` | 1 2 | – |
| `[1, 2]`, `[3, 4]`, `[5]` | 1 2 3 4 | `[5]` |
| none yet, then `[1]` | 1 | – |

**Why it matters.** A batch costs little more than its largest message, so a busy worker takes
all that is there. One user alone must not wait for a batch to fill.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice.exercise import Case, wrong

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.server import unpack

TARGET = "minisgl_tok.server:drain"
CHAPTER, DIFFICULTY, MINUTES, CORE = "04", 2, 15, True

HINTS = (
    "Two parts: one `get` that may wait, and more of them that may not.",
    "Before each further `get` two questions: is there room for more, and is a frame there? Count messages,"
    " not frames.",
    "Begin with the messages of the first frame in a list: `unpack(queue.get())`, since a frame is no list"
    " itself. While the list is shorter than `local_bs` and the queue is not empty, add the messages of the"
    " next frame.",
)

# local_bs, frames that are there, frames that come while it waits
QUEUES: dict[str, tuple[int, list[list[int]], list[list[int]]]] = {
    "one frame is there": (4, [[1]], []),
    "three are there": (4, [[1], [2], [3]], []),
    "nothing yet": (4, [], [[1], [2]]),
    "one, and more will come": (4, [[1]], [[2], [3], [4]]),
    "more than the limit": (2, [[1], [2], [3], [4]], []),
    "frames of several messages": (4, [[1, 2], [3, 4], [5]], []),
    "the limit lies inside a frame": (3, [[1, 2], [3, 4, 5], [6]], []),
    "one frame is larger than the limit": (2, [[1, 2, 3, 4], [5]], []),
    "a limit of one": (1, [[1], [2]], []),
}


def fixed() -> list[Case]:
    return [
        {"name": name, "local_bs": limit, "arrived": arrived, "will come": later}
        for name, (limit, arrived, later) in QUEUES.items()
    ]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        uids = iter(range(1, 100))
        frames = [[next(uids) for _ in range(random.randint(1, 4))] for _ in range(random.randint(1, 9))]
        cut = random.randint(0, len(frames))
        case = {"name": f"random queue {number}", "local_bs": random.randint(1, 9)}
        cases.append({**case, "arrived": frames[:cut], "will come": frames[cut:]})
    return cases


class WaitsForEver(Exception):
    """Nothing more will ever come."""


class Queue:
    """Frames that have arrived, and frames that come one at a time, whenever somebody waits."""

    PATIENCE = 1_000  # looks at an empty queue until the next frame comes all the same

    def __init__(self, arrived: list[Any], later: list[Any]) -> None:
        self.arrived, self.later = list(arrived), list(later)
        self.waits = 0
        self.looks = 0

    def get(self, *_: Any) -> Any:
        if not self.arrived:
            if not self.later:
                raise WaitsForEver("the queue is empty, and nothing more will come")
            self.waits += 1
            self.arrived.append(self.later.pop(0))
        return self.arrived.pop(0)

    def empty(self) -> bool:
        self.looks += not self.arrived
        if self.looks % self.PATIENCE == self.PATIENCE - 1 and self.later:
            self.arrived.append(self.later.pop(0))
        if self.looks > 10 * self.PATIENCE:
            raise WaitsForEver("it looks at an empty queue again and again")
        return not self.arrived


def run(case: Case) -> Any:
    from minisgl_tok import server
    from minisgl_tok.messages import AbortMsg, BatchTokenizerMsg

    def frame(uids: list[int]) -> Any:
        return AbortMsg(uids[0]) if len(uids) == 1 else BatchTokenizerMsg([AbortMsg(uid) for uid in uids])

    queue = Queue([frame(uids) for uids in case["arrived"]], [frame(uids) for uids in case["will come"]])
    msgs = server.drain(queue, case["local_bs"])
    return {
        "messages returned": [getattr(msg, "uid", type(msg).__name__) for msg in msgs],
        "waits": queue.waits,
        "looked again and again": queue.looks > 100,
        "left in the queue": len(queue.arrived),
    }


def oracle(case: Case) -> Any:
    arrived = case["arrived"] or case["will come"][:1]
    taken: list[int] = []
    frames = 0
    for frame in arrived:
        if frames == 0 or len(taken) < case["local_bs"]:
            taken += frame
            frames += 1
    return {
        "messages returned": taken,
        "waits": int(not case["arrived"]),
        "looked again and again": False,
        "left in the queue": len(arrived) - frames,
    }


@wrong("With nothing to do your process uses a whole core: it looks, finds nothing, and looks again.")
def never_waits(queue, local_bs):
    while queue.empty():
        pass
    pending = list(unpack(queue.get()))
    while len(pending) < local_bs and not queue.empty():
        pending += unpack(queue.get())
    return pending


@wrong(
    "With nothing there you come back with nothing at once, and the worker's loop turns on an empty queue."
)
def only_what_is_there(queue, local_bs):
    pending = []
    while len(pending) < local_bs and not queue.empty():
        pending += unpack(queue.get())
    return pending


@wrong("One user alone waits for strangers: you wait until the batch is full.")
def waits_for_a_full_batch(queue, local_bs):
    pending = []
    while len(pending) < local_bs:
        pending += unpack(queue.get())
    return pending


@wrong("255 messages lay there; you took one frame and left the others.")
def one_frame_a_drain(queue, local_bs):
    return list(unpack(queue.get()))


@wrong("One frame may hold many messages; what you limit is the number of frames.")
def counts_frames(queue, local_bs):
    pending, frames = list(unpack(queue.get())), 1
    while frames < local_bs and not queue.empty():
        pending += unpack(queue.get())
        frames += 1
    return pending


@wrong("The limit was reached inside a frame and its rest is gone.")
def throws_the_rest_away(queue, local_bs):
    pending = list(unpack(queue.get()))
    while len(pending) < local_bs and not queue.empty():
        pending += unpack(queue.get())
    return pending[:local_bs]


@wrong("A frame of several messages is handled as one message, which nobody knows.")
def never_unwraps(queue, local_bs):
    pending = [queue.get()]
    while len(pending) < local_bs and not queue.empty():
        pending.append(queue.get())
    return pending


@wrong("A frame was taken for a list. It is a message or a batch, and only `unpack` makes a list of either.")
def takes_a_frame_for_a_list(queue, local_bs):
    pending = list(queue.get())
    while len(pending) < local_bs and not queue.empty():
        pending += queue.get()
    return pending


@wrong("The drain was full, and you took one frame more.")
def one_too_many(queue, local_bs):
    pending = list(unpack(queue.get()))
    while len(pending) <= local_bs and not queue.empty():
        pending += unpack(queue.get())
    return pending


@wrong("You took everything that was there, however much: a drain without a limit keeps all others waiting.")
def no_limit(queue, local_bs):
    pending = list(unpack(queue.get()))
    while not queue.empty():
        pending += unpack(queue.get())
    return pending
