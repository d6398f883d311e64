"""The exact detokenizer against the rule itself: bytes of all visible ids, joined and decoded."""

from __future__ import annotations

import gc
import json
import tracemalloc
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import byte_level, sentencepiece, tokenizer_of
from tokenizers import decoders

from benchmarks.truth import Truth, waiting
from minisgl_tok import DetokenizeMsg, ExactDetokenizeManager, UnsupportedTokenizer, load_tokenizer
from minisgl_tok.ended import EndedUids
from minisgl_tok.exact import FRONT, build_table, feed, table_of
from minisgl_tok.vocab import end_ids, token_bytes

CASES = json.loads((Path(__file__).parent / "cases" / "streams.json").read_text("utf-8"))
FAST = settings(derandomize=True, deadline=None, max_examples=60)


def stream(manager: ExactDetokenizeManager, tokens: list[int], uid: int = 1) -> list[str]:
    """One token a call, the last one finished."""
    last = len(tokens) - 1
    return [manager.detokenize([DetokenizeMsg(uid, t, n == last)])[0] for n, t in enumerate(tokens)]


def manager_of(pieces: list[bytes], **options: str) -> tuple[ExactDetokenizeManager, dict[bytes, int]]:
    """A manager whose ids stand for these pieces, and the id of each."""
    different = list(dict.fromkeys(pieces))
    return ExactDetokenizeManager(byte_level(different), **options), {p: n for n, p in enumerate(different)}


def is_utf8(data: bytes) -> bool:
    return data.decode("utf-8", "ignore").encode() == data


# ------------------------------------------------------------------ streams and drains by example


@pytest.mark.parametrize("case", CASES["streams"], ids=lambda case: case["name"])
def test_each_message_brings_what_its_bytes_complete(case):
    pieces = [bytes.fromhex(piece) for piece in case["pieces"]]
    manager, id_of = manager_of(pieces)
    deltas = stream(manager, [id_of[piece] for piece in pieces])
    assert deltas == case["deltas"]
    assert "".join(deltas) == case["text"]


@pytest.mark.parametrize("case", CASES["drains"], ids=lambda case: case["name"])
def test_a_drain_may_hold_anything(case):
    drains = [[(m["uid"], bytes.fromhex(m["piece"]), m["finished"]) for m in d] for d in case["drains"]]
    manager, id_of = manager_of([piece for drain in drains for _, piece, _ in drain])
    got: dict[str, list[str]] = {}
    for drain in drains:
        msgs = [DetokenizeMsg(uid, id_of[piece], finished) for uid, piece, finished in drain]
        for msg, delta in zip(msgs, manager.detokenize(msgs), strict=True):
            got.setdefault(str(msg.uid), []).append(delta)
    for uid in case.get("abort", []):
        manager.abort(uid)
    assert got == case["expect"]
    assert len(manager.decode_map) == case["open_after"]


def test_an_empty_call_brings_nothing():
    manager, _ = manager_of([b"a"])
    assert manager.detokenize([]) == []


# ------------------------------------------------------------------ an open character


def test_whatever_two_halves_are_fed_only_what_may_complete_waits():
    lead = [
        0x41,
        0x80,
        0x8F,
        0x90,
        0x9F,
        0xA0,
        0xBF,
        0xC1,
        0xC2,
        0xE0,
        0xE1,
        0xED,
        0xEF,
        0xF0,
        0xF4,
        0xF5,
        0xFF,
    ]
    for length in range(5):
        for values in product(lead, repeat=length):
            data = bytes(values)
            text, rest = feed(b"", data)
            assert len(rest) == waiting(data)
            assert text == data[: len(data) - len(rest)].decode("utf-8", "replace")


@FAST
@given(st.lists(st.binary(max_size=6)))
def test_byte_runs_fed_apart_equal_those_fed_at_once(runs):
    text, open_ = "", b""
    for run in runs:
        new, open_ = feed(open_, run)
        text += new
    assert (text, open_) == feed(b"", b"".join(runs))


def test_half_a_surrogate_is_broken_at_once():
    assert feed(b"\xed", b"\xa0") == ("\ufffd\ufffd", b"")
    assert feed(b"\xed", b"\x9f") == ("", b"\xed\x9f")


# ------------------------------------------------------------------ the table


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_the_table_holds_text_where_an_id_is_whole_and_bytes_where_it_is_not(name):
    tokenizer = load_tokenizer(name)
    truth = Truth(tokenizer, set(end_ids(tokenizer)))
    table = build_table(tokenizer)
    assert len(table) == len(tokenizer)
    for token, entry in enumerate(table):
        data = truth.piece(token)
        assert entry == (data.decode() if is_utf8(data) else data)


