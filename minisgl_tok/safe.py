"""The window, repaired: each fault of the original mended by one small method.

| fault of the window | repair |
| --- | --- |
| `sent_offset` goes back, text comes twice | `cut` |
| two tokens of one request in one call | `rounds` |
| an unfinished end takes text along | `flush` |
| U+FFFD for ever, a window that grows | `is_complete` and a bound in `advance` |
| a late message begins a request anew | `accept` |
| one end id, special tokens shown | `hidden` in `take` |

Still it decodes text twice a message, and asks the bytes only where a U+FFFD makes it
doubt. `exact.py` asks the bytes first, and needs no window.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from .detokenize import DecodeStatus, ends_in_half, find_printable_text
from .ended import EndedUids
from .messages import DetokenizeMsg
from .vocab import PieceRule, UnsupportedTokenizer, hidden_ids, open_bytes, piece_rule_of, token_bytes

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

OPEN_IDS = 3  # an unfinished character has three bytes at most, so it lies in three ids at most
DOUBTED_IDS = 16  # the same bound where tokens have no bytes, a guess
KEPT_IDS = 64  # ids before the window that stay until they are cut off together
REMEMBERED_BYTES = 1 << 16  # results of `token_bytes`

# The second byte of a character, where its lead byte does not allow all of 80..BF.
SECOND = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}


def can_grow(tail: bytes) -> bool:
    """Whether a lead byte and the followers behind it can still become a character.

    >>> can_grow(b"\\xf0\\x9f"), can_grow(b"\\xff"), can_grow(b"\\xe0\\x80")
    (True, False, False)

    Source: The Unicode Standard, section 3.9, table 3-7 (well-formed UTF-8).
    """
    low, high = SECOND.get(tail[0], (0x80, 0xBF))
    return 0xC2 <= tail[0] <= 0xF4 and all(low <= byte <= high for byte in tail[1:2])


def rounds(msgs: list[DetokenizeMsg]) -> list[list[int]]:
    """The places of a drain's messages, split so that no round holds a uid twice.

    The n-th message of each uid goes to round n, so a uid's messages keep their order, and
    there are no more rounds than the busiest uid has messages.

    >>> rounds([DetokenizeMsg(uid, 0, False) for uid in (7, 8, 7, 8, 7)])
    [[0, 1], [2, 3], [4]]
    """
    seen: dict[int, int] = {}  # uid -> messages of it so far
    result: list[list[int]] = []
    for place, msg in enumerate(msgs):
        number = seen[msg.uid] = seen.get(msg.uid, -1) + 1
        if number == len(result):
            result.append([])
        result[number].append(place)
    return result


class SafeDetokenizeManager:
    """The window without its faults, for any tokenizer.

    Where tokens have bytes, joined deltas equal the bytes of the visible ids, joined and
    decoded with "replace", on any ids. Where the tokenizer's decoder does more than join
    bytes, a U+FFFD at the end is held for a bounded number of ids. At the end an unfinished
    character becomes U+FFFD, or nothing with ``on_cut="drop"``.

    A message of an unknown uid opens its request. A request that has finished or was
    aborted brings no more text, until `open` begins a new one under its uid.

    >>> from minisgl_tok import load_tokenizer
    >>> manager = SafeDetokenizeManager(load_tokenizer("qwen3"))
    >>> manager.detokenize([DetokenizeMsg(1, 46602, False), DetokenizeMsg(1, 101, False)])
    [' ', '推']
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        *,
        skip_special_tokens: bool = True,
        on_cut: str = "replace",
    ) -> None:
        if on_cut not in ("replace", "drop"):
            raise ValueError(f'on_cut is "replace" or "drop", not {on_cut!r}')
        self.tokenizer = tokenizer
        self.on_cut = on_cut
        self.hidden = hidden_ids(tokenizer, skip_special_tokens)
        self.rule = _rule_or_none(tokenizer)  # None: tokens have no bytes
        self.bytes_of = lru_cache(REMEMBERED_BYTES)(partial(token_bytes, tokenizer))
        self.decode_map: dict[int, DecodeStatus] = {}  # uid -> status of an open request
        self.ended = EndedUids()
        self.unknown_ids = 0  # tokens outside the vocabulary, so far

    # -------------------------------------------------------------- a request's life

    def open(self, uid: int) -> None:
        """Begin a request: its uid is new from here on, whatever it was before."""
        self.ended.discard(uid)
        self.decode_map[uid] = DecodeStatus()

    def abort(self, uid: int) -> None:
        """Nobody waits for this request any more: its state goes, late messages bring nothing."""
        self.decode_map.pop(uid, None)
        self.ended.add(uid)

    def accept(self, msg: DetokenizeMsg) -> bool:
        """Whether a message shall be looked at; one that comes after its request's end shall not.

        The first message of a new uid opens its request.
        """
        if msg.uid in self.decode_map:
            return True
        if msg.uid in self.ended:
            return False
        self.open(msg.uid)
        return True

    # -------------------------------------------------------------- one message

    def take(self, msg: DetokenizeMsg) -> DecodeStatus:
        """The status of a message's request, with the token added if it brings text."""
        status = self.decode_map[msg.uid]
        token = msg.next_token
        if not self.is_known(token):
            self.unknown_ids += 1
        elif token not in self.hidden and (self.rule is None or self.bytes_of(token)):
            status.decoded_ids.append(token)
        return status

    def is_known(self, token: int) -> bool:
        """Whether the vocabulary has this id; the library's own ids are 32 bits wide."""
        return token < 2**32 and self.tokenizer.backend_tokenizer.id_to_token(token) is not None

    def windows(self, status: DecodeStatus) -> tuple[list[int], list[int]]:
        """The ids to read, and those of them that are only context."""
        ids = status.decoded_ids
        return ids[status.surr_offset :], ids[status.surr_offset : status.read_offset]

    def is_complete(self, ids: list[int]) -> bool:
        """Whether the bytes of a window's ids end at the end of a character.

        A U+FFFD that the model wrote, and a byte that can never become a character, are
        complete as well: nothing that could still come would change them.
        """
        if self.rule is None:
            return False
        data = b"".join(map(self.bytes_of, ids))
        tail = data[len(data) - open_bytes(data) :]
        return not tail or not can_grow(tail)

    def is_whole(self, text: str, ids: list[int]) -> bool:
        """`is_complete`, asked only where the decoded text gives cause for doubt."""
        return not ends_in_half(text) or self.is_complete(ids)

    def without_half(self, text: str) -> str:
        """The part that is certain of a text that is not whole; half a character is one U+FFFD."""
        return find_printable_text(text) if self.rule is None else text[:-1]

    def advance(self, status: DecodeStatus, read_text: str, surr_text: str) -> str:
        """The delta that goes out with this message; the offsets move.

        As in the original, whole new text is confirmed and else the window waits. But it
        never waits for more ids than half a character can have.
        """
        read_ids, _ = self.windows(status)
        new_text = read_text[len(surr_text) :]
        waiting = len(status.decoded_ids) - status.read_offset
        stuck = waiting > (DOUBTED_IDS if self.rule is None else OPEN_IDS)
        whole = self.is_whole(new_text, read_ids) or (stuck and self.rule is None)
        output = status.decoded_str + (new_text if whole else self.without_half(new_text))
        if waiting and (whole or stuck):
            status.decoded_str = output
            status.surr_offset, status.read_offset = status.read_offset, len(status.decoded_ids)
        return self.cut(status, output)

    def cut(self, status: DecodeStatus, output: str) -> str:
        """What of all text so far has not been sent; the offset never goes back.

        >>> status, manager = DecodeStatus(), SafeDetokenizeManager.__new__(SafeDetokenizeManager)
        >>> [manager.cut(status, text) for text in ("to be", "to ", "to be or")]
        ['to be', '', ' or']
        """
        delta = output[status.sent_offset :]
        status.sent_offset = max(status.sent_offset, len(output))
        return delta

    def flush(self, status: DecodeStatus, new_text: str) -> str:
        """What leaves with the last message: all text, and of half a character what `on_cut` says.

        `new_text` is the text of the ids that are not yet confirmed.
        """
        read_ids, _ = self.windows(status)
        if self.on_cut == "drop" and not self.is_whole(new_text, read_ids):
            new_text = new_text.rstrip("\ufffd") if self.rule is None else new_text[:-1]
        return self.cut(status, status.decoded_str + new_text)

    # -------------------------------------------------------------- a batch

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]:
        """One delta for each message, in their order; a uid may stand there several times.

        Raises ValueError, before anything has changed, where a token is negative.
        """
        for msg in msgs:
            if msg.next_token < 0:
                raise ValueError(f"request {msg.uid}: a token id is 0 or more, not {msg.next_token}")
        deltas = [""] * len(msgs)
        for places in rounds(msgs):
            places = [place for place in places if self.accept(msgs[place])]
            for place, delta in zip(places, self._round([msgs[p] for p in places]), strict=True):
                deltas[place] = delta
        return deltas

    def _round(self, msgs: list[DetokenizeMsg]) -> list[str]:
        """The deltas of messages of different requests: two batch decodes, however many."""
        statuses = [self.take(msg) for msg in msgs]
        windows = [self.windows(status) for status in statuses]
        read_texts = self.texts([read for read, _ in windows])
        surr_texts = self.texts([surr for _, surr in windows])
        deltas = []
        for msg, status, read, surr, (_, ids) in zip(
            msgs, statuses, read_texts, surr_texts, windows, strict=True
        ):
            if self.rule is not None and not self.is_whole(surr, ids):
                surr = surr[:-1]  # its half character was not confirmed
            if msg.finished:
                deltas.append(self.flush(status, read[len(surr) :]))
                self.abort(msg.uid)
            else:
                deltas.append(self.advance(status, read, surr))
                trim(status)
        return deltas

    def texts(self, windows: list[list[int]]) -> list[str]:
        """The text of each window.

        A byte-fallback decoder turns a whole run of byte pieces into U+FFFD where one of
        them is bad, finished characters included, so there the bytes are joined here.
        """
        if self.rule is None:
            return self.tokenizer.batch_decode(windows)
        if not self.rule.byte_pieces:
            return self.tokenizer.batch_decode(windows, clean_up_tokenization_spaces=False)
        texts = (b"".join(map(self.bytes_of, ids)).decode("utf-8", "replace") for ids in windows)
        return [text.removeprefix(" ") if self.rule.strips_first_space else text for text in texts]


def trim(status: DecodeStatus) -> None:
    """Cut off what was sent long ago, so that state and cost do not grow with the answer.

    Offsets count from the cut on.
    """
    if status.surr_offset <= KEPT_IDS:
        return
    del status.decoded_ids[: status.surr_offset]
    status.read_offset -= status.surr_offset
    status.sent_offset -= len(status.decoded_str)
    status.surr_offset, status.decoded_str = 0, ""


def _rule_or_none(tokenizer: PreTrainedTokenizerFast) -> PieceRule | None:
    try:
        return piece_rule_of(tokenizer)
    except UnsupportedTokenizer:
        return None
