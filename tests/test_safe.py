"""The repaired window against the rule: the bytes of the visible ids, joined and decoded."""

import codecs
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import load_tokenizer, token_bytes
from minisgl_tok.detokenize import DecodeStatus
from minisgl_tok.messages import DetokenizeMsg
from minisgl_tok.safe import KEPT_IDS, SafeDetokenizeManager, can_grow, rounds
from minisgl_tok.vocab import BYTE_OF

QWEN3, TOY = load_tokenizer("qwen3"), load_tokenizer("toy")
END = {"qwen3": {151643, 151645}, "toy": {2}}
SPECIAL = {"qwen3": set(range(151643, 151657)), "toy": {0, 1, 2}}
TOKENIZERS = {"qwen3": QWEN3, "toy": TOY}


def oracle(name, ids, *, skip=True):
    """The whole text, by bytes alone."""
    hidden = END[name] | (SPECIAL[name] if skip else set())
    data = b"".join(token_bytes(TOKENIZERS[name], i) for i in ids if i not in hidden)
    if name == "toy":
        data = data.removeprefix(b" ")
    return data.decode("utf-8", "replace")


def run(manager, ids, uid=1):
    return [manager.detokenize([DetokenizeMsg(uid, i, n == len(ids) - 1)])[0] for n, i in enumerate(ids)]


def pieces_of(name):
    """Ids that make trouble: bytes, halves, specials, ids outside, and any other."""
    if name == "toy":
        return st.one_of(st.integers(3, 258), st.integers(0, 500))
    halves = [100024, 119, 128237, 123918, 102, 46602, 101, 50102, 176, 3490, 72496, 44680, 7492]
    return st.one_of(st.integers(0, 255), st.sampled_from(halves), st.integers(0, 152_000))


def streams(name):
    return st.lists(pieces_of(name), max_size=30)


@pytest.mark.parametrize("name", ["qwen3", "toy"])
@pytest.mark.parametrize("skip", [True, False])
def test_joined_deltas_equal_the_bytes_decoded_on_any_ids(name, skip):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(streams(name))
    def check(ids):
        manager = SafeDetokenizeManager(TOKENIZERS[name], skip_special_tokens=skip)
        assert "".join(run(manager, ids)) == oracle(name, ids, skip=skip)
        assert not manager.decode_map

    check()


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_each_character_leaves_with_its_last_byte(name):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(streams(name))
    def check(ids):
        manager = SafeDetokenizeManager(TOKENIZERS[name])
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        first = name == "toy"
        for i in ids:
            data = b"" if i in SPECIAL[name] else token_bytes(TOKENIZERS[name], i)
            if first and data:
                data, first = data.removeprefix(b" "), False
            sent = decoder.decode(data)
            if decoder.getstate()[0][:2] >= b"\xed\xa0" and decoder.getstate()[0][:1] == b"\xed":
                return  # Python's decoder waits for the end of half a surrogate, in vain
            assert manager.detokenize([DetokenizeMsg(1, i, False)]) == [sent]

    check()


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_a_drain_may_hold_anything(name):
    tokens = st.tuples(st.integers(1, 3), pieces_of(name), st.sampled_from([False] * 9 + [True]))

    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(st.lists(st.lists(tokens, max_size=8), max_size=8))
    def check(drains):
        manager = SafeDetokenizeManager(TOKENIZERS[name])
        texts, ids, over = {1: "", 2: "", 3: ""}, {}, set()
        for drain in drains:
            for (uid, token, finished), delta in zip(
                drain, manager.detokenize([DetokenizeMsg(*t) for t in drain]), strict=True
            ):
                texts[uid] += delta
                if uid not in over:
                    ids.setdefault(uid, []).append(token)
                    over |= {uid} if finished else set()
        for uid in over:
            assert texts[uid] == oracle(name, ids[uid])
        assert not over & set(manager.decode_map)

    check()


