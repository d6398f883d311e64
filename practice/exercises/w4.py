"""route by uid

Where one detokenizer is too slow there are `n` of them, numbered from 0 to n − 1. Say which of
them gets the messages of request `uid`.

* All messages of a request go to the same one: it alone knows the other half of a character.
* Several processes send; they must agree, without asking each other.
* All n are used, in about equal parts.

| uid | n | answer |
| --- | --- | --- |
| any | 1 | 0 |
| 7 | 3 | 0, 1 or 2, and always the same |

**Why it matters.** The state of a request lives in one process. One token that goes elsewhere
is half a 🦩 in each of two processes, and garbage on the screen.
"""

from random import Random
from typing import Any

from practice.exercise import Case, wrong

TARGET = "minisgl_tok.server:route"
CHAPTER, DIFFICULTY, MINUTES, CORE = "04", 1, 6, False

HINTS = (
    "What do all messages of a request have in common, in every process?",
    "A uid is a whole number. You need another one, at least 0 and less than n, made from it alone.",
    "What is left over when you divide a number by n?",
)


def fixed() -> list[Case]:
    return [
        {"name": "two detokenizers", "n": 2, "uids": list(range(25))},
        {"name": "three detokenizers", "n": 3, "uids": list(range(26))},
        {"name": "eight detokenizers", "n": 8, "uids": list(range(1000, 1401))},
        {"name": "one alone", "n": 1, "uids": list(range(25))},
    ]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 5):
        first = random.randrange(1_000_000)
        uids = list(range(first, first + 211))
        cases.append({"name": f"random uids {number}", "n": random.randint(1, 8), "uids": uids})
    return cases


def run(case: Case) -> Any:
    uids, n = case["uids"], case["n"]
    once, again = _in_a_process("A", uids, n), _in_a_process("A", uids, n)
    _in_a_process("B", uids[:1], n)  # it has other work besides
    elsewhere = _in_a_process("B", uids, n)
    wrong_ones = sorted({place for place in once if place not in range(n)})
    return {
        "the same each time": once == again,
        "the same in another process": once == elsewhere,
        "processes that do not exist": wrong_ones,
        "processes that are used": len({place for place in once if place in range(n)}),
    }


def _in_a_process(name: str, uids: list[int], n: int) -> list[int]:
    """The answers of a process of that name; text has another hash in each process of Python."""
    import builtins

    from minisgl_tok import server

    python_hash, answers = builtins.hash, []

    def own_hash(value: Any) -> int:
        return python_hash(value) if isinstance(value, int) else _number(f"{name}{value!r}")

    for uid in uids:
        builtins.hash = own_hash  # type: ignore[assignment]
        try:
            answers.append(server.route(uid, n))
        finally:
            builtins.hash = python_hash
    return answers


def _number(text: str) -> int:
    import hashlib

    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")


def oracle(case: Case) -> Any:
    return {
        "the same each time": True,
        "the same in another process": True,
        "processes that do not exist": [],
        "processes that are used": case["n"],
    }


@wrong("Half of a request's tokens went to a process that does not know the other half.")
def in_turn(uid, n, turns=[]):  # noqa: B006
    turns.append(uid)
    return len(turns) % n


@wrong(
    "Two senders disagree: each process of Python makes another number of a text. Compare in two processes."
)
def changes_by_process(uid, n):
    return hash(str(uid)) % n


@wrong("Correct, and n − 1 processes sleep.")
def always_zero(uid, n):
    return 0


@wrong("You address a process that does not exist: they are numbered from 0.")
def out_of_range(uid, n):
    return uid % n + 1


@wrong("The last process sleeps, and where there is only one, the sender raises.")
def one_too_few(uid, n):
    return uid % (n - 1)


@wrong("A uid is no number of a process: the first few arrive, all others go nowhere.")
def uid_itself(uid, n):
    return uid
