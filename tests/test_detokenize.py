"""The seed's window: right where it is right, and its known faults, each named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from minisgl_tok import DecodeStatus, DetokenizeManager, DetokenizeMsg, WholeDetokenizer, load_tokenizer
from minisgl_tok.detokenize import CHINESE_RANGES, ends_in_half, find_printable_text, is_chinese
from practice import oracles
from practice.streams import PieceTokenizer

STREAMS = json.loads((Path(__file__).parent / "cases" / "streams.json").read_text("utf-8"))["streams"]

# Streams of streams.json on which the window of the original is wrong, and why.
WRONG = {
    "cut in the next character": "an unfinished character at the end takes the text before it along",
    "good text and a dangling tail in one piece": "an unfinished character at the end takes the text before it along",
    "the sent offset never retreats": "the printable prefix shortens, so sent_offset goes back and text is sent twice",
    "han and half a euro": "the character before an unfinished one waits with it",
    "real U+FFFD": "a U+FFFD that the model wrote is taken for half a character and lost at the end",
    "a stray byte": "a byte that can never complete holds its U+FFFD back until later text arrives",
    "an overlong run of lead bytes": "bytes that can never complete hold their U+FFFD back",
    "joined emoji": "the finished emoji before an unfinished joiner waits with it",
}


def stream(manager, ids, uid=0, finish=True):
    return [
        manager.detokenize([DetokenizeMsg(uid, id_, finish and n == len(ids) - 1)])[0]
        for n, id_ in enumerate(ids)
    ]


def deltas_of(case):
    pieces = [bytes.fromhex(piece) for piece in case["pieces"]]
    return stream(DetokenizeManager(PieceTokenizer(pieces)), list(range(len(pieces))))


@pytest.mark.parametrize(
    "case", [c for c in STREAMS if c["name"] not in WRONG], ids=lambda case: case["name"]
)
def test_the_window_is_right_on(case):
    assert deltas_of(case) == case["deltas"]


@pytest.mark.parametrize("case", [c for c in STREAMS if c["name"] in WRONG], ids=lambda case: case["name"])
def test_the_window_is_wrong_on(case):
    assert deltas_of(case) != case["deltas"], f"no longer wrong; it was: {WRONG[case['name']]}"


def test_every_stream_that_is_called_wrong_exists():
    assert set(WRONG) <= {case["name"] for case in STREAMS}


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_streamed_text_equals_the_whole(name):
    tokenizer = load_tokenizer(name)
    text = "Engines 😀 stream: naïve café, 2+2=4.\n第三行 ends here。"
    ids = tokenizer.encode(text, add_special_tokens=False)
    manager = DetokenizeManager(tokenizer)
    deltas = stream(manager, ids)
    assert "".join(deltas) == tokenizer.decode(ids) == text
    assert not any("\ufffd" in delta for delta in deltas)
    assert manager.decode_map == {}


def test_the_seeds_table():
    manager = DetokenizeManager(load_tokenizer("qwen3"))
    ids = [100024, 119, 128237, 119, 123918, 102, 374, 8848, 11, 46602, 101, 21887, 94880, 586]
    expected = ["", "鱻", "", "䨻", "", "🦩", " is", " rare", ",", " ", "推", "理", " naï", "ve"]
    assert stream(manager, ids) == expected


def test_the_offsets_after_each_message():
    manager = DetokenizeManager(load_tokenizer("qwen3"))
    rows = []
    for id_ in [100024, 119, 374, 46602, 101]:
        manager.detokenize([DetokenizeMsg(1, id_, False)])
        status = manager.decode_map[1]
        rows.append((status.surr_offset, status.read_offset, status.sent_offset))
    assert rows == [(0, 0, 0), (0, 2, 1), (2, 3, 4), (2, 3, 5), (3, 5, 6)]


def test_a_batch_is_two_decodes_and_keeps_the_order():
    pieces = ["鱻".encode()[:2], "鱻".encode()[2:], b"a", b" b"]
    tokenizer = PieceTokenizer(pieces)
    manager = DetokenizeManager(tokenizer)
    assert manager.detokenize([DetokenizeMsg(5, 2, False), DetokenizeMsg(3, 0, False)]) == ["a", ""]
    assert manager.detokenize([DetokenizeMsg(3, 1, True), DetokenizeMsg(5, 3, False)]) == ["鱻", " b"]
    assert tokenizer.calls == 4 and list(manager.decode_map) == [5]


def test_an_end_id_is_text_unless_it_finishes_the_request():
    tokenizer = load_tokenizer("qwen3")
    manager = DetokenizeManager(tokenizer)
    end = tokenizer.eos_token_id
    assert stream(manager, [9707, end, 1879, end]) == ["Hello", "<|im_end|>", " world", ""]
    assert stream(manager, [9707, 1879]) == ["Hello", " world"]


# ------------------------------------------------------------------ faults of the original, kept


def test_fault_sent_twice_on_valid_text():
    assert stream(
        DetokenizeManager(load_tokenizer("qwen3")), [3490, 72496, 44680, 7492, 87], finish=False
    ) == [
        "",
        "丒",
        "",
        "丒ឤ킬",
        "x",
    ]


def test_fault_sent_twice_on_bytes_that_never_complete():
    assert stream(DetokenizeManager(load_tokenizer("qwen3")), [50102, 176, 87]) == [
        "选",
        "",
        "选\ufffd\ufffdx",
    ]


def test_fault_two_tokens_of_one_request_in_a_drain():
    tokenizer = load_tokenizer("qwen3")
    twice = [DetokenizeMsg(1, 9707, False), DetokenizeMsg(1, 1879, False)]
    assert DetokenizeManager(tokenizer).detokenize(twice) == ["Hello", "Hello world"]
    with pytest.raises(KeyError):
        DetokenizeManager(tokenizer).detokenize([DetokenizeMsg(1, 9707, True), DetokenizeMsg(1, 1879, True)])


def test_fault_a_second_end_id_is_shown():
    assert stream(DetokenizeManager(load_tokenizer("qwen3")), [9707, 151643]) == ["Hello", "<|endoftext|>"]


# ------------------------------------------------------------------ the parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a", ""),
        ("a\n", "a\n"),
        ("a\nb", ""),
        ("推", "推"),
        ("推\ufffd", "推"),
        ("推ab", ""),
        ("to be con", "to be "),
        (" ", " "),
        ("あ", ""),
        ("안녕", ""),
        ("a あ", "a "),
        ("龘x", "龘"),
        ("𠀀", "𠀀"),
    ],
)
def test_the_printable_beginning(text, expected):
    assert find_printable_text(text) == expected == oracles.printable(text)


def test_the_blocks_of_chinese_characters_are_unicodes():
    for first, last in CHINESE_RANGES:
        assert is_chinese(chr(first)) and is_chinese(chr(last))
        assert oracles.chinese(chr(first)) and oracles.chinese(chr(last))
    assert not any(is_chinese(char) for char in "aあア안、。😀")


def test_half_a_character_is_seen_only_at_the_end():
    assert [ends_in_half(text) for text in ("", "a", "\ufffd", "a\ufffd", "\ufffda")] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_a_new_status_is_empty():
    status = DecodeStatus()
    assert (status.decoded_ids, status.decoded_str) == ([], "")
    assert (status.surr_offset, status.read_offset, status.sent_offset) == (0, 0, 0)
    assert DecodeStatus().decoded_ids is not status.decoded_ids


@pytest.mark.parametrize("name", ["qwen3", "toy"])
@pytest.mark.parametrize("text", ["", "a", "鱻 推 🦩!", "ひらがな 한국어", "नमस्ते\n\nx  y"])
def test_decoding_everything_each_time_gives_the_text(name, text):
    tokenizer = load_tokenizer(name)
    whole = WholeDetokenizer(tokenizer)
    deltas = [whole.push(id_) for id_ in tokenizer.encode(text, add_special_tokens=False)]
    assert "".join(deltas) == text and whole.sent_offset == len(text)