def test_text_that_the_original_sent_twice_leaves_once():
    assert run(SafeDetokenizeManager(QWEN3), [3490, 72496, 44680, 7492, 87]) == ["", "丒", "ឤ", "킬", "x"]


def test_the_sent_offset_never_goes_back():
    manager, status = SafeDetokenizeManager(QWEN3), DecodeStatus()
    assert [manager.cut(status, text) for text in ("to be", "to ", "to be or")] == ["to be", "", " or"]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 4), max_size=20))
def test_rounds_hold_each_message_once_and_no_uid_twice(uids):
    split = rounds([DetokenizeMsg(uid, 0, False) for uid in uids])
    assert sorted(place for places in split for place in places) == list(range(len(uids)))
    assert len(split) == max(Counter(uids).values(), default=0)
    for places in split:
        assert len({uids[p] for p in places}) == len(places)
    for uid in set(uids):
        order = [place for places in split for place in places if uids[place] == uid]
        assert order == sorted(order)


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_a_cut_drops_only_the_unfinished_character(name):
    tokenizer = TOKENIZERS[name]
    ids = tokenizer.encode("ok 🦩", add_special_tokens=False)[:-1]
    whole = b"".join(token_bytes(tokenizer, i) for i in ids).decode("utf-8", "ignore").removeprefix(" ")
    assert "".join(run(SafeDetokenizeManager(tokenizer, on_cut="drop"), ids)).removeprefix(" ") == whole
    assert "".join(run(SafeDetokenizeManager(tokenizer), ids)).removeprefix(" ") == whole + "\ufffd"


def test_a_mark_that_the_model_wrote_is_kept_when_cut_text_is_dropped():
    ids = QWEN3.encode("a\ufffd", add_special_tokens=False)
    assert "".join(run(SafeDetokenizeManager(QWEN3, on_cut="drop"), ids)) == "a\ufffd"


def test_on_cut_has_two_values():
    with pytest.raises(ValueError, match='"replace" or "drop", not \'keep\''):
        SafeDetokenizeManager(QWEN3, on_cut="keep")


class Counting:
    """A tokenizer that counts the ids it decodes."""

    def __init__(self, tokenizer):
        self.tokenizer, self.decoded = tokenizer, 0

    def __getattr__(self, name):
        return getattr(self.tokenizer, name)

    def batch_decode(self, windows, **options):
        self.decoded += sum(map(len, windows))
        return self.tokenizer.batch_decode(windows, **options)


@pytest.mark.parametrize("token", [176, 172, 5691, 200_000, 151_644])  # 9f, f0, U+FFFD, outside, special
def test_cost_is_bounded_on_ids_that_never_complete(token):
    manager = SafeDetokenizeManager(QWEN3)
    manager.tokenizer = Counting(QWEN3)
    for _ in range(2_000):
        manager.detokenize([DetokenizeMsg(1, token, False)])
    assert manager.tokenizer.decoded < 2_000 * 16
    assert len(manager.decode_map[1].decoded_ids) < 2 * KEPT_IDS
    assert len(manager.decode_map[1].decoded_str) < 4 * KEPT_IDS


def test_a_negative_id_is_refused_before_anything_changes():
    manager = SafeDetokenizeManager(QWEN3)
    with pytest.raises(ValueError, match="request 8: a token id is 0 or more, not -1"):
        manager.detokenize([DetokenizeMsg(7, 9707, False), DetokenizeMsg(8, -1, False)])
    assert not manager.decode_map


def test_ids_outside_the_vocabulary_bring_no_text_and_are_counted():
    manager = SafeDetokenizeManager(QWEN3)
    assert run(manager, [9707, 151_669, 2**63, 1879]) == ["Hello", "", "", " world"]
    assert manager.unknown_ids == 2


def test_every_end_id_is_hidden():
    assert run(SafeDetokenizeManager(QWEN3, skip_special_tokens=False), [9707, 151643]) == ["Hello", ""]
    assert run(SafeDetokenizeManager(QWEN3, skip_special_tokens=False), [151644, 1879]) == [
        "<|im_start|>",
        " world",
    ]


