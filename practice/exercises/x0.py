"""the fault finder

A request is over. `deltas` are the texts that its messages sent, `pieces` the bytes that they
brought. Find the **first** message at which the frontend got something wrong, and return its
index and the kind of fault; return `None` if all is right.

* A character is **due** with the message that brings its last byte. With the last message of
  the request, bytes that are still open are due as U+FFFD.
* What is due may leave later: text that is held back is no fault **while the request is
  open**.
* Each delta must be a beginning of what is due and has not left yet. Else it is a fault;
  `fault_kind(delta, due)` names it: `"early"` (a U+FFFD that no bytes stand for yet), `"twice"`
  (text that is not due, or no longer), `"lost"` (text was left out).
* Text that is due at the end and never left is `"lost"` at the last message.

`decoder = Decoder()` reads bytes as they come: `decoder.decode(piece)` is the text that a piece
completes. `decoder.decode(piece, final=True)` says besides that nothing will follow, so what is
open becomes U+FFFD.

| pieces | deltas | answer |
| --- | --- | --- |
| `e9 b1`, `bb` | nothing, `鱻` | `None` |
| `e9 b1`, `bb` | `�`, `鱻` | `(0, "early")` |
| `61`, `62`, `63` | `a`, `ab`, `c` | `(1, "twice")` |
| `61`, `62`, `63` | `a`, nothing, `b` | `(2, "lost")` |

**Why it matters.** A detokenizer that is tried on nice texts is always right. With this
function a machine can try millions of ugly ones, and show the first message that broke.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import hexes, random_pieces, random_text, unhex

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.show.frontend import fault_kind
    from minisgl_tok.show.utf8 import Decoder

TARGET = "minisgl_tok.show.trace:first_fault"
CHAPTER, DIFFICULTY, MINUTES, CORE = "06", 3, 20, True

HINTS = (
    "Keep one text: what is due and has not left. Each message adds to it and takes from it.",
    "What a message adds is what the decoder returns for its piece. One decoder for the whole request; only"
    " the last piece is final.",
    "Add; look whether the due text begins with the delta; if not, return; if so, cut it off the front."
    " Behind the loop one question remains: is anything still due?",
)

# pieces, deltas
STREAMS = {
    "right: as soon as it is due": (["e9 b1", "bb", "20 6f 6b"], ["", "鱻", " ok"]),
    "right: held back, then all at once": (["61", "62", "63"], ["", "", "abc"]),
    "right: a real U+FFFD": (["61 ef bf bd", "62"], ["a\ufffd", "b"]),
    "right: bytes that are no character": (["61 ff", "62"], ["a\ufffd", "b"]),
    "right: cut in a character": (["61", "e9"], ["a", "\ufffd"]),
    "no message": ([], []),
    "half a character was shown": (["e9 b1", "bb"], ["\ufffd", "鱻"]),
    "a mark that became true": (["e9", "62"], ["\ufffd", "b"]),
    "a word came twice": (["61", "62", "63"], ["a", "ab", "c"]),
    "a piece in the middle is missing": (["61", "62", "63"], ["a", "", "c"]),
    "the end never left": (["6f 6b", "20 6e", "6f"], ["ok", " ", ""]),
    "two faults": (["61", "e9", "bb 62"], ["a", "\ufffd", "aab"]),
    "late, then twice": (["61", "62", "63", "64"], ["", "ab", "b", "cd"]),
    "the cut is missing": (["61", "e9"], ["a", ""]),
}


def fixed() -> list[Case]:
    return [{"name": name, "pieces": pieces, "deltas": deltas} for name, (pieces, deltas) in STREAMS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 9):
        text = random_text(random, 8) + random.choice(["", "\ufffd", "a"])
        data = text.encode()
        pieces = random_pieces(random, data[: random.randint(1, len(data))])
        deltas = oracles.as_they_arrive(pieces)
        for n in range(len(deltas) - 1):  # some of it a message late, which is right
            if random.random() < 0.3:
                deltas[n], deltas[n + 1] = "", deltas[n] + deltas[n + 1]
        place = random.randrange(len(deltas))
        delta = deltas[place]
        deltas[place] = random.choice([delta, delta, delta + delta, delta[1:], delta + "\ufffd"])
        cases.append({"name": f"random stream {number}", "pieces": hexes(pieces), "deltas": deltas})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok.show import trace

    return trace.first_fault(case["deltas"], unhex(case["pieces"]))


def oracle(case: Case) -> Any:
    return oracles.first_fault(case["deltas"], unhex(case["pieces"]))


@wrong(
    "You compare at the end: two faults that cancel out pass, and for all others you name the wrong message."
)
def only_the_end(deltas, pieces):
    due, sent = b"".join(pieces).decode("utf-8", "replace"), "".join(deltas)
    return None if sent == due else (len(deltas) - 1, fault_kind(sent, due))


@wrong("A model may write U+FFFD on purpose; its bytes say so. You call it a fault.")
def any_mark_is_a_fault(deltas, pieces):
    decoder, due = Decoder(), ""
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True)):
        due += decoder.decode(piece, n == len(pieces) - 1)
        if "\ufffd" in delta:
            return n, "early"
        if not due.startswith(delta):
            return n, fault_kind(delta, due)
        due = due[len(delta) :]
    return (len(pieces) - 1, "lost") if due else None


@wrong("Held back is not lost while the request is open; you do not wait for it.")
def late_is_lost(deltas, pieces):
    decoder = Decoder()
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True)):
        due = decoder.decode(piece, n == len(pieces) - 1)
        if due != delta:
            return n, "lost" if due.startswith(delta) else fault_kind(delta, due)
    return None


@wrong("The request was over, text was still due, and you saw nothing.")
def forgets_the_end(deltas, pieces):
    decoder, due = Decoder(), ""
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True)):
        due += decoder.decode(piece, n == len(pieces) - 1)
        if not due.startswith(delta):
            return n, fault_kind(delta, due)
        due = due[len(delta) :]
    return None


@wrong(
    "The end was a message like any other to you. Then what is open is due, and all that is due must leave."
)
def knows_no_end(deltas, pieces):
    decoder, due = Decoder(), ""
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True)):
        due += decoder.decode(piece)
        if not due.startswith(delta):
            return n, fault_kind(delta, due)
        due = due[len(delta) :]
    return None


@wrong("A request was cut in a character; the U+FFFD that stands for it is due, and you did not expect it.")
def never_final(deltas, pieces):
    decoder, due = Decoder(), ""
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True)):
        due += decoder.decode(piece)
        if not due.startswith(delta):
            return n, fault_kind(delta, due)
        due = due[len(delta) :]
    return (len(pieces) - 1, "lost") if due else None


@wrong(
    "You look at each message alone: a character that came with two of them becomes marks that nobody sent."
)
def piece_by_piece(deltas, pieces):
    due = ""
    for n, (delta, piece) in enumerate(zip(deltas, pieces, strict=True)):
        due += piece.decode("utf-8", "replace")
        if not due.startswith(delta):
            return n, fault_kind(delta, due)
        due = due[len(delta) :]
    return (len(pieces) - 1, "lost") if due else None
