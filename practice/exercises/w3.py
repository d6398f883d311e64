"""dispatch

A drain holds three kinds of messages in any order. Return two lists of frames: those for the
frontend and those for the backend (the scheduler). Pure: no socket here.

| message | what becomes of it | goes to |
| --- | --- | --- |
| `DetokenizeMsg` | `UserReply(uid, delta, finished)` | frontend |
| `TokenizeMsg` | `UserMsg(uid, Tensor.of(ids), sampling_params)` | backend |
| `AbortMsg` | `AbortBackendMsg(uid)` | backend |

* `detokenizing.detokenize(msgs)` gives a delta for each DetokenizeMsg; call it once for all.
* `tokenizing.tokenize(msgs)` gives a tensor of ids for each TokenizeMsg; once for all, too.
* At most **one frame a kind**: `pack(msgs, BatchFrontendMsg)` and
  `pack(msgs, BatchBackendMsg)` make a frame of several messages. A kind that is not there
  makes no frame at all.
* To the backend first the prompts, then the aborts: an abort may concern one of these
  prompts, and must not overtake it.
* The order within a kind stays.

**Why it matters.** This is the whole of the process but for waiting. Each frame wakes
somebody, and the scheduler has a GPU to keep busy.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice.exercise import Case, change, wrong
from practice.streams import random_text

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.messages import (
        BatchBackendMsg,
        BatchFrontendMsg,
        DetokenizeMsg,
        Tensor,
        TokenizeMsg,
        UserMsg,
        UserReply,
    )
    from minisgl_tok.server import pack

TARGET = "minisgl_tok.server:handle"
CHAPTER, DIFFICULTY, MINUTES, CORE = "04", 3, 25, True
NEEDS_TORCH = True

HINTS = (
    "First sort: three lists, one a kind, each in the order of the drain. Then each kind by itself.",
    "`isinstance` tells the kinds apart. For tokens: one call, then a reply for each pair of message and"
    " delta (`zip`), then one frame. The same for prompts.",
    "Before each frame ask whether its list has anything in it. The backend's list gets the frame of"
    " prompts first and the frame of aborts behind it.",
)

SCAFFOLD = """
# 1  the tokens, the prompts and the aborts of this drain
# 2  tokens, if there are any: deltas, replies, one frame to the frontend
# 3  prompts, if there are any: ids, requests, one frame to the backend
# 4  aborts, if there are any: one frame to the backend
"""

# "t1": a token of uid 1; "t1.": its last; "p2": a prompt; "a3": an abort
DRAINS = {
    "nothing": "",
    "one token": "t1",
    "one prompt": "p2",
    "one abort": "a3",
    "tokens of three requests": "t7 t5 t6.",
    "two tokens of one request": "t1 t1.",
    "two prompts": "p2 p4",
    "an abort of the prompt before it": "p2 a2",
    "all kinds, mixed": "t1 p2 a3 t4. p5 t1 a6",
}


def fixed() -> list[Case]:
    return [_case(name, drain) for name, drain in DRAINS.items()]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 6):
        kinds = [random.choice(["t", "t", "p", "a"]) for _ in range(random.randint(1, 9))]
        drain = " ".join(f"{kind}{uid}" for uid, kind in enumerate(kinds, start=random.randint(1, 50)))
        cases.append(_case(f"random drain {number}", drain, random_text(random, 4)))
    return cases


def _case(name: str, drain: str, text: str = "so") -> Case:
    return {"name": name, "drain": drain, "text of each delta": text}


def _parts(act: str) -> tuple[str, int, bool]:
    return act[0], int(act[1:].rstrip(".")), act.endswith(".")


class Detokenizing:
    """Answers each token with the same text and its place in the call, and counts the calls."""

    def __init__(self, text: str) -> None:
        self.text, self.calls = text, 0

    def detokenize(self, msgs: list[Any]) -> list[str]:
        self.calls += 1
        return [f"{self.text} {place}" for place, _ in enumerate(msgs)]


class Tokenizing:
    """Turns a prompt into one id, its uid, and counts the calls."""

    def __init__(self) -> None:
        self.calls = 0

    def tokenize(self, msgs: list[Any]) -> list[Any]:
        import torch

        self.calls += 1
        return [torch.tensor([msg.uid], dtype=torch.int32) for msg in msgs]


def run(case: Case) -> Any:
    from minisgl_tok import server
    from minisgl_tok.messages import AbortMsg, DetokenizeMsg, SamplingParams, TokenizeMsg

    pending: list[Any] = []
    for kind, uid, finished in map(_parts, case["drain"].split()):
        if kind == "t":
            pending.append(DetokenizeMsg(uid, 0, finished))
        elif kind == "p":
            pending.append(TokenizeMsg(uid, "to be", SamplingParams(max_tokens=uid)))
        else:
            pending.append(AbortMsg(uid))
    tokenizing, detokenizing = Tokenizing(), Detokenizing(case["text of each delta"])
    to_frontend, to_backend = server.handle(pending, tokenizing, detokenizing)  # type: ignore[arg-type]
    return {
        "to the frontend": [_frame(frame) for frame in to_frontend],
        "to the backend": [_frame(frame) for frame in to_backend],
        "calls": [detokenizing.calls <= 1, tokenizing.calls <= 1],
    }


def _frame(frame: Any) -> Any:
    """A frame as it arrives, in short: the messages of a batch as a list, a single one as itself."""
    from minisgl_tok.messages import decode, encode

    return _short(decode(encode(frame)))


def _short(frame: Any) -> Any:
    if hasattr(frame, "data"):
        return {type(frame).__name__: [_short(msg) for msg in frame.data]}
    short: list[Any] = [type(frame).__name__, getattr(frame, "uid", None)]
    if hasattr(frame, "incremental_output"):
        short += [frame.incremental_output, "finished" if frame.finished else "goes on"]
    if hasattr(frame, "sampling_params"):
        short += [frame.input_ids.tolist(), f"max_tokens {frame.sampling_params.max_tokens}"]
    return short


def oracle(case: Case) -> Any:
    acts = [_parts(act) for act in case["drain"].split()]
    text = case["text of each delta"]
    replies = [
        ["UserReply", uid, f"{text} {place}", "finished" if finished else "goes on"]
        for place, (_, uid, finished) in enumerate(act for act in acts if act[0] == "t")
    ]
    requests = [["UserMsg", uid, [uid], f"max_tokens {uid}"] for kind, uid, _ in acts if kind == "p"]
    aborts = [["AbortBackendMsg", uid] for kind, uid, _ in acts if kind == "a"]
    return {
        "to the frontend": _packed(replies, "BatchFrontendMsg"),
        "to the backend": _packed(requests, "BatchBackendMsg") + _packed(aborts, "BatchBackendMsg"),
        "calls": [True, True],
    }


def _packed(msgs: list[Any], batch: str) -> list[Any]:
    return [{batch: msgs}] if len(msgs) > 1 else msgs


FRONT, REQUESTS = (
    "to_frontend.append(pack(replies, BatchFrontendMsg))",
    "to_backend.append(pack(requests, BatchBackendMsg))",
)
ABORTS = "to_backend.append(pack(aborts, BatchBackendMsg))"

one_frame_each = change(
    "Right messages, each in a frame of its own: 64 frames where three would do.",
    (FRONT, "to_frontend += replies"),
    (REQUESTS, "to_backend += requests"),
    (ABORTS, "to_backend += aborts"),
)

empty_batch = change(
    "A frame with nothing in it woke the other side.",
    ("if tokens:", "if True:"),
    ("if prompts:", "if True:"),
    ("if aborts:", "if True:"),
)

abort_to_the_frontend = change(
    "The scheduler still computes for a user who has left: the abort went to the frontend.",
    (ABORTS, "to_frontend.append(pack(aborts, BatchBackendMsg))"),
)

drops_the_sampling = change(
    "The request arrives with the defaults instead of its own settings.",
    ("msg.sampling_params", "type(msg.sampling_params)()"),
)

abort_first = change(
    "A request was aborted before the scheduler had heard of it; then it came, and nobody stops it.",
    (ABORTS, "to_backend.insert(0, pack(aborts, BatchBackendMsg))"),
)

never_finishes = change(
    "The last token of a request came, and the frontend was not told that it was the last: it waits.",
    ("UserReply(msg.uid, delta, msg.finished)", "UserReply(msg.uid, delta, False)"),
)

one_call_each = change(
    "Right messages. But each token is detokenized by a call of its own; the batch is lost.",
    ("detokenizing.detokenize(tokens)", "[detokenizing.detokenize([msg])[0] for msg in tokens]"),
)

tensor_itself = change(
    "The ids have no form on the wire: the frame with them cannot be written, and the process stops.",
    ("map(Tensor.of, tokenizing.tokenize(prompts))", "tokenizing.tokenize(prompts)"),
)


@wrong("Aborts are answered with nothing at all: the scheduler never hears of them.")
def forgets_aborts(pending, tokenizing, detokenizing):
    tokens = [msg for msg in pending if isinstance(msg, DetokenizeMsg)]
    prompts = [msg for msg in pending if isinstance(msg, TokenizeMsg)]
    to_frontend, to_backend = [], []
    if tokens:
        pairs = zip(tokens, detokenizing.detokenize(tokens), strict=True)
        to_frontend.append(pack([UserReply(m.uid, d, m.finished) for m, d in pairs], BatchFrontendMsg))
    if prompts:
        pairs = zip(prompts, tokenizing.tokenize(prompts), strict=True)
        requests = [UserMsg(m.uid, Tensor.of(t), m.sampling_params) for m, t in pairs]
        to_backend.append(pack(requests, BatchBackendMsg))
    return to_frontend, to_backend
