"""Break a detokenizer with random tokens, and make the failure small enough to read.

Random ids are hard on a window: most of them are rare pieces, and half of what they spell is
no text. What breaks it with eight random ids mostly breaks with two or three of them.
"""

from __future__ import annotations

import codecs
import functools
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ..safe import can_grow
from ..vocab import open_bytes, token_bytes
from .trace import messages_of, record

FOLLOWERS = bytes(range(0x80, 0xC0))  # continuation bytes


def hunt(
    manager: Any,
    tokenizer: Any,
    *,
    seed: int = 0,
    tries: int = 500,
    length: int = 8,
    valid: bool = False,
) -> list[int] | None:
    """The smallest ids found on which a manager goes wrong; None where all `tries` were right.

    `valid` draws only from ids that spell a valid text together, so that nobody can say the
    model wrote rubbish. Deterministic for a `seed`.
    """
    random = Random(seed)
    ids = list(range(len(tokenizer)))

    def fails(candidate: Sequence[int]) -> bool:
        if valid and not spells_text(tokenizer, candidate):
            return False
        return record(tokenizer, manager, messages_of(candidate)).first_fault() is not None

    for _ in range(tries):
        drawn = text_ids(tokenizer, random, length) if valid else random.choices(ids, k=length)
        if fails(drawn):
            return shrink(drawn, fails)
    return None


def shrink(ids: Sequence[int], fails: Callable[[Sequence[int]], bool]) -> list[int]:
    """A part of the ids that still fails, and no longer does when any one id is left out.

    >>> shrink([5, 1, 7, 2, 9], lambda ids: 1 in ids and 2 in ids)
    [1, 2]
    """
    smaller = list(ids)
    size = len(smaller) // 2
    while size:
        starts = range(0, len(smaller), size)
        shorter = (smaller[:start] + smaller[start + size :] for start in starts)
        failing = next((candidate for candidate in shorter if fails(candidate)), None)
        if failing is not None:
            smaller = failing
        else:
            size //= 2
    return smaller


def text_ids(tokenizer: Any, random: Random, length: int) -> list[int]:
    """Ids, `length` or a few more, that spell a valid text, but not as a tokenizer would cut it.

    A walk over the vocabulary: where a character is open, the next token must go on with it.
    Tokens that begin or end inside a character are as likely as all others together.
    """
    ids: list[int] = []
    data = b""
    while len(ids) < length or open_bytes(data):
        token = random.choice(random.choice(_going_on(tokenizer)[_missing(data)]))
        if _begins_text(data + token_bytes(tokenizer, token)):
            ids.append(token)
            data += token_bytes(tokenizer, token)
    return ids


@functools.cache
def _going_on(tokenizer: Any) -> list[list[list[int]]]:
    """For 0 to 3 missing followers the ids that can come next, in groups: those that open a character apart."""
    groups: list[list[list[int]]] = [[[], []] for _ in range(4)]
    for token in range(len(tokenizer)):
        data = token_bytes(tokenizer, token)
        followers = len(data) - len(data.lstrip(FOLLOWERS))
        only_follows = followers == len(data) > 0
        for missing in range(followers, 4 if only_follows else followers + 1):
            if data and missing < 4:
                groups[missing][bool(open_bytes(data))].append(token)
    return [[group for group in pair if group] for pair in groups]


def _missing(data: bytes) -> int:
    """How many followers the character at the end still lacks."""
    waiting = open_bytes(data)
    lead = data[-waiting] if waiting else 0
    return 0 if not waiting else (2 if lead < 0xE0 else 3 if lead < 0xF0 else 4) - waiting


def _begins_text(data: bytes) -> bool:
    """Whether something can follow that makes a text of these bytes."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    waiting = open_bytes(data)
    return not waiting or can_grow(data[-waiting:])


def spells_text(tokenizer: Any, ids: Sequence[int]) -> bool:
    """Whether the bytes of these ids are valid UTF-8, from the first to the last."""
    try:
        b"".join(token_bytes(tokenizer, id_) for id_ in ids).decode()
    except UnicodeDecodeError:
        return False
    return True
