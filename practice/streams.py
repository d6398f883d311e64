"""Material for cases: random text, its bytes cut into pieces, and a tokenizer made of pieces."""

from __future__ import annotations

from random import Random
from typing import Any

ALPHABETS = {
    "Latin": "the quick brown fox, naïve café – ¿qué?",
    "Chinese": "推理引擎把一个词拆成两半鱻龘䨻㐂",
    "kana": "ひらがなとカタカナはことばです",
    "Hangul": "한국어는글자가소리를담는다",
    "emoji": "😀🦩👩🔬🇯🇵👍🏽",
    "Devanagari": "नमस्तेदुनिया",
    "code": "def f(x):\n    return x[1:]\n",
}


def random_text(random: Random, length: int = 12) -> str:
    """Some characters from a few of the alphabets, with spaces between runs."""
    runs: list[str] = []
    while len("".join(runs)) < length:
        letters = ALPHABETS[random.choice(sorted(ALPHABETS))]
        runs.append("".join(random.choice(letters) for _ in range(random.randint(1, 4))))
    return random.choice(["", " "]).join(runs)


def random_pieces(random: Random, text: str, longest: int = 4) -> list[bytes]:
    """The text's bytes, cut anywhere into pieces of 1 to `longest` bytes."""
    data, pieces = text.encode(), []
    while data:
        size = random.randint(1, longest)
        pieces.append(data[:size])
        data = data[size:]
    return pieces


class PieceTokenizer:
    """A tokenizer whose n-th id stands for the n-th piece; it counts what it is asked for.

    `strips` removes one space from the front of every decoded text, as SentencePiece does;
    `eos` is the id that ends an answer.
    """

    eos_token_id = None

    def __init__(self, pieces: list[bytes], *, strips: bool = False, eos: int | None = None) -> None:
        self.pieces = pieces
        self.strips = strips
        self.eos_token_id = eos
        self.all_special_ids = [] if eos is None else [eos]
        self.calls = 0
        self.decoded_ids = 0

    def decode(self, ids: list[int], **options: Any) -> str:
        self.calls += 1
        return self._text(ids)

    def batch_decode(self, batch: list[list[int]], **options: Any) -> list[str]:
        self.calls += 1
        return [self._text(ids) for ids in batch]

    def _text(self, ids: list[int]) -> str:
        self.decoded_ids += len(ids)
        text = b"".join(self.pieces[id_] for id_ in ids).decode("utf-8", "replace")
        return text.removeprefix(" ") if self.strips else text


def hexes(pieces: list[bytes]) -> list[str]:
    """Pieces as a case keeps them and as a table shows them: "e9 b1"."""
    return [piece.hex(" ") for piece in pieces]


def unhex(pieces: list[str]) -> list[bytes]:
    """The opposite of `hexes`."""
    return [bytes.fromhex(piece) for piece in pieces]
