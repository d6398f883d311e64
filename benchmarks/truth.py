"""What is right, said slowly: the bytes of all visible ids, joined and decoded.

Nothing here comes from the code that is judged. The alphabet of byte-level pieces is the one
in transformers; whether bytes may still become a character is looked up in a list of the
beginnings of all characters.
"""

from __future__ import annotations

import functools
from typing import Any

HEX = "0123456789abcdefABCDEF"

# Every beginning of the UTF-8 of a character. The last six bits never matter to it.
BEGINNINGS = {
    chr(code).encode()[:length]
    for code in range(0x80, 0x110000, 0x40)
    if not 0xD800 <= code < 0xE000
    for length in range(1, len(chr(code).encode()))
}

# Every way to write a byte as a piece of SentencePiece's kind.
BYTE_PIECES = {f"<0x{high}{low}>": int(high + low, 16) for high in HEX for low in HEX}


@functools.cache
def alphabet() -> dict[str, int]:
    """The byte behind each character of a byte-level piece, as transformers has it."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {char: byte for byte, char in bytes_to_unicode().items()}


class Truth:
    """What a tokenizer's ids must bring. `ends` are the ids that end an answer.

    >>> from minisgl_tok import load_tokenizer
    >>> truth = Truth(load_tokenizer("qwen3"), ends={151643, 151645})
    >>> truth.text([46602, 101, 151645]), truth.so_far([[46602], [101]])
    (' 推', [' ', ' 推'])
    """

    def __init__(self, tokenizer: Any, ends: set[int], *, skip_special_tokens: bool = True) -> None:
        self.backend = tokenizer.backend_tokenizer
        added = self.backend.get_added_tokens_decoder()
        self.hidden = set(ends)
        if skip_special_tokens:
            self.hidden |= {token for token, text in added.items() if text.special}
        decoder = str(self.backend.decoder)
        self.byte_level = "ByteLevel" in decoder
        self.strips = "Strip" in decoder

    def piece(self, token: int) -> bytes:
        """The visible bytes of one id."""
        written = None if token in self.hidden or token >= 2**32 else self.backend.id_to_token(token)
        if written is None:
            return b""
        if self.byte_level:
            known = all(char in alphabet() for char in written)
            return bytes(alphabet()[char] for char in written) if known else written.encode()
        if written in BYTE_PIECES:
            return bytes([BYTE_PIECES[written]])
        return written.replace("\u2581", " ").encode()

    def data(self, tokens: list[int]) -> bytes:
        """The visible bytes of many, without the first space where the tokenizer strips it."""
        joined = b"".join(self.piece(token) for token in tokens)
        return joined[1:] if self.strips and joined[:1] == b" " else joined

    def text(self, tokens: list[int], on_cut: str = "replace") -> str:
        """All that a request with these tokens must have sent at its end."""
        data = self.data(tokens)
        if on_cut == "drop":
            data = data[: len(data) - waiting(data)]
        return data.decode("utf-8", "replace")

    def so_far(self, messages: list[list[int]]) -> list[str]:
        """What must have left after each message, its tokens given, while the request is open."""
        tokens: list[int] = []
        texts = []
        for message in messages:
            tokens += message
            data = self.data(tokens)
            texts.append(data[: len(data) - waiting(data)].decode("utf-8", "replace"))
        return texts


def waiting(data: bytes) -> int:
    """How many bytes at the end may still become a character.

    >>> [waiting(data) for data in (b"\\xf0\\x9f", b"\\xed\\xa0", b"a\\xe6", b"")]
    [2, 0, 1, 0]
    """
    ends = (data[-length:] for length in (3, 2, 1))
    return next((len(end) for end in ends if end in BEGINNINGS), 0)