def test_special_tokens_show_where_asked_for_but_end_ids_never_do():
    qwen3 = load_tokenizer("qwen3")
    assert [build_table(qwen3)[token] for token in (151643, 151644, 151645, 151657)] == [
        "",
        "",
        "",
        "<tool_call>",
    ]
    shown = build_table(qwen3, skip_special_tokens=False)
    assert [shown[token] for token in (151643, 151644, 151645)] == ["", "<|im_start|>", ""]


def test_a_hole_in_the_vocabulary_has_no_text_and_ids_above_it_keep_theirs():
    tokenizer = tokenizer_of({"a": 0, "b": 5}, decoders.ByteLevel(), added=("<x>",))
    assert build_table(tokenizer)[:6] == ["a", "", "<x>", "", "", "b"]
    assert [token_bytes(tokenizer, token) for token in (0, 1, 5, 9, 2**40)] == [b"a", b"", b"b", b"", b""]


def test_a_table_is_made_once_a_tokenizer_and_anew_when_tokens_were_added():
    tokenizer = byte_level([b"a", b"b"])
    first = table_of(tokenizer)
    assert table_of(tokenizer) is first
    tokenizer.add_tokens(["<new>"])
    assert table_of(tokenizer) == ["a", "b", "<new>"]
    tokenizer.add_special_tokens({"eos_token": "b"})
    assert table_of(tokenizer) == ["a", "", "<new>"]


@pytest.mark.parametrize(
    ("decoder", "name"),
    [
        (None, "none"),
        (decoders.WordPiece(), "WordPiece"),
        (decoders.Metaspace(), "Metaspace"),
        (decoders.BPEDecoder(), "BPEDecoder"),
        (decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]), "Metaspace"),
        (decoders.Sequence([decoders.Replace("▁", " "), decoders.Strip(" ", 1, 0)]), "Strip"),
    ],
    ids=["none", "WordPiece", "Metaspace", "BPEDecoder", "a sequence", "a strip of each piece"],
)
def test_a_decoder_that_does_more_than_join_bytes_is_refused_by_name(decoder, name):
    with pytest.raises(UnsupportedTokenizer, match=rf"{name}.*SafeDetokenizeManager"):
        ExactDetokenizeManager(tokenizer_of({"a": 0}, decoder))


def test_a_decoder_written_in_python_is_refused_too():
    class Own:
        def decode(self, tokens):
            return "".join(tokens)

    tokenizer = byte_level([b"a"])
    tokenizer.backend_tokenizer.decoder = decoders.Decoder.custom(Own())
    with pytest.raises(UnsupportedTokenizer, match="custom"):
        ExactDetokenizeManager(tokenizer)


# ------------------------------------------------------------------ the first space

SPACES = ["<s>", "</s>", "▁", "▁to", "to", "<0x20>", "<0xE6>", "<0x8E>", "<0xA8>", "▁▁x"]


@pytest.mark.parametrize(
    ("tokens", "deltas"),
    [
        ([3, 3], ["to", " to"]),
        ([2, 3], ["", " to"]),
        ([5, 5, 4], ["", " ", "to"]),
        ([0, 3, 3], ["", "to", " to"]),
        ([4, 3], ["to", " to"]),
        ([9, 9], [" x", "  x"]),
        ([6, 7, 8, 2], ["", "", "推", " "]),
        ([6, 3], ["", "\ufffd to"]),
        ([99, 3], ["", "to"]),
        ([2], [""]),
        ([0], [""]),
    ],
)
def test_one_space_goes_from_the_front_of_the_whole_visible_text(tokens, deltas):
    manager = ExactDetokenizeManager(sentencepiece(SPACES, special=("<s>", "</s>"), ends=(1,)))
    assert stream(manager, tokens) == deltas


def test_a_decoder_without_strip_keeps_the_first_space():
    manager = ExactDetokenizeManager(sentencepiece(SPACES, strip=False))
    assert stream(manager, [3, 3]) == [" to", " to"]


def test_a_special_token_that_shows_is_the_front_of_the_text():
    tokenizer = sentencepiece(SPACES, special=("<s>", "</s>"), ends=(1,))
    manager = ExactDetokenizeManager(tokenizer, skip_special_tokens=False)
    assert stream(manager, [0, 3]) == ["<s>", " to"]


# ------------------------------------------------------------------ ends


