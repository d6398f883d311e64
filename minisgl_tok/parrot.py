"""A language model of the smallest kind, to see what a prompt does to one.

It has read some texts as token ids and goes on as they did: it looks for the longest run of
ids at the end of the prompt that it has met before, and says what came next most often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

LONGEST_RUN = 12  # ids that it compares at the most


class Parrot:
    """Goes on as the texts that it has read.

    >>> from minisgl_tok import load_tokenizer
    >>> tokenizer = load_tokenizer("toy")
    >>> parrot = Parrot(tokenizer, ["to be or not to be</s>"])
    >>> tokenizer.decode(parrot.complete(tokenizer.encode("or not", add_special_tokens=False)))
    'to be</s>'
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> None:
        self.end = tokenizer.eos_token_id
        self.seen: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)  # run -> what came next
        for text in texts:
            self._read(tokenizer.encode(text, add_special_tokens=False))

    def _read(self, ids: list[int]) -> None:
        for end in range(1, len(ids)):
            for start in range(max(0, end - LONGEST_RUN), end):
                self.seen[tuple(ids[start:end])][ids[end]] += 1

    def next_id(self, ids: list[int]) -> int | None:
        """What came next most often behind the longest known end of `ids`; None where nothing did."""
        for length in range(LONGEST_RUN, 0, -1):
            run = tuple(ids[-length:])
            if len(run) == length and run in self.seen:
                return self.seen[run].most_common(1)[0][0]
        return None

    def complete(self, ids: list[int], limit: int = 40) -> list[int]:
        """The ids that it adds, up to an end id (included) or `limit`."""
        added: list[int] = []
        while len(added) < limit and (id_ := self.next_id(ids + added)) is not None:
            added.append(id_)
            if id_ == self.end:
                break
        return added
