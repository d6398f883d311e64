"""tell the scheduler

A stop string has matched in the text of request `uid`. Only the detokenizer can know that, and
two others must hear of it. Return the two messages:

* a `UserReply` to the frontend: the last one of this request, with `text` (what stands before
  the stop). Its `finish_reason` is `"stop"`, its `matched_stop` the stop that matched;
* an `AbortBackendMsg(uid)` to the scheduler: nobody needs more tokens of this request.

And remember that the request is over: the scheduler has sent tokens that are still under
way, and they must not begin it again. `ended.add(uid)` remembers it.

```
UserReply(uid, incremental_output, finished, finish_reason=…, matched_stop=…)

on_stop(3, "so ", "</s>", ended)
   →  UserReply(3, "so ", True, finish_reason="stop", matched_stop="</s>")
      AbortBackendMsg(3)
```

**Why it matters.** A scheduler that is not told goes on to the longest answer it may write: a
GPU at work for text that nobody reads.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice.exercise import Case, wrong
from practice.streams import random_text

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.messages import AbortBackendMsg, UserReply

TARGET = "minisgl_tok.server:on_stop"
CHAPTER, DIFFICULTY, MINUTES, CORE = "05", 2, 15, False

HINTS = (
    "Three things happen: the frontend hears, the scheduler hears, and this process remembers.",
    "The frontend's reply is its last: which of its fields says so? Which two say why?",
    "Remember the uid, make the reply with all five values, and return it with the abort as a pair, the"
    " reply first.",
)

MATCHES = {
    "text before the stop": (3, "so ", "</s>"),
    "nothing before it": (7, "", "END"),
    "a stop of one character": (2**40, "推理", "。"),
}


def fixed() -> list[Case]:
    return [_case(name, *match) for name, match in MATCHES.items()]


def fresh(random: Random) -> list[Case]:
    return [
        _case(f"random match {n}", random.randrange(1, 1000), random_text(random, 6), random_text(random, 3))
        for n in range(1, 5)
    ]


def _case(name: str, uid: int, text: str, matched: str) -> Case:
    return {"name": name, "uid": uid, "text": text, "matched": matched}


def run(case: Case) -> Any:
    import msgspec

    from minisgl_tok import server
    from minisgl_tok.ended import EndedUids

    ended = EndedUids()
    ended.add(1_000_000)  # another request that is over
    reply, abort = server.on_stop(case["uid"], case["text"], case["matched"], ended)
    late = "looked at" if case["uid"] not in ended else "dropped"
    other = "looked at" if 1_000_000 not in ended else "dropped"
    return {
        "to the frontend": msgspec.to_builtins(reply),
        "to the scheduler": msgspec.to_builtins(abort),
        "a late token": late,
        "a late token of another request": other,
    }


def oracle(case: Case) -> Any:
    reply = {
        "__type__": "UserReply",
        "uid": case["uid"],
        "incremental_output": case["text"],
        "finished": True,
    }
    return {
        "to the frontend": {**reply, "finish_reason": "stop", "matched_stop": case["matched"]},
        "to the scheduler": {"__type__": "AbortBackendMsg", "uid": case["uid"]},
        "a late token": "dropped",
        "a late token of another request": "dropped",
    }


@wrong(
    "A token under way came after the end and began a new request; the frontend will be told twice that it is over."
)
def late_token_lives(uid, text, matched, ended):
    reply = UserReply(uid, text, True, finish_reason="stop", matched_stop=matched)
    return reply, AbortBackendMsg(uid)


@wrong("The frontend was not told that it is over; it waits for an end that never comes.")
def never_finishes(uid, text, matched, ended):
    ended.add(uid)
    reply = UserReply(uid, text, False, finish_reason="stop", matched_stop=matched)
    return reply, AbortBackendMsg(uid)


@wrong("The user sees a failure where a stop was asked for.")
def as_an_error(uid, text, matched, ended):
    ended.add(uid)
    reply = UserReply(uid, text, True, finish_reason="error", matched_stop=matched)
    return reply, AbortBackendMsg(uid)


@wrong("The frontend reads the stop itself.")
def sends_the_stop(uid, text, matched, ended):
    ended.add(uid)
    reply = UserReply(uid, text + matched, True, finish_reason="stop", matched_stop=matched)
    return reply, AbortBackendMsg(uid)


@wrong("The text before the stop came with this message, and got lost with it.")
def loses_the_text(uid, text, matched, ended):
    ended.add(uid)
    reply = UserReply(uid, "", True, finish_reason="stop", matched_stop=matched)
    return reply, AbortBackendMsg(uid)


@wrong(
    "It is over, and nobody learns why: the frontend cannot tell a stop from an answer that had its natural end."
)
def gives_no_reason(uid, text, matched, ended):
    ended.add(uid)
    return UserReply(uid, text, True), AbortBackendMsg(uid)
