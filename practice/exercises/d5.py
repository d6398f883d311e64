"""the batch

Put the parts together: messages in, one delta for each out, in the same order.

* `self.take(msg)` gives the status of a message's request, with the token added.
* `self.windows(status)` gives its two lists of ids: to read, and context.
* `self.tokenizer.batch_decode(lists)` turns many lists into many texts at once.
* `self.advance(status, read_text, surr_text)` gives the delta and moves the offsets.

Decode **all** messages of the call together: two batch decodes, however many messages there
are. When a request has `finished`, its status leaves `self.decode_map`; its delta still goes
out. In one call each uid stands once.

```
detokenize([DetokenizeMsg(1, 9707, False), DetokenizeMsg(2, 40, True)])   →   ["Hello", "I"]
decode_map afterwards: {1: …}
```

**Why it matters.** A server with 256 open requests calls this for each step of the model. A library
that is handed all windows at once can share the work between them; one that is called 512 times
cannot. A state that is not freed stays for the life of the process; and a late message would find
it and write into a request that is over.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, change, wrong
from practice.streams import PieceTokenizer, hexes, random_pieces, random_text, unhex

TARGET = "minisgl_tok.detokenize:DetokenizeManager.detokenize"
CHAPTER, DIFFICULTY, MINUTES, CORE = "03", 3, 20, True

HINTS = (
    "Go through the messages as often as you like; what must happen only once is the decoding.",
    "First take all messages in and collect all windows. Then decode. Then go through statuses and"
    " texts side by side (`zip`) and advance each. Last, free what is finished.",
    "Collect two lists of lists: all ids to read, all contexts. Each gets one `batch_decode`. When is"
    " the last moment at which a finished request's status is needed? Delete it after that.",
)

SCAFFOLD = """
# 1  a status for each message (this adds the token)
# 2  both windows of each status
# 3  two batch decodes: all that is to read, all contexts
# 4  a delta for each message
# 5  free the requests that have finished
"""

END = "3c 7c 69 6d 5f 65 6e 64 7c 3e"  # <|im_end|>

Call = list[tuple[int, str, bool]]  # uid, the token's bytes, finished
CALLS: dict[str, list[Call]] = {
    "no message": [[]],
    "one request": [[(1, "6f 6b", False)], [(1, "20 73 6f", False)]],
    "three requests in one call": [[(7, "6f 6b", False), (3, "20 73 6f", False), (5, "21", False)]],
    "halves of three requests": [
        [(1, "e9 b1", False), (2, "20 e6 8e", False), (3, "61", False)],
        [(3, "62", False), (1, "bb", False), (2, "a8", False)],
    ],
    "one of two has finished": [
        [(1, "61", False), (2, "62", False)],
        [(1, "63", True), (2, "64", False)],
        [(2, "65", False)],
    ],
    "the end id finishes": [[(4, "61", False)], [(4, END, True)]],
    "a uid comes again": [[(1, "61", True)], [(1, "62", True)]],
    "finished at once": [[(8, "6f 6b", True), (9, "6f 6b", True)]],
}


def fixed() -> list[Case]:
    return [_case(name, calls) for name, calls in CALLS.items()]


def fresh(random: Random) -> list[Case]:
    return [_case(f"random requests {number}", _random_calls(random)) for number in range(1, 6)]


def _random_calls(random: Random) -> list[Call]:
    waiting = {}
    for uid in random.sample(range(1, 100), random.randint(1, 5)):
        pieces = random_pieces(random, random_text(random, random.randint(2, 8)))
        while not oracles.never_goes_back(pieces):
            pieces = random_pieces(random, random_text(random, random.randint(2, 8)))
        waiting[uid] = hexes(pieces) + random.choice([[], [END]])
    calls = []
    while waiting:
        call = []
        for uid in random.sample(sorted(waiting), random.randint(1, len(waiting))):
            piece = waiting[uid].pop(0)
            call.append((uid, piece, not waiting[uid]))
            if not waiting[uid]:
                del waiting[uid]
        calls.append(call)
    return calls


def _case(name: str, calls: list[Call]) -> Case:
    as_dicts = [[{"uid": uid, "bytes": piece, "finished": end} for uid, piece, end in call] for call in calls]
    return {"name": name, "calls": as_dicts}


def run(case: Case) -> Any:
    from minisgl_tok import DetokenizeManager, DetokenizeMsg

    pieces = sorted({msg["bytes"] for call in case["calls"] for msg in call} | {END})
    tokenizer = PieceTokenizer(unhex(pieces), eos=pieces.index(END))
    manager = DetokenizeManager(tokenizer)  # type: ignore[arg-type]
    rows, decodes, open_requests = [], [], []
    for call in case["calls"]:
        tokenizer.calls = 0
        msgs = [DetokenizeMsg(msg["uid"], pieces.index(msg["bytes"]), msg["finished"]) for msg in call]
        deltas = list(manager.detokenize(msgs))
        rows += [{**msg, "delta": delta} for msg, delta in zip(call, deltas, strict=False)]
        decodes.append("at most 2" if tokenizer.calls <= 2 else tokenizer.calls)
        open_requests.append(sorted(manager.decode_map))
    return {"messages": rows, "decodes in each call": decodes, "open after each call": open_requests}


def oracle(case: Case) -> Any:
    so_far: dict[int, list[bytes]] = {}
    rows, open_requests = [], []
    for call in case["calls"]:
        for msg in call:
            pieces = so_far.setdefault(msg["uid"], [])
            is_end = msg["finished"] and msg["bytes"] == END
            pieces += [] if is_end else [bytes.fromhex(msg["bytes"])]
            delta = "" if is_end else oracles.window(pieces)[-1].delta
            rows.append({**msg, "delta": delta})
        for msg in call:
            if msg["finished"]:
                so_far.pop(msg["uid"])
        open_requests.append(sorted(so_far))
    decodes = ["at most 2"] * len(case["calls"])
    return {"messages": rows, "decodes in each call": decodes, "open after each call": open_requests}


def replay(case: Case) -> dict[str, Any]:
    from minisgl_tok import DetokenizeMsg

    pieces = sorted({msg["bytes"] for call in case["calls"] for msg in call} | {END})
    drains = [
        [DetokenizeMsg(msg["uid"], pieces.index(msg["bytes"]), msg["finished"]) for msg in call]
        for call in case["calls"]
    ]
    tokenizer = PieceTokenizer(unhex(pieces), eos=pieces.index(END))
    return {"tokenizer": tokenizer, "pieces": unhex(pieces), "ids": drains}


@wrong("Right text. But each message has decodes of its own, where two would do for all of them.")
def one_decode_each(self, msgs):
    deltas = []
    for msg in msgs:
        status = self.take(msg)
        read, surr = self.windows(status)
        deltas.append(self.advance(status, self.tokenizer.decode(read), self.tokenizer.decode(surr)))
    for msg in msgs:
        if msg.finished:
            del self.decode_map[msg.uid]
    return deltas


never_freed = change(
    "A thousand finished requests, a thousand states; a uid that comes again goes on with a stranger's text.",
    ("if msg.finished:", "if False:"),
)


@wrong("The state was gone before it had been used: the last message of a request came out empty or raised.")
def freed_first(self, msgs):
    statuses = {}
    for msg in msgs:
        statuses[msg.uid] = self.take(msg)
        if msg.finished:
            del self.decode_map[msg.uid]
    windows = [self.windows(self.decode_map[msg.uid]) for msg in msgs]
    read_texts = self.tokenizer.batch_decode([read for read, _ in windows])
    surr_texts = self.tokenizer.batch_decode([surr for _, surr in windows])
    return [self.advance(statuses[m.uid], r, s) for m, r, s in zip(msgs, read_texts, surr_texts, strict=True)]


frees_all = change(
    "One request ended and took the others' state along.",
    ("del self.decode_map[msg.uid]", "self.decode_map.clear()"),
)


@wrong("Texts are right, but answer other messages: their order is not that of the call.")
def loses_order(self, msgs):
    for msg in msgs:
        self.take(msg)
    uids = sorted(msg.uid for msg in msgs)
    windows = [self.windows(self.decode_map[uid]) for uid in uids]
    read_texts = self.tokenizer.batch_decode([read for read, _ in windows])
    surr_texts = self.tokenizer.batch_decode([surr for _, surr in windows])
    deltas = [
        self.advance(self.decode_map[u], r, s) for u, r, s in zip(uids, read_texts, surr_texts, strict=True)
    ]
    for msg in msgs:
        if msg.finished:
            del self.decode_map[msg.uid]
    return deltas


@wrong("A request whose text has not moved got no delta at all, so the next one's stands in its place.")
def skips_the_empty(self, msgs):
    statuses = [self.take(msg) for msg in msgs]
    windows = [self.windows(status) for status in statuses]
    read_texts = self.tokenizer.batch_decode([read for read, _ in windows])
    surr_texts = self.tokenizer.batch_decode([surr for _, surr in windows])
    deltas = list(map(self.advance, statuses, read_texts, surr_texts))
    for msg in msgs:
        if msg.finished:
            del self.decode_map[msg.uid]
    return [delta for delta in deltas if delta]


@wrong("Right text. But each message has two batch decodes of its own, where all of them could share two.")
def a_batch_for_each(self, msgs):
    deltas = []
    for msg in msgs:
        status = self.take(msg)
        deltas.append(self.advance(status, *self.tokenizer.batch_decode(list(self.windows(status)))))
    for msg in msgs:
        if msg.finished:
            del self.decode_map[msg.uid]
    return deltas


@wrong(
    "The texts belong to the messages of this call, the statuses come in the order in which requests began."
)
def statuses_in_another_order(self, msgs):
    windows = [self.windows(self.take(msg)) for msg in msgs]
    read_texts = self.tokenizer.batch_decode([read for read, _ in windows])
    surr_texts = self.tokenizer.batch_decode([surr for _, surr in windows])
    deltas = list(map(self.advance, self.decode_map.values(), read_texts, surr_texts))
    for msg in msgs:
        if msg.finished:
            del self.decode_map[msg.uid]
    return deltas


@wrong("A call may bring no message; yours raises there.")
def fails_on_no_message(self, msgs):
    statuses = [self.take(msg) for msg in msgs]
    to_read, context = zip(*map(self.windows, statuses), strict=True)
    read_texts = self.tokenizer.batch_decode(list(to_read))
    surr_texts = self.tokenizer.batch_decode(list(context))
    deltas = list(map(self.advance, statuses, read_texts, surr_texts))
    for msg in msgs:
        if msg.finished:
            del self.decode_map[msg.uid]
    return deltas
