"""Requests of every kind to judge with: natural texts, broken ones, and what no text has."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from minisgl_tok.vocab import end_ids

from . import texts
from .truth import Truth
from .zoo import zoo

Calls = list[list[int]]  # the tokens of each call of one request


class Source:
    """Cases of every kind for one tokenizer, the same on each run."""

    def __init__(self, name: str) -> None:
        self.tokenizer = zoo(name)
        self.random = random.Random(name)
        self.ends = end_ids(self.tokenizer)
        self.truth = Truth(self.tokenizer, set(self.ends))
        backend = self.tokenizer.backend_tokenizer
        self.size = max(backend.get_vocab(with_added_tokens=True).values()) + 1
        added = backend.get_added_tokens_decoder()
        self.special = sorted({token for token, text in added.items() if text.special} | self.ends)
        self.unfinished = [token for token in range(self.size) if not _is_text(self.truth.piece(token))]

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False)

    def part(self, text: str) -> list[int]:
        """The ids of some stretch of a text."""
        start = self.random.randrange(len(text))
        return self.encode(text[start : start + self.random.randint(8, 60)])

    def ended(self, ids: list[int]) -> Calls:
        """One token a call, the end id behind them."""
        return [[token] for token in [*ids, self.tokenizer.eos_token_id]]

    def natural(self) -> Iterator[Calls]:
        """Each script once, then two in one text."""
        alone = list(texts.SCRIPTS.values())
        for text in alone:
            yield self.ended(self.encode(text))
        while True:
            yield self.ended(self.encode(" ".join(self.random.sample(alone, 2))))

    def of_text(self, text: str) -> Iterator[Calls]:
        while True:
            yield self.ended(self.part(text))

    def random_ids(self) -> Iterator[Calls]:
        while True:
            yield [[self.random.randrange(self.size)] for _ in range(self.random.randint(1, 50))]

    def unfinished_bytes(self) -> Iterator[Calls]:
        while True:
            yield [[self.random.choice(self.unfinished)] for _ in range(self.random.randint(1, 40))]

    def mixture(self) -> Iterator[Calls]:
        while True:
            ids: list[int] = []
            for _ in range(self.random.randint(2, 6)):
                word = self.part(self.random.choice([*texts.SCRIPTS.values(), texts.RARE, texts.JOINED]))
                ids += word[:8] + self.random.choices(self.unfinished, k=self.random.randint(0, 3))
            yield [[token] for token in ids]

    def cut(self) -> Iterator[Calls]:
        for calls in self.of_text(texts.RARE + texts.JOINED + "".join(texts.SCRIPTS.values())):
            yield calls[: self.random.randint(1, len(calls) - 1)]

    def with_ids(self, choose: Callable[[], int]) -> Iterator[Calls]:
        for calls in self.natural():
            for _ in range(self.random.randint(1, 4)):
                calls.insert(self.random.randrange(len(calls)), [choose()])
            yield calls

    def special_ids(self) -> Iterator[Calls]:
        for calls in self.with_ids(lambda: self.random.choice(self.special)):
            yield [*calls[:-1], [self.random.choice(sorted(self.ends))]]

    def several(self) -> Iterator[Calls]:
        for calls in self.natural():
            tokens = [token for call in calls for token in call]
            together: Calls = []
            while tokens:
                count = self.random.randint(1, 5)
                together.append(tokens[:count])
                del tokens[:count]
            yield together

    def kinds(self) -> dict[str, Iterator[Calls]]:
        """Name -> cases without end."""
        return {
            "natural": self.natural(),
            "rare": self.of_text(texts.RARE),
            "joined emoji": self.of_text(texts.JOINED),
            "real U+FFFD": self.of_text(texts.REPLACEMENTS),
            "controls": self.of_text(texts.CONTROLS),
            "random ids": self.random_ids(),
            "unfinished": self.unfinished_bytes(),
            "mixture": self.mixture(),
            "cut": self.cut(),
            "special ids": self.special_ids(),
            "out of range": self.with_ids(lambda: self.size + self.random.choice((0, 1, 300, 2**30))),
            "several": self.several(),
        }


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
