"""the table

Make a table once, so that a token costs one look-up later: a list with one entry for each id,
in the order of ids.

* The entry is the token's **text** (`str`) where its bytes are whole characters, else its
  **bytes** (`bytes`): half a character must keep what it is.
* Hidden ids have the text `""`: nobody sees an end id or a special token.

What is there to use:

* `pieces(tokenizer)`: the piece of each id, `None` where the vocabulary has a hole (such an
  id has the text `""` too);
* `piece_rule_of(tokenizer).bytes_of(piece)`: the bytes of a piece, in both families. In
  byte-level vocabularies `Ġæİ` is `20 e6 8e`. In SentencePiece's, `▁` is a space wherever it
  stands, and `<0xE6>` is the one byte e6;
* `hidden_ids(tokenizer, skip_special_tokens)`: the set of hidden ids.

With Qwen3:

| id | piece | entry |
| --- | --- | --- |
| 21887 | `çĲĨ` | `"理"` |
| 46602 | `Ġæİ` | `b" \\xe6\\x8e"` |
| 151645 | `<\\|im_end\\|>` | `""` |

One space is taken from the front of a *whole text* in SentencePiece's family. A table knows
nothing of fronts: it keeps every space.

**Why it matters.** Of Qwen3's 151,669 tokens only 1,448 are not whole characters. For all
others the table has the finished text, and nothing is left to do.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, change, wrong
from practice.streams import byte_level_tokenizer, random_pieces, random_text, sentencepiece_tokenizer

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.exact import hidden_ids, piece_rule_of, pieces

TARGET = "minisgl_tok.exact:build_table"
CHAPTER, DIFFICULTY, MINUTES, CORE = "07", 3, 25, True

HINTS = (
    "Two questions for each id: is it seen at all? And if so, are its bytes whole characters?",
    "Go through `pieces(tokenizer)` with `enumerate`. Python itself can say whether bytes are whole"
    " characters: ask it to decode them, strictly.",
    "`data.decode()` raises UnicodeDecodeError where the bytes are no whole characters; then the entry"
    " is `data`. It does not matter whether the text has a U+FFFD in it: a vocabulary may spell one.",
)

BYTE_LEVEL = [
    "Hello",
    "Ġword",
    "Ġæİ",
    "¨",
    "Ã©",
    "ï¿½",
    "<｜end｜>",
    "<tool｜>",
    "ĊĊ",
    "ð",
    "þ",
    "<｜user｜>",
]
SENTENCEPIECE = ["<s>", "</s>", "▁to", "be", "<0xE6>", "<0x41>", "▁", "a▁b", "<0xZZ>", "▁▁", "推", "<0x0A>"]

NOTHING: Case = {"end": None, "special": [], "skip": True}


def fixed() -> list[Case]:
    byte_level = {
        "family": "byte-level",
        "pieces": BYTE_LEVEL,
        "end": "<｜end｜>",
        "special": ["<｜end｜>", "<｜user｜>"],
    }
    sentencepiece = {
        "family": "SentencePiece",
        "pieces": SENTENCEPIECE,
        "end": "</s>",
        "special": ["<s>", "</s>"],
    }
    return [
        {"name": "byte-level", **byte_level, "skip": True},
        {"name": "SentencePiece", **sentencepiece, "skip": True},
        {"name": "special tokens are shown, the end is not", **byte_level, "skip": False},
        {
            "name": "a hole in the vocabulary",
            "family": "byte-level",
            "pieces": ["a", None, "Ã", None, "Ġ"],
            **NOTHING,
        },
    ]


def fresh(random: Random) -> list[Case]:
    stream = random_pieces(random, random_text(random, 30))
    spelled = {"".join(oracles.CHAR_OF[byte] for byte in piece) for piece in stream}
    texts = {random_text(random, 3).replace(" ", "▁") for _ in range(8)}
    some_bytes = {f"<0x{random.randrange(256):02X}>" for _ in range(4)}
    return [
        {"name": "random pieces", "family": "byte-level", "pieces": sorted(spelled), **NOTHING},
        {"name": "random texts", "family": "SentencePiece", "pieces": sorted(texts | some_bytes), **NOTHING},
    ]


def run(case: Case) -> Any:
    from minisgl_tok import exact

    build = byte_level_tokenizer if case["family"] == "byte-level" else sentencepiece_tokenizer
    tokenizer = build(case["pieces"], end=case["end"], special=case["special"])
    return _rows(case["pieces"], exact.build_table(tokenizer, skip_special_tokens=case["skip"]))


def _rows(pieces: list[str | None], table: list[Any]) -> Any:
    halves = sum(isinstance(entry, bytes) for entry in table)
    rows = [
        {"token": token, "piece": piece, "entry": entry}
        for token, (piece, entry) in enumerate(zip(pieces, table, strict=False))
    ]
    return {"messages": rows, "entries of text": len(table) - halves, "entries of bytes": halves}


def oracle(case: Case) -> Any:
    rule = oracles.byte_level_bytes if case["family"] == "byte-level" else oracles.sentencepiece_bytes
    unseen = {None, case["end"], *(case["special"] if case["skip"] else [])}
    table = ["" if piece in unseen else oracles.text_or_bytes(rule(piece)) for piece in case["pieces"]]
    return _rows(case["pieces"], table)


@wrong("Half a character became U+FFFD in your table; nothing can complete it.")
def via_decode(tokenizer, *, skip_special_tokens=True):
    ids = [[id_] for id_ in range(len(tokenizer))]
    return tokenizer.batch_decode(ids, skip_special_tokens=skip_special_tokens)


@wrong(
    "Hidden ids are right. The others were decoded alone: half a character is U+FFFD, and no byte is left."
)
def decodes_each_alone(tokenizer, *, skip_special_tokens=True):
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    return ["" if id_ in hidden else tokenizer.decode([id_]) for id_ in range(len(tokenizer))]


@wrong(
    "Your table is shorter than the vocabulary: behind each id that you left out stands a neighbour's entry."
)
def leaves_ids_out(tokenizer, *, skip_special_tokens=True):
    rule, table = piece_rule_of(tokenizer), []
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    for token, piece in enumerate(pieces(tokenizer)):
        if piece is None or token in hidden:
            continue
        data = rule.bytes_of(piece)
        try:
            table.append(data.decode())
        except UnicodeDecodeError:
            table.append(data)
    return table


hides_in_any_case = change(
    "Someone asked to see the special tokens (`skip_special_tokens=False`), and you hid them all the same.",
    ("hidden_ids(tokenizer, skip_special_tokens)", "hidden_ids(tokenizer, True)"),
)


@wrong("The first space of a text is special. You took it from every word.")
def space_stripped_everywhere(tokenizer, *, skip_special_tokens=True):
    rule, table = piece_rule_of(tokenizer), []
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    for token, piece in enumerate(pieces(tokenizer)):
        data = b"" if piece is None or token in hidden else rule.bytes_of(piece)
        if rule.strips_first_space:
            data = data.removeprefix(b" ")
        try:
            table.append(data.decode())
        except UnicodeDecodeError:
            table.append(data)
    return table


@wrong("`<0xE6>` is six letters in your table, and the user reads them.")
def literal_byte_piece(tokenizer, *, skip_special_tokens=True):
    rule, table = piece_rule_of(tokenizer), []
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    for token, piece in enumerate(pieces(tokenizer)):
        if piece is None or token in hidden:
            piece = ""
        data = rule.bytes_of(piece) if rule.byte_level else piece.replace("▁", " ").encode()
        try:
            table.append(data.decode())
        except UnicodeDecodeError:
            table.append(data)
    return table


@wrong("A special token shows: the user reads the marks that only the model should see.")
def special_as_text(tokenizer, *, skip_special_tokens=True):
    rule, table = piece_rule_of(tokenizer), []
    for piece in pieces(tokenizer):
        data = rule.bytes_of(piece or "")
        try:
            table.append(data.decode())
        except UnicodeDecodeError:
            table.append(data)
    return table


@wrong("Right; but every token pays for the rare one: nothing in your table is finished text.")
def bytes_always(tokenizer, *, skip_special_tokens=True):
    rule, hidden = piece_rule_of(tokenizer), hidden_ids(tokenizer, skip_special_tokens)
    return [
        b"" if token in hidden else rule.bytes_of(piece or "")
        for token, piece in enumerate(pieces(tokenizer))
    ]


@wrong(
    "A token that spells a real U+FFFD was taken for half a character: its text is finished, and you kept its bytes."
)
def fears_the_mark(tokenizer, *, skip_special_tokens=True):
    rule, table = piece_rule_of(tokenizer), []
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    for token, piece in enumerate(pieces(tokenizer)):
        data = b"" if piece is None or token in hidden else rule.bytes_of(piece)
        text = data.decode("utf-8", "replace")
        table.append(data if "\ufffd" in text else text)
    return table


@wrong("Half a character is nothing at all in your table, and its other half will be nothing too.")
def drops_halves(tokenizer, *, skip_special_tokens=True):
    rule, hidden = piece_rule_of(tokenizer), hidden_ids(tokenizer, skip_special_tokens)
    return [
        "" if token in hidden else rule.bytes_of(piece or "").decode("utf-8", "ignore")
        for token, piece in enumerate(pieces(tokenizer))
    ]


@wrong("An id that the vocabulary leaves out stops the making of the table, and the server does not start.")
def knows_no_holes(tokenizer, *, skip_special_tokens=True):
    rule, table = piece_rule_of(tokenizer), []
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    for token, piece in enumerate(pieces(tokenizer)):
        data = b"" if token in hidden else rule.bytes_of(piece)
        try:
            table.append(data.decode())
        except UnicodeDecodeError:
            table.append(data)
    return table
