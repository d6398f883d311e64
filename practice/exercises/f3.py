"""the manager without a window

One delta for each message, in their order. A uid may stand in one call several times.

What a request needs is in `self.decode_map`: uid → the bytes of its open character. What is
there to use:

* `self.look_closer(msg)` gives `(entry, open_)`: the table's entry for the message's token,
  and the open bytes of its request. It opens a new request, counts an id that the vocabulary
  does not have, and gives `("", b"")` for a message that comes after its request's end.
* `self.step(open_, entry)` gives `(text, open_)`: what is text now, and what is open then.
* `self.close(uid)` ends a request, frees its state and gives the text that its open bytes
  leave behind: `"�"` or nothing.

A request that is over has no state and gets none from a late message. A **negative** token
is a ValueError, raised before anything has changed: no other request may notice.

| uid | token's bytes | finished | delta | open after it |
| --- | --- | --- | --- | --- |
| 1 | `20 e6 8e` | no | `␣` | `e6 8e` |
| 2 | `6f 6b` | no | `ok` | – |
| 1 | `a8` | no | `推` | – |
| 1 | `e7` | yes | `�` | no state |

**Why it matters.** Two look-ups a token, three bytes a request, right on any ids: this is
what the window was a detour to.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import byte_tokenizer, hexes, random_pieces, random_text, sentencepiece_tokenizer

TARGET = "minisgl_tok.exact:ExactDetokenizeManager.detokenize"
CHAPTER, DIFFICULTY, MINUTES, CORE = "07", 3, 30, True

HINTS = (
    "One message after the other, four steps each. Only one thing must be done for all messages before"
    " the first of them: what?",
    "Look, step, keep what is open, and at the end close. Ask yourself for each of the four what it does"
    " to a message that came late.",
    "Keep the open bytes only where the request has a state (`uid in self.decode_map`). What `close`"
    " gives joins the delta of the message that finishes.",
)

SCAFFOLD = """
# 1  a negative token anywhere: ValueError
# 2  for each message:
#      the entry and the open bytes
#      the text, and what is open now; keep it if the request is open
#      finished: what the open bytes leave behind joins the text
"""

NEGATIVE = "negative"  # in place of a token's bytes: the id -1
UNKNOWN = "unknown"  # the id 999,999

Call = list[tuple[int, str, bool]]  # uid, the token's bytes, finished
CALLS: dict[str, list[Call]] = {
    "one request": [[(1, "20 e6 8e", False)], [(1, "a8", False)], [(1, "21", True)]],
    "three tokens of one request in one call": [[(1, "f0 9f", False), (1, "a6", False), (1, "a9 21", False)]],
    "two requests in turn": [
        [(1, "e9 b1", False), (2, "20 e6 8e", False)],
        [(2, "a8", False), (1, "bb", False)],
    ],
    "text behind a character that breaks off": [[(1, "e9 b1", False)], [(1, "61", False)], [(1, "62", True)]],
    "cut in a character": [[(1, "61", False)], [(1, "e9", True)], [(1, "b1", False)]],
    "the uid comes late, then finishes again": [[(1, "61", True), (1, "62", False)], [(1, "63", True)]],
    "an id that the vocabulary does not have": [
        [(1, "e9 b1", False)],
        [(1, UNKNOWN, False)],
        [(1, "bb", False)],
    ],
    "a negative id": [
        [(1, "61", False)],
        [(1, "e9 b1", False), (2, NEGATIVE, False)],
        [(1, "62", False)],
    ],
}


def fixed() -> list[Case]:
    cases = [_case(name, calls) for name, calls in CALLS.items()]
    dropped = _case("cut in a character, and it is dropped", [[(1, "61", False)], [(1, "e9", True)]])
    spaces: list[Call] = [
        [(1, "20 74 6f", False)],
        [(1, "20 62 65", False), (2, "20", False)],
        [(2, "20 61", True)],
    ]
    stripped = _case("SentencePiece: the first space of a text goes", spaces, "SentencePiece")
    return [*cases, {**dropped, "on_cut": "drop"}, stripped]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 5):
        family = random.choice(["byte-level", "SentencePiece"])
        case = _case(f"random requests {number}", _random_calls(random, family), family)
        cases.append({**case, "on_cut": random.choice(["replace", "drop"])})
    return cases


def _random_calls(random: Random, family: str) -> list[Call]:
    waiting = {}
    for uid in random.sample(range(1, 100), random.randint(1, 4)):
        data = bytearray(random_text(random, random.randint(2, 8)).encode())
        for _ in range(random.choice([0, 0, 3])):
            data.insert(random.randint(0, len(data)), random.choice(b"\x80\xa9\xc3\xe6\xed\xf0\xff"))
        longest = 1 if family == "SentencePiece" else 4
        waiting[uid] = hexes(random_pieces(random, bytes(data), longest))
    calls: list[Call] = []
    while waiting:
        calls.append([])
        for uid in random.choices(sorted(waiting), k=random.randint(1, 4)):
            if uid in waiting:
                piece = waiting[uid].pop(0)
                calls[-1].append((uid, piece, not waiting[uid]))
                if not waiting[uid]:
                    del waiting[uid]
    return calls


def _case(name: str, calls: list[Call], family: str = "byte-level") -> Case:
    as_dicts = [[{"uid": uid, "bytes": piece, "finished": end} for uid, piece, end in call] for call in calls]
    return {"name": name, "family": family, "on_cut": "replace", "calls": as_dicts}


def _pieces(case: Case) -> list[str]:
    found = dict.fromkeys(msg["bytes"] for call in case["calls"] for msg in call)
    return [piece for piece in found if piece not in (NEGATIVE, UNKNOWN)]


def _tokenizer(case: Case) -> Any:
    pieces = [bytes.fromhex(piece) for piece in _pieces(case)]
    if case["family"] == "byte-level":
        return byte_tokenizer(pieces)
    return sentencepiece_tokenizer([_spelled(piece) for piece in pieces])


def _spelled(piece: bytes) -> str:
    text = piece.decode("utf-8", "replace")
    return text.replace(" ", "▁") if text.isascii() else "".join(f"<0x{byte:02X}>" for byte in piece)


def _token(case: Case, piece: str) -> int:
    return {NEGATIVE: -1, UNKNOWN: 999_999}.get(piece) or _pieces(case).index(piece)


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeMsg
    from minisgl_tok.exact import ExactDetokenizeManager

    manager = ExactDetokenizeManager(_tokenizer(case), on_cut=case["on_cut"])
    rows: list[dict[str, Any]] = []
    for call in case["calls"]:
        msgs = [DetokenizeMsg(msg["uid"], _token(case, msg["bytes"]), msg["finished"]) for msg in call]
        try:
            deltas = list(manager.detokenize(msgs))
        except ValueError:
            deltas = ["ValueError"] * len(msgs)
        rows += [{**msg, "delta": delta} for msg, delta in zip(call, deltas, strict=False)]
        rows[-1]["state"] = {str(uid): _seen(open_) for uid, open_ in sorted(manager.decode_map.items())}
    return {"messages": rows}


def _seen(open_: Any) -> str:
    """A request's state; before its first text a manager may mark that a space will go."""
    return open_.hex(" ").removesuffix("20") if isinstance(open_, bytes) else repr(open_)


