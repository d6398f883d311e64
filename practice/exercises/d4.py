"""take a message in

A `DetokenizeMsg` brings the next token of a request: `uid`, `next_token`, `finished`.
`self.decode_map` holds one `DecodeStatus` for each open request (uid → status).

* Find the status of the message's request. If the request is new, make one and keep it.
* Add the token to its `decoded_ids`, with one exception: an **end id that finishes** the
  request (`self.eos_token_id`) is no text and is not added.
* Return the status.

Both conditions count. A request that ignores the end has end ids in its middle; a request
that is cut at its longest has a last id that is text.

With the end id 151645:

| uid | next_token | finished | `decoded_ids` of the status returned |
| --- | --- | --- | --- |
| 1 | 9707 | no | `[9707]` |
| 2 | 40 | no | `[40]` |
| 1 | 0 | no | `[9707, 0]` |
| 1 | 151645 | yes | `[9707, 0]` |

**Why it matters.** Tokens of many requests come in one stream. Whatever goes wrong here shows
as one user's text in another user's answer.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice.exercise import Case, change, wrong
from practice.streams import PieceTokenizer

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.detokenize import DecodeStatus

TARGET = "minisgl_tok.detokenize:DetokenizeManager.take"
CHAPTER, DIFFICULTY, MINUTES, CORE = "03", 2, 8, False

HINTS = (
    "Two steps that have nothing to do with each other: which status, and whether the token belongs to it.",
    "`decode_map` is a dict. Look the uid up; where it is missing, put a new status in before you go on.",
    "`dict.setdefault` does both in one call. Then one `if` before the `append`: when is a token *not*"
    " added? Both things must be so at once.",
)

END = 99
LOGS = {
    "one request": [(1, 5, False), (1, 6, False), (1, 7, False)],
    "two requests in turn": [(1, 5, False), (2, 60, False), (1, 6, False), (2, 61, False)],
    "an end id that finishes": [(1, 5, False), (1, END, True)],
    "a last id that is text": [(1, 5, False), (1, 6, True)],
    "an end id in the middle": [(1, 5, False), (1, END, False), (1, 6, False)],
    "the end at once": [(3, END, True)],
}


def fixed() -> list[Case]:
    return [_case(name, log) for name, log in LOGS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 7):
        log = [
            (random.randint(1, 4), random.choice([END, random.randrange(90)]), random.random() < 0.2)
            for _ in range(random.randint(1, 12))
        ]
        cases.append(_case(f"random log {number}", log))
    return cases


def _case(name: str, log: list[tuple[int, int, bool]]) -> Case:
    msgs = [{"uid": uid, "next_token": token, "finished": finished} for uid, token, finished in log]
    return {"name": name, "end id": END, "msgs": msgs}


def _row(msg: dict[str, Any]) -> dict[str, Any]:
    return {"uid": msg["uid"], "token": msg["next_token"], "finished": msg["finished"]}


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeManager, DetokenizeMsg

    manager = DetokenizeManager(PieceTokenizer([], eos=case["end id"]))  # type: ignore[arg-type]
    rows = []
    for fields in case["msgs"]:
        status = manager.take(DetokenizeMsg(**fields))
        rows.append({**_row(fields), "ids": list(status.decoded_ids)})
    kept = {str(uid): list(status.decoded_ids) for uid, status in manager.decode_map.items()}
    return {"messages": rows, "decode_map": kept}


def oracle(case: Case) -> Any:
    kept: dict[str, list[int]] = {}
    rows = []
    for msg in case["msgs"]:
        ids = kept.get(str(msg["uid"]), [])
        if not msg["finished"] or msg["next_token"] != case["end id"]:
            ids = [*ids, msg["next_token"]]
        kept[str(msg["uid"])] = ids
        rows.append({**_row(msg), "ids": ids})
    return {"messages": rows, "decode_map": kept}


ADDED = "if not (msg.finished and msg.next_token == self.eos_token_id):"

shows_the_end = change("The frontend reads `<|im_end|>`.", (ADDED, "if True:"))

drops_every_end_id = change(
    "A request that ignores the end lost an id in its middle.",
    (ADDED, "if msg.next_token != self.eos_token_id:"),
)

drops_either = change(
    "An end id in the middle and a last id that is text are both lost. One of the two conditions was enough for you.",
    (ADDED, "if not msg.finished and msg.next_token != self.eos_token_id:"),
)

drops_the_last = change(
    "A request was cut at its longest; its last id was text, and the frontend never saw it.",
    (ADDED, "if not msg.finished:"),
)


@wrong("Two requests write in one list, and each user reads the other's text.")
def one_state_for_all(self, msg):
    if not self.decode_map:
        self.shared = DecodeStatus()
    status = self.decode_map.setdefault(msg.uid, self.shared)
    if not (msg.finished and msg.next_token == self.eos_token_id):
        status.decoded_ids.append(msg.next_token)
    return status


@wrong("Each message meets a request that remembers nothing: what came before it is gone.")
def new_state_each_time(self, msg):
    status = self.decode_map[msg.uid] = DecodeStatus()
    if not (msg.finished and msg.next_token == self.eos_token_id):
        status.decoded_ids.append(msg.next_token)
    return status


@wrong("You made a status and did not keep it. The next message of the request looks for it in vain.")
def never_kept(self, msg):
    status = self.decode_map.get(msg.uid, DecodeStatus())
    if not (msg.finished and msg.next_token == self.eos_token_id):
        status.decoded_ids.append(msg.next_token)
    return status
