"""From text and conversations to token ids.

A conversation becomes text by the model's own chat template, up to the point where the
assistant begins to answer; then everything becomes ids, with exactly one BOS at the front
where the tokenizer uses one, whoever wrote it.

Source: mini-sglang, ``minisgl/tokenizer/tokenize.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .messages import TokenizeMsg

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


class TokenizeManager:
    """Turns TokenizeMsg into 1-D int32 tensors of ids.

    >>> from minisgl_tok import load_tokenizer
    >>> from minisgl_tok.messages import SamplingParams
    >>> manager = TokenizeManager(load_tokenizer("qwen3"))
    >>> manager.tokenize([TokenizeMsg(1, "推理", SamplingParams())])
    [tensor([113272], dtype=torch.int32)]

    Source: mini-sglang, class ``TokenizeManager``.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self.front = front_ids(tokenizer)  # the ids with which every prompt begins

    def render(self, text: str | list[dict[str, Any]], **options: Any) -> str:
        """A prompt as text: plain text stays, a chat becomes what the model's template makes of it.

        The prompt of a chat ends where the assistant begins to answer. `options` go to the
        template (`enable_thinking` and the like). Raises ValueError for an empty chat, for
        content that is no text, and where the tokenizer has no template.
        """
        if isinstance(text, str):
            return text
        messages = plain_messages(text)
        if self.tokenizer.chat_template is None:
            raise ValueError("this tokenizer has no chat template; send the prompt as text")
        options = {"add_generation_prompt": True, **options}
        return str(self.tokenizer.apply_chat_template(messages, tokenize=False, **options))

    def encode(self, prompt: str) -> list[int]:
        """The ids of a rendered prompt, with one BOS at the front if the tokenizer uses one.

        A template may have written it into the prompt already; then nothing is added.
        """
        return self._with_front(self.tokenizer.encode(prompt, add_special_tokens=False))

    def tokenize(self, msgs: list[TokenizeMsg]) -> list[torch.Tensor]:
        """A 1-D int32 tensor for each message, in their order, by one call of the library."""
        import torch

        prompts = [self.render(msg.text, **(msg.template_options or {})) for msg in msgs]
        return [torch.tensor(ids, dtype=torch.int32) for ids in self.encode_batch(prompts)]

    def encode_batch(self, prompts: list[str]) -> list[list[int]]:
        """`encode` for several prompts in one call, which the library spreads over the cores."""
        backend = self.tokenizer.backend_tokenizer
        if backend.padding or backend.truncation:  # left by another caller of this tokenizer
            backend.no_padding()
            backend.no_truncation()
        encodings = backend.encode_batch_fast(prompts, add_special_tokens=False)
        return [self._with_front(encoding.ids) for encoding in encodings]

    def _with_front(self, ids: list[int]) -> list[int]:
        front = self.front
        return ids if ids[: len(front)] == front else front + ids


def front_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """The ids that open a prompt: what the tokenizer adds, or the BOS that its template writes.

    Empty where neither writes one, as with Qwen3. What a tokenizer adds at the end (an EOS)
    is left out: a prompt goes on.
    """
    plain = tokenizer.encode("a", add_special_tokens=False)
    added = tokenizer.encode("a", add_special_tokens=True)
    for start in range(len(added) - len(plain) + 1):
        if added[start : start + len(plain)] == plain and start:
            return added[:start]
    bos, template = tokenizer.bos_token, tokenizer.chat_template
    written = bos is not None and template is not None and ("bos_token" in template or bos in template)
    return [tokenizer.bos_token_id] if written else []


def plain_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A chat whose contents are strings: text parts are joined. The caller's list stays as it is.

    Raises ValueError for an empty chat, a message that is no map with a role, and for
    content (or a part of it) that is no text.
    """
    if not messages:
        raise ValueError("the chat is empty: it needs at least one message")
    return [_plain_message(number, message) for number, message in enumerate(messages)]


def _plain_message(number: int, message: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise ValueError(f"message {number} of the chat has no role")
    content = message.get("content")
    if isinstance(content, str) or (content is None and message.get("tool_calls")):
        return dict(message)
    if not isinstance(content, list):
        raise ValueError(f"message {number} of the chat has no text: its content is {type(content).__name__}")
    return {**message, "content": "".join(_text_of(number, part) for part in content)}


def _text_of(number: int, part: Any) -> str:
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        return part["text"]
    kind = part.get("type") if isinstance(part, dict) else type(part).__name__
    raise ValueError(f"message {number} of the chat has a part that is no text: {kind!r}")
