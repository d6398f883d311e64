"""The window: incremental detokenization as mini-sglang does it, faults included.

Decoding token by token breaks characters; decoding everything each time costs more with
every token. The window decodes the recent ids twice, with and without the new ones, and
takes the difference:

    decoded_ids   [ … sent long ago … | context | new ids ]
                                      ^         ^         ^
                                 surr_offset read_offset end

A `DetokenizeManager` keeps one `DecodeStatus` for each open request in `decode_map`.

Source: mini-sglang, ``minisgl/tokenizer/detokenize.py``; SGLang's ``DetokenizerManager``
and Hugging Face's ``TextStreamer`` share the idea.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .messages import DetokenizeMsg

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

REPLACEMENT = "\ufffd"  # what a decoder writes for bytes that are no character

# First and last code point of each block of Chinese characters, by Unicode's block names.
CHINESE_RANGES = (
    (0x4E00, 0x9FFF),  # CJK Unified Ideographs
    (0x3400, 0x4DBF),  # Extension A
    (0x20000, 0x2A6DF),  # Extension B
    (0x2A700, 0x2B73F),  # Extension C
    (0x2B740, 0x2B81F),  # Extension D
    (0x2B820, 0x2CEAF),  # Extension E
    (0xF900, 0xFAFF),  # Compatibility Ideographs
    (0x2F800, 0x2FA1F),  # Compatibility Ideographs Supplement
)


def ends_in_half(text: str) -> bool:
    """Whether a decoded text ends in U+FFFD, so that its end must wait.

    >>> ends_in_half("so\\ufffd"), ends_in_half("\\ufffdso")
    (True, False)
    """
    return text.endswith(REPLACEMENT)


def is_chinese(char: str) -> bool:
    """Whether a character lies in one of `CHINESE_RANGES`. Kana and Hangul do not.

    >>> is_chinese("推"), is_chinese("あ"), is_chinese("안")
    (True, False, False)
    """
    return any(first <= ord(char) <= last for first, last in CHINESE_RANGES)


def find_printable_text(text: str) -> str:
    """The beginning of a text that can go out although the end is not yet certain.

    The first rule that fits decides:

    * it ends in a newline: all of it;
    * its last character is Chinese: all of it;
    * its last but one is Chinese: all but the last character;
    * else: up to and including the last space, or nothing where there is none.

    >>> find_printable_text("推理\\ufffd"), find_printable_text("to be con")
    ('推理', 'to be ')

    Source: Hugging Face transformers, ``TextStreamer.put``, by way of mini-sglang.
    """
    if text.endswith("\n"):
        return text
    if text and is_chinese(text[-1]):
        return text
    if len(text) > 1 and is_chinese(text[-2]):
        return text[:-1]
    return text[: text.rfind(" ") + 1]


@dataclass
class DecodeStatus:
    """What is known of one open request."""

    decoded_ids: list[int] = field(default_factory=list)
    decoded_str: str = ""  # confirmed text: that of decoded_ids[:read_offset]
    surr_offset: int = 0  # index of the first id that still gives context
    read_offset: int = 0  # index of the first id whose text is not yet confirmed
    sent_offset: int = 0  # characters that the frontend has received


class DetokenizeManager:
    """The window of mini-sglang: new tokens in, new text out, one status a request.

    It is faithful to the original, and so are its faults: an unfinished character at the
    end is lost, with what stands before it up to the last space; `sent_offset` can go back,
    so that text is sent twice; two tokens of one request in one call repeat text, or raise
    KeyError at the end; only one end id is known. `SafeDetokenizeManager` repairs each.

    >>> from minisgl_tok import load_tokenizer
    >>> manager = DetokenizeManager(load_tokenizer("qwen3"))
    >>> [manager.detokenize([DetokenizeMsg(1, token, False)])[0] for token in (100024, 119)]
    ['', '鱻']

    Source: mini-sglang, class ``DetokenizeManager``.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self.eos_token_id = tokenizer.eos_token_id
        self.decode_map: dict[int, DecodeStatus] = {}  # uid -> status of an open request

    def take(self, msg: DetokenizeMsg) -> DecodeStatus:
        """The status of a message's request, made where it is new, with the token added.

        An end id that finishes the request is no text, so it is not added. The same id in
        the middle (a request that ignores the end) or another last id is text and is.
        """
        status = self.decode_map.setdefault(msg.uid, DecodeStatus())
        if not (msg.finished and msg.next_token == self.eos_token_id):
            status.decoded_ids.append(msg.next_token)
        return status

    def windows(self, status: DecodeStatus) -> tuple[list[int], list[int]]:
        """The ids to read, and those of them that are only context.

        >>> from minisgl_tok import load_tokenizer
        >>> manager = DetokenizeManager(load_tokenizer("qwen3"))
        >>> manager.windows(DecodeStatus([11, 46602, 101], surr_offset=0, read_offset=1))
        ([11, 46602, 101], [11])
        """
        ids = status.decoded_ids
        return ids[status.surr_offset :], ids[status.surr_offset : status.read_offset]

    def advance(self, status: DecodeStatus, read_text: str, surr_text: str) -> str:
        """The delta that goes out with this message; the offsets move.

        `read_text` is the decoded text of the ids to read, `surr_text` that of the context;
        what `read_text` has more is new. Where the new text is whole it is confirmed and
        the window moves on; where it is empty or ends in half a character the window stays
        and only what is printable is sent ahead.
        """
        new_text = read_text[len(surr_text) :]
        if new_text and not ends_in_half(new_text):
            output = status.decoded_str = status.decoded_str + new_text
            status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
        else:
            output = status.decoded_str + find_printable_text(new_text)
        delta = output[status.sent_offset :]
        status.sent_offset = len(output)
        return delta

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]:
        """One delta for each message, in their order; the state of finished requests is freed.

        All windows of a call are decoded together: two batch decodes, however many messages.
        A uid may stand in one call only once.
        """
        windows = [self.windows(self.take(msg)) for msg in msgs]
        read_texts = self.tokenizer.batch_decode([read for read, _ in windows])
        surr_texts = self.tokenizer.batch_decode([surr for _, surr in windows])
        deltas = []
        for msg, read_text, surr_text in zip(msgs, read_texts, surr_texts, strict=True):
            deltas.append(self.advance(self.decode_map[msg.uid], read_text, surr_text))
            if msg.finished:
                del self.decode_map[msg.uid]
        return deltas