@pytest.mark.parametrize(("on_cut", "last"), [("replace", "a\ufffd"), ("drop", "a")])
def test_dangling_bytes_end_by_on_cut_and_whole_text_always_leaves(on_cut, last):
    manager, id_of = manager_of([b"a\xf0\x9f"], on_cut=on_cut)
    assert stream(manager, [id_of[b"a\xf0\x9f"]]) == [last]


def test_a_model_s_own_replacement_character_is_kept_where_dangling_bytes_are_dropped():
    manager, id_of = manager_of([b"\xef\xbf\xbd", b"\xef\xbf"], on_cut="drop")
    assert stream(manager, list(id_of.values())) == ["\ufffd", ""]


def test_an_unknown_on_cut_is_refused():
    with pytest.raises(ValueError, match="'keep'"):
        ExactDetokenizeManager(byte_level([b"a"]), on_cut="keep")


def test_a_character_goes_on_behind_a_hidden_id():
    qwen3 = load_tokenizer("qwen3")
    assert stream(ExactDetokenizeManager(qwen3), [46602, 151645, 151644, 101]) == [" ", "", "", "推"]


def test_either_end_id_ends_without_text():
    manager = ExactDetokenizeManager(load_tokenizer("qwen3"))
    assert stream(manager, [9707, 151643], uid=1) == stream(manager, [9707, 151645], uid=2) == ["Hello", ""]


def test_nothing_comes_after_an_end_or_an_abort_until_the_uid_is_opened():
    manager, _ = manager_of([b"a", b"\xe6", b"\x8e\xa8"])
    assert stream(manager, [0, 1]) == ["a", "\ufffd"]
    late = [DetokenizeMsg(1, 2, False), DetokenizeMsg(1, 0, True), DetokenizeMsg(1, 0, False)]
    assert manager.detokenize(late) == ["", "", ""]
    assert manager.decode_map == {}
    manager.open(1)
    assert stream(manager, [2]) == ["\ufffd\ufffd"]
    manager.open(1)
    manager.detokenize([DetokenizeMsg(1, 1, False)])
    manager.abort(1)
    assert manager.detokenize([DetokenizeMsg(1, 2, False)]) == [""]
    manager.abort(7)
    assert manager.detokenize([DetokenizeMsg(7, 0, False)]) == [""]
    assert manager.decode_map == {}


def test_opening_an_open_request_forgets_its_open_character():
    manager, _ = manager_of([b"a", b"\xe6"])
    manager.detokenize([DetokenizeMsg(1, 1, False)])
    manager.open(1)
    assert stream(manager, [0]) == ["a"]


def test_ended_uids_are_bounded_and_the_oldest_is_forgotten_first():
    ended = EndedUids(limit=3)
    for uid in (1, 2, 3, 1, 4):
        ended.add(uid)
    assert [uid in ended for uid in (1, 2, 3, 4)] == [True, False, True, True]
    assert len(ended) == 3
    ended.discard(3)
    ended.discard(99)
    assert 3 not in ended


# ------------------------------------------------------------------ odd ids


def test_ids_outside_the_vocabulary_bring_no_text_and_are_counted():
    manager, _ = manager_of([b"\xe6\x8e", b"\xa8"])
    assert stream(manager, [0, 2, 2**31, 2**70, 1]) == ["", "", "", "", "推"]
    assert manager.unknown_ids == 3


def test_a_negative_id_is_an_error_that_changes_nothing():
    manager, _ = manager_of([b"\xe6\x8e", b"\xa8"])
    manager.detokenize([DetokenizeMsg(1, 0, False)])
    with pytest.raises(ValueError, match=r"request 2: .* not -1"):
        manager.detokenize([DetokenizeMsg(1, 1, False), DetokenizeMsg(2, -1, True)])
    assert manager.detokenize([DetokenizeMsg(1, 1, False)]) == ["推"]


# ------------------------------------------------------------------ what it costs


def test_the_tokenizer_is_not_called_while_streaming():
    tokenizer = byte_level([b"a", b"\xe6"])
    manager = ExactDetokenizeManager(tokenizer)
    for name in ("decode", "batch_decode", "convert_ids_to_tokens", "_tokenizer"):
        setattr(tokenizer, name, None)
    assert stream(manager, [0, 1, 0]) == ["a", "", "\ufffda"]


