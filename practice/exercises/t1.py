"""render a chat

A prompt comes as plain text or as a chat, a list of messages with `role` and `content`.
Return it as one text.

* Plain text stays as it is.
* A chat becomes what the model's own template makes of it:
  `self.tokenizer.apply_chat_template(messages, tokenize=False)` gives its text.
* The text must go up to where the assistant **begins to answer**; the template writes that
  beginning only if it is asked to (`add_generation_prompt`).
* `options` are for the template (Qwen3's knows `enable_thinking`).
* A message's content can be a list of parts, `[{"type": "text", "text": "Hi"}]`.
  `plain_messages(chat)` gives the same chat with plain texts, and leaves the caller's as it
  is. It also raises the ValueError for an empty chat.

With Qwen3:

```
render("Hello")                                  →  Hello
render([{"role": "user", "content": "Hello"}])   →  <|im_start|>user
                                                    Hello<|im_end|>
                                                    <|im_start|>assistant
                                                    (and a newline at the end)
```

**Why it matters.** A model answers well only in the form that it was trained on. Without it,
it goes on with the user's sentence, or never stops; nothing else looks broken.
"""

from random import Random
from typing import TYPE_CHECKING, Any

from practice import oracles
from practice.exercise import Case, wrong
from practice.streams import random_text, tokenizer_of

if TYPE_CHECKING:  # an answer sees the names of its target's module
    from minisgl_tok.tokenize import plain_messages

TARGET = "minisgl_tok.tokenize:TokenizeManager.render"
CHAPTER, DIFFICULTY, MINUTES, CORE = "01", 2, 10, True

HINTS = (
    "Two kinds of input, two ways. How do you tell a text from a list?",
    "For a chat: first `plain_messages`, then the template. Look up in its signature (`help` of"
    " `apply_chat_template`) what decides on the end of the prompt, and what on text or ids.",
    "Three things go to the template besides the messages: that it shall return text, that it shall"
    " write the assistant's beginning, and `**options`.",
)

HELLO = [{"role": "user", "content": "Hello"}]
JOKE = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello! How can I help?"},
    {"role": "user", "content": "Tell me a joke"},
]
PARTS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "1+"}, {"type": "text", "text": "1?"}]},
]
NO_THINKING = {"enable_thinking": False}

# name: tokenizer, text or chat, options, prompt
PROMPTS: dict[str, tuple[str, Any, dict[str, Any], str]] = {
    "plain text": ("qwen3", "Hello", {}, "Hello"),
    "plain text, toy": ("toy", "to be\n", {}, "to be\n"),
    "one question": ("qwen3", HELLO, {}, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"),
    "one question, toy": ("toy", HELLO, {}, "<s>[user] Hello\n[assistant] "),
    "three turns": (
        "qwen3",
        JOKE,
        {},
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello! How can I help?<|im_end|>\n"
        "<|im_start|>user\nTell me a joke<|im_end|>\n<|im_start|>assistant\n",
    ),
    "no thinking": (
        "qwen3",
        HELLO,
        NO_THINKING,
        "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
    ),
    "content in parts": (
        "qwen3",
        PARTS,
        {},
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n1+1?<|im_end|>\n<|im_start|>assistant\n",
    ),
    "content in parts, toy": ("toy", PARTS, {}, "<s>[system] Be brief.\n[user] 1+1?\n[assistant] "),
    "an empty chat": ("toy", [], {}, "(ValueError)"),
}


def fixed() -> list[Case]:
    return [
        {"name": name, "tokenizer": tokenizer, "text": text, "options": options}
        for name, (tokenizer, text, options, _) in PROMPTS.items()
    ]


def fresh(random: Random) -> list[Case]:
    cases: list[Case] = []
    for number in range(1, 7):
        roles = ["user", "assistant"] * random.randint(0, 2) + ["user"]
        chat: list[dict[str, Any]] = [{"role": role, "content": random_text(random, 6)} for role in roles]
        if random.random() < 0.3:
            chat[-1]["content"] = [{"type": "text", "text": chat[-1]["content"]}]
        tokenizer = random.choice(["qwen3", "toy"])
        options = NO_THINKING if tokenizer == "qwen3" and random.random() < 0.3 else {}
        case = {"name": f"random chat {number}", "tokenizer": tokenizer, "text": chat, "options": options}
        cases.append(case)
    text = random_text(random, 9)
    return [*cases, {"name": "random text", "tokenizer": "qwen3", "text": text, "options": {}}]


def run(case: Case) -> Any:
    from minisgl_tok import TokenizeManager

    manager = TokenizeManager(tokenizer_of(case["tokenizer"]))
    try:
        return manager.render(case["text"], **case["options"])
    except ValueError:
        return "(ValueError)"


def oracle(case: Case) -> Any:
    text, options = case["text"], case["options"]
    if case["name"] in PROMPTS:
        return PROMPTS[case["name"]][3]
    if isinstance(text, str):
        return text
    chat = [{**message, "content": _joined(message["content"])} for message in text]
    if case["tokenizer"] == "toy":
        return oracles.toy_prompt(chat)
    return oracles.qwen3_prompt(chat, thinking=options.get("enable_thinking", True))


def _joined(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@wrong("The prompt ends with the user's turn; the model may go on writing the user's next sentence.")
def no_generation_prompt(self, text, **options):
    if isinstance(text, str):
        return text
    return self.tokenizer.apply_chat_template(plain_messages(text), tokenize=False, **options)


@wrong("You pass on what was said but not who said it.")
def joins_contents(self, text, **options):
    if isinstance(text, str):
        return text
    return "\n".join(message["content"] for message in plain_messages(text))


@wrong("Plain text arrives inside a conversation that nobody asked for.")
def template_around_text(self, text, **options):
    if isinstance(text, str):
        text = [{"role": "user", "content": text}]
    options = {"add_generation_prompt": True, **options}
    return self.tokenizer.apply_chat_template(plain_messages(text), tokenize=False, **options)


@wrong("`enable_thinking` was given and changed nothing.")
def drops_options(self, text, **options):
    if isinstance(text, str):
        return text
    return self.tokenizer.apply_chat_template(
        plain_messages(text), tokenize=False, add_generation_prompt=True
    )


@wrong("After your call the caller's messages differ: the next one to read them reads what you made of them.")
def changes_the_callers_list(self, text, **options):
    if isinstance(text, str):
        return text
    for message, plain in zip(text, plain_messages(text), strict=True):
        message["content"] = plain["content"]
    options = {"add_generation_prompt": True, **options}
    return self.tokenizer.apply_chat_template(text, tokenize=False, **options)


@wrong("The user's question came in parts, and they are missing from the prompt or break the template.")
def hands_on_the_parts(self, text, **options):
    if isinstance(text, str):
        return text
    options = {"add_generation_prompt": True, **options}
    return self.tokenizer.apply_chat_template(text, tokenize=False, **options)