def oracle(case: Case) -> Any:
    opened: dict[int, bytes] = {}
    at_front: dict[int, bool] = {}
    over: set[int] = set()
    rows: list[dict[str, Any]] = []
    for call in case["calls"]:
        if any(msg["bytes"] == NEGATIVE for msg in call):
            rows += [{**msg, "delta": "ValueError"} for msg in call]
        else:
            for msg in call:
                uid, delta = msg["uid"], ""
                if uid not in over:
                    new = b"" if msg["bytes"] == UNKNOWN else bytes.fromhex(msg["bytes"])
                    if new and at_front.get(uid, case["family"] == "SentencePiece"):
                        new = new.removeprefix(b" ")
                        at_front[uid] = False
                    delta, opened[uid] = oracles.feed(opened.get(uid, b""), new)
                    if msg["finished"]:
                        over.add(uid)
                        left = opened.pop(uid)
                        delta += "\ufffd" if left and case["on_cut"] == "replace" else ""
                rows.append({**msg, "delta": delta})
        rows[-1]["state"] = {str(uid): open_.hex(" ") for uid, open_ in sorted(opened.items())}
    return {"messages": rows}


def replay(case: Case) -> dict[str, Any]:
    from minisgl_tok import DetokenizeMsg

    drains = [
        [DetokenizeMsg(msg["uid"], _token(case, msg["bytes"]), msg["finished"]) for msg in call]
        for call in case["calls"]
    ]
    return {"tokenizer": _tokenizer(case), "ids": drains}


