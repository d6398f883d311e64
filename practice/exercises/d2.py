"""the two windows

The window decodes two runs of a request's ids, and what the first gives more than the
second is new text. A `status` knows where they lie:

```
decoded_ids   [ … sent long ago … | context | not yet confirmed ]
                                  ^         ^                   ^
                             surr_offset read_offset           end
```

Return both runs as lists: first the ids **to read**, which are the context and all behind it;
then the ids of the **context** alone. The status stays as it is.

| `decoded_ids` | surr | read | returned |
| --- | --- | --- | --- |
| `[11, 46602, 101]` | 0 | 1 | `([11, 46602, 101], [11])` |
| `[11, 46602, 101, 374]` | 1 | 3 | `([46602, 101, 374], [46602, 101])` |

**Why it matters.** A word decoded without the one before it may lose its space; the whole
answer decoded each time costs more with each token. The context is the way between.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, change
from practice.streams import PieceTokenizer, in_stepper, unhex

TARGET = "minisgl_tok.detokenize:DetokenizeManager.windows"
CHAPTER, DIFFICULTY, MINUTES, CORE = "03", 1, 8, True

HINTS = (
    "Both lists are runs of `decoded_ids`, and both begin at the same place.",
    "The first goes to the end of the ids, the second ends where the first unconfirmed id stands.",
    "A run of a list is a slice, `ids[a:b]`, or `ids[a:]` to its end; both offsets are indices into"
    " `decoded_ids`.",
)

STATUSES = {
    "the first id": ([9707], 0, 0),
    "one confirmed, one new": ([9707, 1879], 0, 1),
    "half a character is open": ([11, 46602, 101], 0, 1),
    "three new ids": ([1, 374, 8848, 100024, 119, 102], 2, 3),
    "far into an answer": (list(range(100, 160)), 57, 59),
    "nothing new": ([9707, 1879], 1, 2),
}
WORDS = ["20 74 6f", "20 62 65", "20 6f 72", "20 6e c3", "a9"]


def fixed() -> list[Case]:
    cases = [_case(name, *status) for name, status in STATUSES.items()]
    return [*cases, {"name": "a whole stream, whose decoder takes the first space away", "pieces": WORDS}]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 9):
        ids = [random.randrange(150_000) for _ in range(random.randint(2, 12))]
        surr, read = sorted(random.choices(range(len(ids)), k=2))
        cases.append(_case(f"random offsets {number}", ids, surr, read))
    return cases


def _case(name: str, ids: list[int], surr: int, read: int) -> Case:
    return {"name": name, "ids": ids, "surr_offset": surr, "read_offset": read}


def run(case: Case) -> Any:
    from minisgl_tok import DecodeStatus, DetokenizeManager, DetokenizeMsg

    if "pieces" in case:
        tokenizer = PieceTokenizer(unhex(case["pieces"]), strips=True)
        manager = DetokenizeManager(tokenizer)  # type: ignore[arg-type]
        rows = []
        for token, piece in enumerate(case["pieces"]):
            [delta] = manager.detokenize([DetokenizeMsg(1, token, False)])
            rows.append({"token": token, "bytes": piece, "delta": delta})
        return {"messages": rows, "ids decoded in all": tokenizer.decoded_ids}
    manager = DetokenizeManager(PieceTokenizer([]))  # type: ignore[arg-type]
    status = DecodeStatus(list(case["ids"]), "", case["surr_offset"], case["read_offset"])
    to_read, context = manager.windows(status)
    offsets = [status.surr_offset, status.read_offset]
    return {
        "to read": to_read,
        "context": context,
        "ids, after": status.decoded_ids,
        "offsets, after": offsets,
    }


def oracle(case: Case) -> Any:
    if "pieces" in case:
        expected = oracles.window(unhex(case["pieces"]), strips=True)
        rows = [
            {"token": token, "bytes": piece, "delta": row.delta}
            for token, (piece, row) in enumerate(zip(case["pieces"], expected, strict=True))
        ]
        return {"messages": rows, "ids decoded in all": sum(row.decoded_ids for row in expected)}
    ids, surr, read = case["ids"], case["surr_offset"], case["read_offset"]
    return {
        "to read": [ids[n] for n in range(len(ids)) if n >= surr],
        "context": [ids[n] for n in range(len(ids)) if surr <= n < read],
        "ids, after": ids,
        "offsets, after": [surr, read],
    }


def replay(case: Case) -> dict[str, Any]:
    stream = unhex(case["pieces"]) if "pieces" in case else []
    return in_stepper(stream, strips=True)


RUNS = "ids[status.surr_offset :], ids[status.surr_offset : status.read_offset]"

no_context = change(
    "No context is decoded. Right with Qwen3. With the other tokenizer the space between two words is gone.",
    (RUNS, "ids[status.read_offset :], []"),
)

context_to_the_end = change(
    "Both windows hold the same; the difference is nothing, for ever.",
    (RUNS, "ids[status.surr_offset :], ids[status.surr_offset :]"),
)

from_the_start = change(
    "Right text, and the thousandth token decodes a thousand ids, twice.",
    (RUNS, "ids[:], ids[: status.read_offset]"),
)

new_ids_only_once_more = change(
    "You left the newest id out: all comes one message late.",
    (RUNS, "ids[status.surr_offset : -1], ids[status.surr_offset : status.read_offset]"),
)

context_from_the_start = change(
    "The context begins with the answer's first id, and the ids to read do not: the two have no common beginning.",
    (RUNS, "ids[status.surr_offset :], ids[: status.read_offset]"),
)

swapped = change(
    "Both runs are right, each in the other's place: the context is taken for what was read, and no text is ever new.",
    (RUNS, "ids[status.surr_offset : status.read_offset], ids[status.surr_offset :]"),
)

read_without_context = change(
    "The context is decoded, but only on one of the two sides: new text loses as many characters as the context has.",
    (RUNS, "ids[status.read_offset :], ids[status.surr_offset : status.read_offset]"),
)