def test_a_late_message_brings_nothing_back_until_its_uid_is_opened_anew():
    manager = SafeDetokenizeManager(QWEN3)
    assert run(manager, [9707]) == ["Hello"]
    assert run(manager, [1879]) == [""]
    assert not manager.decode_map
    manager.open(1)
    assert run(manager, [1879]) == [" world"]


def test_an_abort_frees_the_state_and_late_tokens_are_dropped():
    manager = SafeDetokenizeManager(QWEN3)
    manager.detokenize([DetokenizeMsg(1, 100024, False)])
    manager.abort(1)
    assert not manager.decode_map
    assert manager.detokenize([DetokenizeMsg(1, 119, True)]) == [""]


def no_bytes_tokenizer():
    """A tokenizer whose decoder does more than join bytes: WordPiece glues and cleans up."""
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    vocab = {word: n for n, word in enumerate(["[UNK]", "to", "be", "##ing", "or", ".", "\ufffd"])}
    backend = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    backend.decoder = decoders.WordPiece()
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]", generation_end_ids=[])


def test_a_tokenizer_without_bytes_streams_its_own_decode():
    tokenizer = no_bytes_tokenizer()
    ids = [1, 2, 3, 4, 2, 5]
    assert run(SafeDetokenizeManager(tokenizer), ids) == ["to", " be", "ing", " or", " be", "."]
    assert "".join(run(SafeDetokenizeManager(tokenizer), [1, 6])) == tokenizer.decode([1, 6])


def test_a_tokenizer_without_bytes_holds_a_mark_for_a_bounded_number_of_ids():
    manager = SafeDetokenizeManager(no_bytes_tokenizer())
    text = "".join(manager.detokenize([DetokenizeMsg(1, 6, False)])[0] for _ in range(500))
    assert len(manager.decode_map[1].decoded_ids) < 2 * KEPT_IDS
    assert "\ufffd" in text


def byte_level(pieces):
    """A byte-level tokenizer whose ids are these byte strings, in order."""
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    char_of = {byte: char for char, byte in BYTE_OF.items()}
    vocab = {"".join(char_of[b] for b in piece): n for n, piece in enumerate(pieces)}
    backend = Tokenizer(models.WordLevel(vocab, unk_token=next(iter(vocab), "?")))
    backend.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=backend, generation_end_ids=[])


STREAMS = json.loads((Path(__file__).parent / "cases" / "streams.json").read_text("utf-8"))["streams"]


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream["name"])
def test_streams_bring_the_deltas_that_are_right(stream):
    if not all(stream["pieces"]):
        pytest.skip("a piece of no bytes is no entry of a vocabulary")
    data = [bytes.fromhex(piece) for piece in stream["pieces"]]
    pieces = list(dict.fromkeys(data))
    manager = SafeDetokenizeManager(byte_level(pieces))
    assert run(manager, [pieces.index(piece) for piece in data]) == stream["deltas"]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=6, unique=True), st.data())
def test_any_vocabulary_of_bytes_streams_exactly(pieces, data):
    ids = data.draw(st.lists(st.integers(0, len(pieces) - 1), max_size=30))
    joined = "".join(run(SafeDetokenizeManager(byte_level(pieces)), ids))
    assert joined == b"".join(pieces[i] for i in ids).decode("utf-8", "replace")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([0x90, 0xF0, 0xE6, 0x8E, 0xA8, 0xED, 0xA0, 0x41]), max_size=12))
def test_bytes_that_can_grow_are_those_that_some_follower_completes(data):
    tail = bytes([0xF0, *data[:2]])
    if all(0x80 <= byte < 0xC0 for byte in data[:2]):
        followers = [b"", *(bytes([x]) for x in range(0x80, 0xC0))]
        missing = 4 - len(tail)
        completes = any(
            is_utf8(tail + x + b"\x80" * (missing - len(x))) for x in followers if len(x) <= missing
        )
        assert can_grow(tail) == completes


def is_utf8(data):
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False
