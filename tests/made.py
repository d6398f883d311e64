"""Tokenizers made of given pieces, to stream any bytes one likes."""

from __future__ import annotations

from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode


def byte_level(pieces: list[bytes], **options: Any) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer whose id n stands for `pieces[n]`; the pieces differ from each other."""
    char_of = bytes_to_unicode()
    vocab = {"".join(char_of[byte] for byte in piece): n for n, piece in enumerate(pieces)}
    return tokenizer_of(vocab, decoders.ByteLevel(), **options)


def sentencepiece(pieces: list[str], *, strip: bool = True, **options: Any) -> PreTrainedTokenizerFast:
    """One of SentencePiece's kind; a decoder with Strip takes the first space of a text."""
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    decoder = decoders.Sequence(steps + [decoders.Strip(" ", 1, 0)] * strip)
    return tokenizer_of({piece: n for n, piece in enumerate(pieces)}, decoder, **options)


def tokenizer_of(
    vocab: dict[str, int],
    decoder: Any,
    *,
    special: tuple[str, ...] = (),
    added: tuple[str, ...] = (),
    ends: tuple[int, ...] = (),
) -> PreTrainedTokenizerFast:
    """A tokenizer with that vocabulary and decoder, which merges nothing."""
    backend = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    if decoder is not None:
        backend.decoder = decoder
    backend.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    backend.add_tokens([AddedToken(text, normalized=False) for text in added])
    return PreTrainedTokenizerFast(tokenizer_object=backend, generation_end_ids=list(ends))
