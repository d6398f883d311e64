"""A small tokenizer of SentencePiece's kind, built in code.

It has what the byte-level one lacks: a space is written ``▁`` and belongs to the word
behind it, one stands in front of every text, the decoder strips it again, a character
outside the vocabulary falls back to bytes such as ``<0xE6>``, and a BOS opens every prompt,
written by the post-processor for plain text and by the template for a chat.

>>> build().tokenize("to be 推!")
['▁to', '▁be', '▁', '<0xE6>', '<0x8E>', '<0xA8>', '!']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

UNKNOWN, BOS, EOS = "<unk>", "<s>", "</s>"

# Words that are one piece, grown one letter at a time so that BPE can reach them.
WORDS = [
    "▁the", "▁to", "▁be", "▁is", "▁of", "▁and", "▁in", "▁it", "▁that", "▁text", "▁token", "▁tokens",
    "▁stream", "▁streams", "▁word", "▁words", "▁space", "▁Hello", "▁world", "▁rare", "▁or", "▁not",
    "▁one", "▁two", "▁a", "ing", "ed", "er", "s", "ve", "ï",
]  # fmt: skip
LETTERS = [chr(c) for c in range(0x21, 0x7F)] + list("▁éïüñçßかなのはてい理的一是")

CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}{{ '[' + message.role + '] ' + message.content + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '[assistant] ' }}{% endif %}"
)


def build() -> PreTrainedTokenizerFast:
    """The tokenizer: 3 special tokens, 256 bytes, then letters and some English words."""
    from tokenizers import Tokenizer, decoders, models, normalizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = [UNKNOWN, BOS, EOS, *(f"<0x{byte:02X}>" for byte in range(256)), *LETTERS]
    merges: dict[tuple[str, str], None] = {}
    for word in WORDS:
        for end in range(2, len(word) + 1):
            merges.setdefault((word[: end - 1], word[end - 1 : end]))
            pieces.append(word[:end])
    vocab = {piece: n for n, piece in enumerate(dict.fromkeys(pieces))}

    tokenizer = Tokenizer(
        models.BPE(vocab=vocab, merges=list(merges), unk_token=UNKNOWN, fuse_unk=True, byte_fallback=True)
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, vocab[BOS])]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        name_or_path="toy",
        unk_token=UNKNOWN,
        bos_token=BOS,
        eos_token=EOS,
        chat_template=CHAT_TEMPLATE,
        model_max_length=4_096,
        clean_up_tokenization_spaces=False,
        generation_end_ids=[vocab[EOS]],
    )