def test_bytes_that_never_complete_leave_three_bytes_of_state_at_most():
    manager, _ = manager_of([b"\xf0\x9f", b"\xf0\x9f\x99", b"\xf0"])
    for token in [0, 1, 2] * 200:
        manager.detokenize([DetokenizeMsg(1, token, False)])
        assert len(manager.decode_map[1]) <= 3


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_a_quiet_request_takes_less_than_300_bytes(name):
    manager = ExactDetokenizeManager(load_tokenizer(name))
    requests = 10_000
    gc.collect()
    tracemalloc.start()
    for uid in range(requests):  # the uid itself counts as well
        manager.detokenize([DetokenizeMsg(uid + 10**6, 40, False)])
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(manager.decode_map) == requests
    assert size / requests < 300


# ------------------------------------------------------------------ any ids, any calls

ODD = [
    b"a",
    b" ",
    b"\xe6",
    b"\x8e",
    b"\xa8",
    b"\xe6\x8e",
    b"\xf0\x9f",
    b"\x99\x82",
    b"\xa8\xf0",
    b"\xed",
    b"\xa0",
]
ODD += [
    b"\xef\xbf\xbd",
    b"\xff",
    b"\xc3",
    b"\xa9x",
    b"\n",
    b"\xe2\x96\x81",
    b"\xf4",
    b"\x90",
    b"",
    "né".encode(),
]
PIECES = [*SPACES, "<0xF0>", "<0x9F>", "<0xED>", "<0xA0>", "<0xFF>", "é", "<0xG0>", "▁<0x41>", ""]
KINDS = {
    "byte-level": byte_level(ODD, special=("<end>", "<sp>"), added=("<add>é", "Ġ"), ends=(len(ODD),)),
    "sentencepiece": sentencepiece(PIECES, special=("<s>", "</s>"), added=("<add>▁",), ends=(1,)),
    "no strip": sentencepiece(PIECES, strip=False, special=("<s>", "</s>"), ends=(1,)),
}

message = st.tuples(st.integers(0, 3), st.integers(0, 30), st.sampled_from([False] * 6 + [True]))
action = st.one_of(
    st.lists(message, max_size=8),
    st.tuples(st.sampled_from(["open", "abort"]), st.integers(0, 3)),
)


@pytest.mark.parametrize("on_cut", ["replace", "drop"])
@pytest.mark.parametrize("skip", [True, False], ids=["skip", "show"])
@pytest.mark.parametrize("kind", KINDS)
@FAST
@given(actions=st.lists(action, max_size=12))
def test_every_message_of_any_drain_brings_exactly_what_is_due(kind, skip, on_cut, actions):
    tokenizer = KINDS[kind]
    truth = Truth(tokenizer, set(end_ids(tokenizer)), skip_special_tokens=skip)
    manager = ExactDetokenizeManager(tokenizer, skip_special_tokens=skip, on_cut=on_cut)
    open_requests: dict[int, list[int]] = {}  # uid -> all its tokens
    over: set[int] = set()
    for act in actions:
        if isinstance(act, tuple):
            what, uid = act
            getattr(manager, what)(uid)
            open_requests.pop(uid, None)
            over.add(uid)
            if what == "open":
                open_requests[uid] = []
                over.remove(uid)
            continue
        due = []
        for uid, token, finished in act:
            if uid in over:
                due.append("")
                continue
            tokens = open_requests.setdefault(uid, [])
            before = truth.so_far([tokens])[0]
            tokens.append(token)
            after = truth.text(tokens, on_cut) if finished else truth.so_far([tokens])[0]
            due.append(after[len(before) :])
            assert after.startswith(before)
            if finished:
                del open_requests[uid]
                over.add(uid)
        assert manager.detokenize([DetokenizeMsg(*given) for given in act]) == due
        assert manager.decode_map.keys() == open_requests.keys()
        for uid, tokens in open_requests.items():
            data = truth.data(tokens)
            assert manager.decode_map[uid] in (data[len(data) - waiting(data) :], FRONT)


@pytest.mark.parametrize("name", ["qwen3", "toy"])
@settings(derandomize=True, deadline=None, max_examples=60)
@given(text=st.text(max_size=60), cut=st.integers(0, 8))
def test_a_stream_of_real_text_equals_decoding_it_whole(name, text, cut):
    tokenizer = load_tokenizer(name)
    ids = tokenizer.encode(text, add_special_tokens=False)
    ids = ids[: len(ids) - cut] or [tokenizer.eos_token_id]
    whole = tokenizer.decode(ids, skip_special_tokens=True)
    deltas = stream(ExactDetokenizeManager(tokenizer), ids)
    truth = Truth(tokenizer, set(end_ids(tokenizer)))
    assert "".join(deltas) == truth.text(ids)
    if "\ufffd" not in whole:
        assert "".join(deltas) == whole
