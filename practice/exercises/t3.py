"""the batch of prompts

Turn messages into tensors of ids: one for each `TokenizeMsg`, in their order.

* `self.render(msg.text, **(msg.template_options or {}))` gives a message's prompt as text.
* Encode **all** prompts together: enter the library once or twice, however many there are.
  `self.encode_batch(prompts)` does it in one call and knows of the BOS.
* Each result is a tensor with **one** dimension, of the type `torch.int32`. `import torch`
  inside the function: the package shall load without it.

With Qwen3: `tokenize([TokenizeMsg(1, "推理", SamplingParams())])` gives
`[tensor([113272], dtype=torch.int32)]`.

**Why it matters.** The library has threads that work on several texts at once, but only on
texts that it gets in one call. And the scheduler copies the ids into a table of int32: it
takes no other type, and it reads the length of a prompt from the first dimension.
"""

from random import Random
from typing import Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import CountingTokenizer, marks_and_text, random_text, tokenizer_of

TARGET = "minisgl_tok.tokenize:TokenizeManager.tokenize"
CHAPTER, DIFFICULTY, MINUTES, CORE = "01", 2, 12, False
NEEDS_TORCH = True

HINTS = (
    "Two loops with one call between them: what can be done for each message before, what after?",
    "First all prompts as text, then one call for all of them, then a tensor of each list of ids.",
    "A list comprehension with `self.render`, then `self.encode_batch`, then a list comprehension with"
    " `torch.tensor`. Look up how it is told the type of the numbers.",
)

CHAT = [{"role": "user", "content": "Hi"}]
NO_THINKING = {"enable_thinking": False}
BATCHES: dict[str, tuple[str, list[Any]]] = {
    "no message": ("qwen3", []),
    "one text": ("qwen3", ["推理"]),
    "three texts of different length": ("qwen3", ["to be or not to be", "a", "推理引擎"]),
    "a chat between texts": ("toy", ["to be", CHAT, "or not"]),
    "two chats, one with an option": ("qwen3", [CHAT, {"chat": CHAT, "options": NO_THINKING}, "a"]),
    "nothing, with a start mark": ("toy", ["", "to"]),
}


def fixed() -> list[Case]:
    return [
        {"name": name, "tokenizer": kind, "prompts": prompts} for name, (kind, prompts) in BATCHES.items()
    ]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 5):
        prompts: list[Any] = [random_text(random, random.randint(1, 9)) for _ in range(random.randint(1, 5))]
        for place in range(len(prompts)):
            if random.random() < 0.3:
                prompts[place] = [{"role": "user", "content": prompts[place]}]
        kind = random.choice(["qwen3", "toy"])
        cases.append({"name": f"random batch {number}", "tokenizer": kind, "prompts": prompts})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import SamplingParams, TokenizeManager, TokenizeMsg

    tokenizer = CountingTokenizer(tokenizer_of(case["tokenizer"]))
    manager = TokenizeManager(tokenizer)  # type: ignore[arg-type]
    tokenizer.calls = 0
    msgs = []
    for place, prompt in enumerate(case["prompts"]):
        text, options = _parts(prompt)
        msgs.append(TokenizeMsg(_uid(case, place), text, SamplingParams(), template_options=options))
    tensors = list(manager.tokenize(msgs))
    rows = [
        {"uid": _uid(case, place), **_seen(tokenizer.inner, tensor)} for place, tensor in enumerate(tensors)
    ]
    calls = "at most 2" if tokenizer.calls <= 2 else tokenizer.calls
    return {"messages": rows, "library entered": calls}


def _uid(case: Case, place: int) -> int:
    """Uids that fall: what is in the order of the uids is not in the order of the messages."""
    return len(case["prompts"]) - place


def _parts(prompt: Any) -> tuple[Any, dict[str, Any]]:
    return (prompt["chat"], prompt["options"]) if isinstance(prompt, dict) else (prompt, {})


def _seen(tokenizer: Any, tensor: Any) -> dict[str, Any]:
    import torch

    if not isinstance(tensor, torch.Tensor):
        return {"type": type(tensor).__name__}
    prompt = marks_and_text(tokenizer, [int(id_) for id_ in tensor.reshape(-1).tolist()])
    return {"type": str(tensor.dtype), "dimensions": tensor.dim(), **prompt}


def oracle(case: Case) -> Any:
    rows = []
    for place, prompt in enumerate(case["prompts"]):
        text, options = _parts(prompt)
        if case["tokenizer"] == "qwen3":
            thinking = options.get("enable_thinking", True)
            text = text if isinstance(text, str) else oracles.qwen3_prompt(text, thinking=thinking)
        else:
            text = text if isinstance(text, str) else oracles.toy_prompt(text).removeprefix("<s>")
        marks = int(case["tokenizer"] == "toy")
        row = {"type": "torch.int32", "dimensions": 1, "start marks": marks, "text": text}
        rows.append({"uid": _uid(case, place), **row})
    return {"messages": rows, "library entered": "at most 2"}


@wrong("Right ids. The library was entered once for each message, and its threads had one text each.")
def one_call_each(self, msgs):
    import torch

    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    return [torch.tensor(self.encode(prompt), dtype=torch.int32) for prompt in prompts]


@wrong("Each result is a table with one row; the scheduler counts its length as 1.")
def two_dimensions(self, msgs):
    import torch

    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    return [torch.tensor([ids], dtype=torch.int32) for ids in self.encode_batch(prompts)]


@wrong("Twice the bytes on the wire, and the scheduler's copy refuses them.")
def int64(self, msgs):
    import torch

    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    return [torch.tensor(ids, dtype=torch.int64) for ids in self.encode_batch(prompts)]


@wrong("Short prompts got ids that nobody wrote, so that all are as long as the longest.")
def padded(self, msgs):
    import torch

    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    rows = self.encode_batch(prompts)
    longest = max((len(ids) for ids in rows), default=0)
    return [torch.tensor(ids + [0] * (longest - len(ids)), dtype=torch.int32) for ids in rows]


@wrong("The ids are right but belong to other requests: one kind of prompt was served before the other.")
def chats_first(self, msgs):
    import torch

    msgs = sorted(msgs, key=lambda msg: isinstance(msg.text, str))
    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    return [torch.tensor(ids, dtype=torch.int32) for ids in self.encode_batch(prompts)]


@wrong("A chat's start mark was written by its template and added once more by the library's own call.")
def two_starts(self, msgs):
    import torch

    prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
    rows = self.tokenizer(prompts)["input_ids"] if prompts else []
    return [torch.tensor(ids, dtype=torch.int32) for ids in rows]


@wrong("A request had its own wishes for the template, and they changed nothing.")
def forgets_the_options(self, msgs):
    import torch

    prompts = [self.render(msg.text) for msg in msgs]
    return [torch.tensor(ids, dtype=torch.int32) for ids in self.encode_batch(prompts)]
