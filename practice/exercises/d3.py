"""the delta and the offsets

A message has brought a token. You are given the text of both windows: `read_text`, decoded
from `decoded_ids[surr_offset:]`, and `surr_text`, decoded from the context alone. What
`read_text` has more is the **new text**.

* If the new text is **whole** (there is some, and `ends_in_half` says no), it is confirmed:
  it joins `decoded_str`, `surr_offset` takes the place where `read_offset` stood, and
  `read_offset` goes to the end of the ids.
* Otherwise the window stays where it is, and only what is already **certain** of the new
  text goes ahead (`find_printable_text` says how much).

Either way the frontend must get exactly what it does not have yet: return that delta, and
let `sent_offset` count all characters it has received. What was sent ahead is not sent
again when it is confirmed later.

The three tokens of `a 推`, cut inside 推:

| `read_text` | `surr_text` | delta | surr · read · sent |
| --- | --- | --- | --- |
| `a` | nothing | `a` | 0 · 1 · 1 |
| `a �` | `a` | a space | 0 · 1 · 2 |
| `a 推` | `a` | `推` | 1 · 3 · 3 |

Only strings and numbers here: you need no tokenizer.

**Why it matters.** These ten lines are the streaming of every server that uses a window. A
slip here is half a character on a user's screen, or a word that comes twice.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, change, wrong
from practice.streams import PieceTokenizer, hexes, in_stepper, random_pieces, random_text, unhex

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.detokenize import ends_in_half, find_printable_text

TARGET = "minisgl_tok.detokenize:DetokenizeManager.advance"
CHAPTER, DIFFICULTY, MINUTES, CORE = "03", 4, 35, True

HINTS = (
    "Take the two situations apart first: new text that is whole, and everything else."
    " Empty text belongs to 'everything else'.",
    "Build the whole output that the frontend should have after this message: confirmed text"
    " plus what may go ahead. The delta is the part of it behind `sent_offset`.",
    "In the whole case three things move: `decoded_str`, `surr_offset`, `read_offset`. The order"
    " of the last two matters. In the other case none of them moves.",
)

SCAFFOLD = """
# 1  the new text: what read_text has more than surr_text
# 2  whole?      the output is confirmed text + new text; text and both offsets move on
#    otherwise:  the output is confirmed text + the certain part; nothing moves
# 3  the delta is the output behind sent_offset; sent_offset counts the output
"""

STREAMS = {
    "鱻 ok": ["e9 b1", "bb", "20 6f 6b"],
    "the same piece twice": ["6e 61", "6e 61", "6e 61"],
    "two words": ["74 6f", "20 62 65", "20 6f 72"],
    "a space, then half a character": ["61", "20 e6 8e", "a8", "20 62"],
    "four tokens for one emoji": ["f0", "9f", "a6", "a9", "21"],
    "a piece of no bytes": ["61", "", "62", "", "", "63"],
    "a real U+FFFD inside": ["61", "ef bf bd 62", "63", "64"],
    "a word, then half": ["6f 6e 65 20 74 77 6f e2", "82", "ac 2e", "21"],
    "Chinese before the half": ["e6 8e a8 e7", "90 86", "0a", "6f 6b"],
}
STRIPPED = "a decoder that takes the first space away"


def fixed() -> list[Case]:
    cases: list[Case] = [
        {"name": name, "pieces": pieces, "strips": False} for name, pieces in STREAMS.items()
    ]
    return [*cases, {"name": STRIPPED, "pieces": ["20 74 6f", "20 62 65", "20 6f 72"], "strips": True}]


def fresh(random: Random) -> list[Case]:
    cases: list[Case] = []
    while len(cases) < 6:
        text = random_text(random, 6) + random.choice(["", "\ufffd"]) + random_text(random, 8)
        pieces = random_pieces(random, text)
        if oracles.never_goes_back(pieces):
            name = f"random stream {len(cases) + 1}"
            cases.append({"name": name, "pieces": hexes(pieces), "strips": False})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeManager, DetokenizeMsg

    tokenizer = PieceTokenizer(unhex(case["pieces"]), strips=case["strips"])
    manager = DetokenizeManager(tokenizer)  # type: ignore[arg-type]
    rows = []
    for token, piece in enumerate(case["pieces"]):
        [delta] = manager.detokenize([DetokenizeMsg(1, token, False)])
        status = manager.decode_map[1]
        offsets = [status.surr_offset, status.read_offset, status.sent_offset]
        rows.append({"token": token, "bytes": piece, "offsets": offsets, "delta": delta})
    return {"messages": rows, "ids decoded in all": tokenizer.decoded_ids}


def oracle(case: Case) -> Any:
    expected = oracles.window(unhex(case["pieces"]), strips=case["strips"])
    rows = [
        {"token": token, "bytes": piece, "offsets": [row.surr, row.read, row.sent], "delta": row.delta}
        for token, (piece, row) in enumerate(zip(case["pieces"], expected, strict=True))
    ]
    return {"messages": rows, "ids decoded in all": sum(row.decoded_ids for row in expected)}


def replay(case: Case) -> dict[str, Any]:
    return in_stepper(unhex(case["pieces"]), strips=case["strips"])


moves_on_half = change(
    "A token was confirmed before its character was whole. Which token, and what did the next"
    " one have left to complete?",
    ("if new_text and not ends_in_half(new_text):", "if new_text:"),
)


@wrong("Text that was already certain came one message late: nothing went ahead of its confirmation.")
def waits_for_the_whole(self, status, read_text, surr_text):
    new_text = read_text[len(surr_text) :]
    if not new_text or ends_in_half(new_text):
        return ""
    status.decoded_str += new_text
    status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
    delta = status.decoded_str[status.sent_offset :]
    status.sent_offset = len(status.decoded_str)
    return delta


stays_for_an_old_mark = change(
    "One old U+FFFD in the new text, and the window never moves again.",
    ("not ends_in_half(new_text)", "chr(0xFFFD) not in new_text"),
)

sends_twice = change(
    "Your request gets a piece of text in two messages: once ahead, once more when it is whole.",
    (
        "delta = output[status.sent_offset :]",
        "delta = new_text if status.read_offset == len(status.decoded_ids) else output[status.sent_offset :]",
    ),
)

context_stays = change(
    "Right text. But one end of the window never moved: it grows with each token, and so does the"
    " price of the next one.",
    (
        "status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)",
        "status.read_offset = len(status.decoded_ids)",
    ),
)

context_jumps = change(
    "Nothing was left to decode the next word against. Most streams look right; where a space"
    " depends on what stands before it, it is lost.",
    (
        "status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)",
        "status.surr_offset = status.read_offset = len(status.decoded_ids)",
    ),
)


@wrong("The number of characters sent is counted from confirmed text alone: what went ahead goes out again.")
def offset_from_confirmed(self, status, read_text, surr_text):
    new_text = read_text[len(surr_text) :]
    if new_text and not ends_in_half(new_text):
        output = status.decoded_str = status.decoded_str + new_text
        status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
    else:
        output = status.decoded_str + find_printable_text(new_text)
    delta = output[status.sent_offset :]
    status.sent_offset = len(status.decoded_str)
    return delta


moves_on_nothing = change(
    "A message brought no new text, and the window moved all the same: its context shrinks to nothing,"
    " id by id.",
    ("if new_text and not", "if not"),
)

everything_is_new = change(
    "What the context had already given came again with the next message.",
    ("new_text = read_text[len(surr_text) :]", "new_text = read_text"),
)

forgets_the_confirmed = change(
    "Text was confirmed and not kept. The next message counts what was sent in a text that no longer has it.",
    ("output = status.decoded_str = status.decoded_str + new_text", "output = status.decoded_str + new_text"),
)


@wrong("You send what is new, and keep no count of it: what went ahead goes out again with each message.")
def keeps_no_count(self, status, read_text, surr_text):
    new_text = read_text[len(surr_text) :]
    if not new_text or ends_in_half(new_text):
        return find_printable_text(new_text)
    status.decoded_str += new_text
    status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
    return new_text


@wrong("What went ahead goes out again when it is whole, and `sent_offset` counts it a second time.")
def counts_it_twice(self, status, read_text, surr_text):
    new_text = read_text[len(surr_text) :]
    if not new_text or ends_in_half(new_text):
        delta = find_printable_text(new_text)
    else:
        status.decoded_str += new_text
        status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
        delta = new_text
    status.sent_offset += len(delta)
    return delta


@wrong("`sent_offset` counts from the beginning of the answer; the text that you cut with it begins later.")
def offset_into_the_new_text(self, status, read_text, surr_text):
    new_text = read_text[len(surr_text) :]
    if new_text and not ends_in_half(new_text):
        output = status.decoded_str = status.decoded_str + new_text
        status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
    else:
        output = find_printable_text(new_text)
    delta = output[status.sent_offset :]
    status.sent_offset = len(output)
    return delta


replaces_the_context = change(
    "The context's text went out of the new text too, wherever it stands there. What is new has a place.",
    ("read_text[len(surr_text) :]", 'read_text.replace(surr_text, "")'),
)
