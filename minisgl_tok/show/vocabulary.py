"""What a recording asks of a tokenizer: bytes, text and visibility of single tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..vocab import end_ids, piece_rule_of, token_bytes


class Vocabulary:
    """Single tokens of any tokenizer-like object, made-up ones included.

    `pieces` (id -> bytes) comes before the tokenizer's own vocabulary. Where neither has
    bytes, `has_bytes` is False and texts alone are known.
    """

    def __init__(self, tokenizer: Any, pieces: Mapping[int, bytes] | None = None) -> None:
        self.tokenizer = tokenizer
        self.pieces = getattr(tokenizer, "pieces", None) if pieces is None else pieces
        self.strips_first_space = False
        self.has_bytes = isinstance(self.pieces, Mapping)
        if not self.has_bytes:
            try:
                self.strips_first_space = piece_rule_of(tokenizer).strips_first_space
                self.has_bytes = True
            except Exception:  # no such tokenizer, or a decoder that does more than join bytes
                self.pieces = None
        self.hidden = _hidden(tokenizer)

    def bytes_of(self, token: int) -> bytes | None:
        """A token's bytes; none for an id that is not there, None where no token has any."""
        if not self.has_bytes:
            return None
        if isinstance(self.pieces, Mapping):
            return bytes(self.pieces.get(token, b""))
        try:
            return token_bytes(self.tokenizer, token)
        except ValueError:
            return b""

    def alone(self, token: int) -> str:
        """A token decoded alone."""
        try:
            return self.tokenizer.decode([token])
        except Exception:  # an id that this tokenizer refuses
            return ""

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids)


def _hidden(tokenizer: Any) -> frozenset[int]:
    """Ids that are no text of an answer: end ids, and added tokens flagged special."""
    try:
        ends = end_ids(tokenizer)
    except Exception:  # a made-up tokenizer
        own = getattr(tokenizer, "eos_token_id", None)
        ends = frozenset() if own is None else frozenset({own})
    added = getattr(tokenizer, "added_tokens_decoder", {})
    return ends | {id_ for id_, token in added.items() if getattr(token, "special", False)}
