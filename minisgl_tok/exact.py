"""Bytes instead of a window: exact detokenization at a few table look-ups a token.

The window guesses from decoded text whether a character is finished. The bytes of a token
know. A table, made once a tokenizer, holds the text of each id that is whole characters,
and the bare bytes of the others. Then a request needs no ids and no offsets, only the bytes
of a character that is still open, three at most:

    token   100024      119       374
    entry   e9 b1       bb        " is"
    open    b"" → e9 b1 → b""     → b""
    delta   ""          "鱻"      " is"

What comes out is the UTF-8 text of all visible bytes, each character with its last byte.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .ended import EndedUids
from .messages import DetokenizeMsg
from .vocab import hidden_ids, piece_rule_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

REPLACEMENT = "\ufffd"  # stands for bytes that are no character
FRONT = b" "  # instead of open bytes: no text yet, and one space at its front will go
STEPS = 1 << 14  # remembered results of `step`; the same halves come again and again


# ------------------------------------------------------------------ the table


def build_table(tokenizer: PreTrainedTokenizerFast, *, skip_special_tokens: bool = True) -> list[str | bytes]:
    """For each id its text where that is whole characters, else its bytes.

    Hidden ids have the text "": end ids, added tokens flagged special unless
    `skip_special_tokens` is False, and ids that the vocabulary leaves out.

    Raises UnsupportedTokenizer where the tokenizer's decoder does more than join bytes.

    >>> from minisgl_tok import load_tokenizer
    >>> table = build_table(load_tokenizer("qwen3"))
    >>> table[21887], table[46602], table[151645]
    ('理', b' \\xe6\\x8e', '')
    """
    rule = piece_rule_of(tokenizer)
    hidden = hidden_ids(tokenizer, skip_special_tokens)
    table: list[str | bytes] = []
    for token, piece in enumerate(pieces(tokenizer)):
        data = b"" if piece is None or token in hidden else rule.bytes_of(piece)
        try:
            table.append(data.decode())
        except UnicodeDecodeError:
            table.append(data)
    return table


def pieces(tokenizer: PreTrainedTokenizerFast) -> list[str | None]:
    """The piece of each id from 0 to the highest; None where the vocabulary has a hole."""
    backend = tokenizer.backend_tokenizer
    size = backend.get_vocab_size(with_added_tokens=True)
    found = [backend.id_to_token(token) for token in range(size)]
    if None in found:  # a hole: as many ids lie above the vocabulary's count
        highest = max(backend.get_vocab(with_added_tokens=True).values())
        found += [backend.id_to_token(token) for token in range(size, highest + 1)]
    return found


_tables: WeakKeyDictionary[PreTrainedTokenizerFast, dict[tuple, list[str | bytes]]] = WeakKeyDictionary()


def table_of(tokenizer: PreTrainedTokenizerFast, *, skip_special_tokens: bool = True) -> list[str | bytes]:
    """`build_table`, made once a tokenizer and again where its added tokens or end ids changed."""
    added = tokenizer.backend_tokenizer.get_added_tokens_decoder()
    names = frozenset((token, text.content) for token, text in added.items())
    key = names, hidden_ids(tokenizer, skip_special_tokens)
    tables = _tables.setdefault(tokenizer, {})
    if key not in tables:
        tables[key] = build_table(tokenizer, skip_special_tokens=skip_special_tokens)
    return tables[key]


# ------------------------------------------------------------------ an open character


def feed(open_: bytes, new: bytes) -> tuple[str, bytes]:
    """What is text now, and which bytes wait for more; `open_` is what waited before.

    Bytes that can never become a character are U+FFFD at once, one for each longest
    beginning of a character. So at most three bytes wait, and they may still complete.

    >>> feed(b"", b"ok \\xf0\\x9f"), feed(b"\\xf0\\x9f", b"\\x99\\x82!"), feed(b"\\xf0\\x9f", b"no")
    (('ok ', b'\\xf0\\x9f'), ('🙂!', b''), ('\ufffdno', b''))

    Source: The Unicode Standard, section 3.9, "U+FFFD Substitution of Maximal Subparts".
    """
    data = open_ + new
    text, used = codecs.utf_8_decode(data, "replace", False)
    rest = data[used:]
    if rest[:1] == b"\xed" and rest[1:] >= b"\xa0":  # half a surrogate: Python waits, in vain
        return text + REPLACEMENT * 2, b""
    return text, rest


def step(open_: bytes, entry: str | bytes) -> tuple[str, bytes]:
    """`feed` for an entry of the table; at `FRONT` the first space of all text goes.

    >>> step(FRONT, ""), step(FRONT, " to"), step(b"", " to")
    (('', b' '), ('to', b''), (' to', b''))
    """
    new = entry if isinstance(entry, bytes) else entry.encode()
    if open_ == FRONT:
        return feed(b"", new.removeprefix(b" ")) if new else ("", FRONT)
    return feed(open_, new)


# ------------------------------------------------------------------ the manager


class ExactDetokenizeManager:
    """New tokens in, new text out; the only state of a request is its open character.

    Joined deltas equal the bytes of the visible ids, joined and decoded with "replace", on
    any ids in any calls. A tokenizer that strips the first space of a text loses that one
    space here too. At the end dangling bytes become U+FFFD, or nothing with
    ``on_cut="drop"``. The tokenizer is never called.

    A message of an unknown uid opens its request. A request that has finished or was
    aborted brings no more text, until `open` begins a new one under its uid.

    >>> from minisgl_tok import load_tokenizer
    >>> manager = ExactDetokenizeManager(load_tokenizer("qwen3"))
    >>> manager.detokenize([DetokenizeMsg(1, 46602, False), DetokenizeMsg(1, 101, False)])
    [' ', '推']

    Raises UnsupportedTokenizer where the tokenizer's decoder does more than join bytes.
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
        self.table: list[Any] = table_of(tokenizer, skip_special_tokens=skip_special_tokens)
        self.front = FRONT if piece_rule_of(tokenizer).strips_first_space else b""
        self.cut_mark = REPLACEMENT if on_cut == "replace" else ""
        self.step = lru_cache(STEPS)(step)
        self.decode_map: dict[int, bytes] = {}  # uid -> bytes of its open character, or FRONT
        self.ended = EndedUids()
        self.unknown_ids = 0  # tokens at or above the vocabulary's size, so far

    def open(self, uid: int) -> None:
        """Begin a request: its uid is new from here on, whatever it was before."""
        self.ended.discard(uid)
        self.decode_map[uid] = self.front

    def abort(self, uid: int) -> None:
        """Nobody waits for this request any more: its state goes, late messages bring nothing."""
        self.close(uid)

    def close(self, uid: int) -> str:
        """End a request; what its open character leaves behind."""
        self.ended.add(uid)
        open_ = self.decode_map.pop(uid, b"")
        return self.cut_mark if open_ not in (b"", FRONT) else ""

    def detokenize(self, msgs: list[DetokenizeMsg]) -> list[str]:
        """One delta for each message, in their order; a uid may stand there several times.

        Raises ValueError, before anything has changed, where a token is negative.
        """
        for msg in msgs:
            if msg.next_token < 0:
                raise ValueError(f"request {msg.uid}: a token id is 0 or more, not {msg.next_token}")
        table, decode_map, step = self.table, self.decode_map, self.step
        deltas = []
        for msg in msgs:
            uid = msg.uid
            try:
                delta = table[msg.next_token]
                open_ = decode_map[uid]
            except LookupError:  # the first message of a request, a late one, or an unknown id
                delta, open_ = self.look_closer(msg)
            if open_ or type(delta) is bytes:
                delta, decode_map[uid] = step(open_, delta)
            if msg.finished:
                delta += self.close(uid)
            deltas.append(delta)
        return deltas

    def look_closer(self, msg: DetokenizeMsg) -> tuple[str | bytes, bytes]:
        """Entry and open bytes of a message whose request has no state or whose id no entry."""
        if msg.uid in self.ended:
            return "", b""
        if msg.uid not in self.decode_map:
            self.open(msg.uid)
        if msg.next_token >= len(self.table):
            self.unknown_ids += 1
            return "", self.decode_map[msg.uid]
        return self.table[msg.next_token], self.decode_map[msg.uid]
