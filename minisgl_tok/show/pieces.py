"""A tokenizer of made-up pieces, to replay any bytes in any cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class PieceTokenizer:
    """Decodes ids by a table of their bytes: all that a manager and a recording ask for.

    `pieces` maps an id to its bytes, or is a sequence whose places are the ids. An id that
    is not there has no bytes.

    >>> PieceTokenizer([b"ok ", b"\\xf0\\x9f", b"\\x99\\x82"]).decode([0, 1, 2])
    'ok 🙂'
    """

    name_or_path = "made-up pieces"

    def __init__(
        self, pieces: Mapping[int, bytes] | Sequence[bytes], eos_token_id: int | None = None
    ) -> None:
        self.pieces = dict(pieces) if isinstance(pieces, Mapping) else dict(enumerate(pieces))
        self.eos_token_id = eos_token_id

    def decode(self, ids: Sequence[int] | int, skip_special_tokens: bool = False) -> str:
        ids = [ids] if isinstance(ids, int) else ids
        hidden = {self.eos_token_id} if skip_special_tokens else set()
        data = b"".join(self.pieces.get(id_, b"") for id_ in ids if id_ not in hidden)
        return data.decode("utf-8", "replace")

    def batch_decode(self, batch: Sequence[Sequence[int]], skip_special_tokens: bool = False) -> list[str]:
        return [self.decode(ids, skip_special_tokens) for ids in batch]

    def __len__(self) -> int:
        return max(self.pieces, default=-1) + 1