@wrong("Right text. But the state of a request is its whole answer, and grows with it.")
def keeps_ids(self, msgs):
    if any(msg.next_token < 0 for msg in msgs):
        raise ValueError("a token id is 0 or more")
    deltas = []
    for msg in msgs:
        entry, kept = self.look_closer(msg)
        new = entry if isinstance(entry, bytes) else entry.encode()
        before, after = feed(b"", kept.lstrip(FRONT))[0], kept + new
        delta = feed(b"", after.lstrip(FRONT))[0][len(before) :]
        if msg.uid in self.decode_map:
            self.decode_map[msg.uid] = after
        if msg.finished and msg.uid in self.decode_map:
            self.decode_map[msg.uid] = feed(b"", after)[1]
            delta += self.close(msg.uid)
        deltas.append(delta)
    return deltas


@wrong("A token of whole characters overtook the bytes that were still open before it.")
def text_jumps_the_queue(self, msgs):
    if any(msg.next_token < 0 for msg in msgs):
        raise ValueError("a token id is 0 or more")
    deltas = []
    for msg in msgs:
        delta, open_ = self.look_closer(msg)
        if isinstance(delta, bytes) or open_ == FRONT:
            delta, self.decode_map[msg.uid] = self.step(open_, delta)
        deltas.append(delta + (self.close(msg.uid) if msg.finished else ""))
    return deltas


@wrong(
    "The request is over, its open bytes are not: the next message with its uid begins with a stranger's bytes."
)
def open_bytes_survive_the_end(self, msgs):
    if any(msg.next_token < 0 for msg in msgs):
        raise ValueError("a token id is 0 or more")
    deltas = []
    for msg in msgs:
        entry, open_ = self.look_closer(msg)
        delta, open_ = self.step(open_, entry)
        self.decode_map[msg.uid] = open_
        deltas.append(delta + (self.cut_mark if msg.finished and open_ not in (b"", FRONT) else ""))
    return deltas


@wrong(
    "The end took the open bytes along without a trace; the frontend never learns that something stood there."
)
def forgets_what_was_open(self, msgs):
    if any(msg.next_token < 0 for msg in msgs):
        raise ValueError("a token id is 0 or more")
    deltas = []
    for msg in msgs:
        entry, open_ = self.look_closer(msg)
        delta, open_ = self.step(open_, entry)
        if msg.uid in self.decode_map:
            self.decode_map[msg.uid] = open_
        if msg.finished:
            self.close(msg.uid)
        deltas.append(delta)
    return deltas


@wrong(
    "You took the request out of `decode_map` yourself: its open bytes leave no mark, and its end is not remembered."
)
def deletes_by_hand(self, msgs):
    if any(msg.next_token < 0 for msg in msgs):
        raise ValueError("a token id is 0 or more")
    deltas = []
    for msg in msgs:
        entry, open_ = self.look_closer(msg)
        delta, open_ = self.step(open_, entry)
        if msg.uid in self.decode_map:
            self.decode_map[msg.uid] = open_
            if msg.finished:
                del self.decode_map[msg.uid]
        deltas.append(delta)
    return deltas


@wrong("A late message left a state behind, for a request that is over and that no one will end again.")
def late_state(self, msgs):
    if any(msg.next_token < 0 for msg in msgs):
        raise ValueError("a token id is 0 or more")
    deltas = []
    for msg in msgs:
        entry, open_ = self.look_closer(msg)
        delta, self.decode_map[msg.uid] = self.step(open_, entry)
        deltas.append(delta + (self.close(msg.uid) if msg.finished else ""))
    return deltas


@wrong(
    "The odd id was noticed in the middle: requests before it in the call had moved on, and their text was lost."
)
def raises_in_the_middle(self, msgs):
    deltas = []
    for msg in msgs:
        if msg.next_token < 0:
            raise ValueError("a token id is 0 or more")
        entry, open_ = self.look_closer(msg)
        delta, open_ = self.step(open_, entry)
        if msg.uid in self.decode_map:
            self.decode_map[msg.uid] = open_
        deltas.append(delta + (self.close(msg.uid) if msg.finished else ""))
    return deltas


@wrong("A negative id counts from the end of the table: the user reads a token that the model never wrote.")
def takes_negative_ids(self, msgs):
    deltas = []
    for msg in msgs:
        entry, open_ = self.look_closer(msg)
        delta, open_ = self.step(open_, entry)
        if msg.uid in self.decode_map:
            self.decode_map[msg.uid] = open_
        deltas.append(delta + (self.close(msg.uid) if msg.finished else ""))
    return deltas
