"""A limit on prompts, checked at a cost that the limit bounds and not the prompt.

Ten megabytes of text take seconds to encode, and all that time nobody else's text comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

NO_LIMIT = 10**9  # some tokenizers name a length beyond all models: they have none
SLICE = 1 << 16  # characters that are encoded at once
SLACK = 8  # tokens that a cut between two slices may add


class PromptLimit:
    """The most tokens that a prompt may have; None: what the tokenizer says, if anything.

    >>> from minisgl_tok import load_tokenizer
    >>> PromptLimit(load_tokenizer("toy")).tokens
    4096
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, tokens: int | None = None) -> None:
        if tokens is not None and tokens < 1:
            raise ValueError(f"a prompt needs a token at least, so the limit cannot be {tokens}")
        own = tokenizer.model_max_length
        self.tokenizer = tokenizer
        self.tokens = tokens or (int(own) if own and own < NO_LIMIT else NO_LIMIT)

    def check(self, count: int) -> None:
        """Raises ValueError where a prompt has too many tokens."""
        if count > self.tokens:
            raise ValueError(f"the prompt has {count} tokens; the limit is {self.tokens}")

    def check_text(self, text: str | list[dict[str, Any]]) -> None:
        """Raises ValueError where a text is surely too long, before all of it is encoded.

        It is encoded slice by slice until the count decides; a text with fewer characters
        than twice the limit is not looked at.
        """
        joined = text if isinstance(text, str) else "".join(_contents(text))
        if len(joined) < 2 * self.tokens:
            return
        backend, count = self.tokenizer.backend_tokenizer, 0
        for start in range(0, len(joined), SLICE):
            encoding = backend.encode(joined[start : start + SLICE], add_special_tokens=False)
            count += max(0, len(encoding.ids) - SLACK)
            if count > self.tokens:
                raise ValueError(
                    f"the prompt of {len(joined)} characters has more than {self.tokens} tokens, the limit"
                )


def _contents(chat: list[dict[str, Any]]) -> list[str]:
    """The texts of a chat; what is no text is somebody else's error."""
    parts: list[Any] = []
    for message in chat:
        content = message.get("content") if isinstance(message, dict) else None
        parts += content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text for text in texts if isinstance(text, str)]
