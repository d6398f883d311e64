"""exactly one BOS

Many models were trained on texts that begin with a start mark, the **BOS** (`<s>` in the toy
tokenizer; Qwen3 has none). Who writes it differs: some tokenizers add it to every text that
they encode, some chat templates write it, some do both.

`prompt` is a rendered prompt. Return its ids, so that they begin with the mark **once** if
the model uses one, whoever wrote it.

* `self.front` holds the ids with which every prompt must begin: `[1]` for toy, `[]` for Qwen3.
* `self.tokenizer.encode(prompt, add_special_tokens=False)` encodes the text as it stands; a
  mark that is written in it becomes its id.
* All other ids stay as they are, also a mark that the user wrote inside the text.

With toy:

| prompt | ids |
| --- | --- |
| `to be` | `[1, 373, 375]` |
| `<s>to be` | `[1, 373, 375]` |
| `a<s>b` | `[1, 380, 1, 374]` |

**Why it matters.** Two marks, or none, and the model sees a text that it was never trained
on. It answers a little worse each time, and no test of the server's own turns red.
"""

from random import Random
from typing import Any

from practice.exercise import Case, wrong
from practice.streams import TOKENIZERS, marks_and_text, random_text, tokenizer_of

TARGET = "minisgl_tok.tokenize:TokenizeManager.encode"
CHAPTER, DIFFICULTY, MINUTES, CORE = "01", 2, 10, False

HINTS = (
    "First the ids without any help of the tokenizer. Then one question about their beginning.",
    "Is what every prompt must begin with already there? If not, put it there.",
    "Compare the first `len(self.front)` ids with `self.front`. Two lists are joined with `+`. With an"
    " empty `front` nothing needs to be done, and nothing is.",
)

# name: tokenizer, prompt, start marks expected in front, text behind them
PROMPTS = {
    "Qwen3 has no mark": ("qwen3", "to be", 0, "to be"),
    "a chat for Qwen3": (
        "qwen3",
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
        0,
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    ),
    "a raw prompt": ("toy", "to be", 1, "to be"),
    "a chat whose template wrote it": (
        "toy",
        "<s>[user] to be\n[assistant] ",
        1,
        "[user] to be\n[assistant] ",
    ),
    "only the tokenizer adds it": ("toy, added", "to be", 1, "to be"),
    "only the template writes it: a chat": (
        "toy, written",
        "<s>[user] Hi\n[assistant] ",
        1,
        "[user] Hi\n[assistant] ",
    ),
    "only the template writes it: a raw prompt": ("toy, written", "to be", 1, "to be"),
    "the vocabulary has it, the model does not use it": ("toy, unused", "to be", 0, "to be"),
    "the user wrote it inside": ("toy", "to<s>be", 1, "to<s>be"),
    "nothing": ("toy", "", 1, ""),
    "the second of two prompts": ("toy", "to be", 1, "to be"),
}


def fixed() -> list[Case]:
    return [
        {"name": name, "tokenizer": tokenizer, "prompt": prompt}
        | ({"the prompt before": "of it"} if name == "the second of two prompts" else {})
        for name, (tokenizer, prompt, _, _) in PROMPTS.items()
    ]


def fresh(random: Random) -> list[Case]:
    cases = []
    for number in range(1, 9):
        tokenizer = random.choice(TOKENIZERS)
        prompt = random_text(random, 8)
        if tokenizer in ("toy", "toy, written"):
            prompt = random.choice(["", "<s>"]) + prompt
        if tokenizer != "qwen3":
            prompt += random.choice(["", "<s>of it"])
        cases.append({"name": f"random prompt {number}", "tokenizer": tokenizer, "prompt": prompt})
    return cases


def run(case: Case) -> Any:
    from minisgl_tok import TokenizeManager

    tokenizer = tokenizer_of(case["tokenizer"])
    manager = TokenizeManager(tokenizer)
    if "the prompt before" in case:
        manager.encode(case["the prompt before"])
    return marks_and_text(tokenizer, manager.encode(case["prompt"]))


def oracle(case: Case) -> Any:
    if case["name"] in PROMPTS:
        marks, text = PROMPTS[case["name"]][2:]
    else:
        marks = int(case["tokenizer"] in ("toy", "toy, added", "toy, written"))
        text = case["prompt"].removeprefix("<s>") if marks else case["prompt"]
    return {"start marks": marks, "text": text}


@wrong("The model sees the start of a text two times: the template wrote it, and it was added once more.")
def twice(self, prompt):
    return self.tokenizer.encode(prompt)


@wrong("A raw prompt starts without the mark the model was trained to see first.")
def never(self, prompt):
    return self.tokenizer.encode(prompt, add_special_tokens=False)


@wrong("You put the mark in front of every prompt, also where it already stands.")
def always_in_front(self, prompt):
    return self.front + self.tokenizer.encode(prompt, add_special_tokens=False)


@wrong("The mark inside the text was taken for one at its beginning, and the beginning has none.")
def looks_anywhere(self, prompt):
    ids = self.tokenizer.encode(prompt, add_special_tokens=False)
    return ids if set(self.front) <= set(ids) else self.front + ids


@wrong("A prompt begins with the text of the one before: `self.front` belongs to all of them, and it grew.")
def adds_to_the_front(self, prompt):
    ids = self.tokenizer.encode(prompt, add_special_tokens=False)
    if ids[: len(self.front)] == self.front:
        return ids
    self.front += ids
    return self.front


@wrong("You remove the first id also where it is text.")
def strips_first_id(self, prompt):
    return self.front + self.tokenizer.encode(prompt, add_special_tokens=False)[1:]


@wrong("The user wrote the mark inside the text; yours is gone there too.")
def removes_every_one(self, prompt):
    ids = self.tokenizer.encode(prompt, add_special_tokens=False)
    return self.front + [id_ for id_ in ids if id_ not in self.front]


@wrong("Each vocabulary may have a mark; yours stands there also for a model that was never trained with it.")
def trusts_the_vocabulary(self, prompt):
    ids, mark = self.tokenizer.encode(prompt, add_special_tokens=False), self.tokenizer.bos_token_id
    return ids if mark is None or ids[:1] == [mark] else [mark, *ids]
