"""Recording: offsets, windows, and each fault at the message where it happens."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import DetokenizeManager, DetokenizeMsg, WholeDetokenizer, load_tokenizer
from minisgl_tok.show import PieceTokenizer, first_fault, interleave, messages_of, record
from minisgl_tok.show.trace import Offsets
from minisgl_tok.show.utf8 import characters

CASES = json.loads((Path(__file__).parent / "cases" / "streams.json").read_text("utf-8"))
STREAMS = {s["name"]: s for s in CASES["streams"]}


def pieces_of(stream):
    return [bytes.fromhex(piece) for piece in stream["pieces"]]


class Script:
    """A manager that sends what it was told to, whatever comes."""

    def __init__(self, deltas):
        self.deltas = list(deltas)

    def detokenize(self, msgs):
        return [self.deltas.pop(0) for _ in msgs]


def faults(pieces, deltas=None, manager=None, **options):
    """(message, kind) of each fault of a stream of made-up pieces."""
    chosen = manager or (lambda _: Script(deltas))
    trace = record(PieceTokenizer(pieces), chosen, messages_of(range(len(pieces))), **options)
    assert all(step.error is None for step in trace.steps)
    return [(n, fault.kind) for n, step in enumerate(trace.steps) for fault in step.faults]


# ------------------------------------------------------------------ right and wrong


@pytest.mark.parametrize("name", STREAMS)
def test_the_right_deltas_have_no_fault(name):
    stream = STREAMS[name]
    assert faults(pieces_of(stream), stream["deltas"]) == []
    assert first_fault(stream["deltas"], pieces_of(stream)) is None


SEED_FAULTS = {
    "cut in the next character": [(2, "lost")],
    "good text and a dangling tail in one piece": [(1, "lost")],
    "han and half a euro": [(2, "twice")],
    "real U+FFFD": [(2, "lost")],
}


@pytest.mark.parametrize("name", STREAMS)
def test_the_windows_faults_stand_at_their_messages(name):
    pieces = pieces_of(STREAMS[name])
    found = faults(pieces, manager=DetokenizeManager)
    assert found == SEED_FAULTS.get(name, [])
    trace = record(PieceTokenizer(pieces), DetokenizeManager, messages_of(range(len(pieces))))
    assert first_fault([step.delta for step in trace.steps], pieces) == (found[0] if found else None)


@pytest.mark.parametrize(
    ("pieces", "deltas", "expected"),
    [
        ([b"\xe9\xb1", b"\xbb"], ["�", "鱻"], [(0, "early")]),
        ([b"\xe9\xb1", b"\xbb", b"x"], ["�", "�", "x"], [(0, "early"), (1, "early")]),
        ([b"ab", b"cd", b"ef"], ["ab", "", "ef"], [(2, "lost")]),
        ([b"ab", b"cd"], ["ab", "abcd"], [(1, "twice")]),
        ([b"ab", b"cd"], ["ab", ""], [(1, "lost")]),
        ([b"ab", b"cd", b"ef"], ["", "", "abcdef"], []),
        ([b"a", "�".encode()], ["a", "�"], []),
        ([b"", b"x"], ["", "x"], []),
        ([b"ab"], ["abc"], [(0, "extra")]),
    ],
)
def test_each_kind_of_fault_is_named_at_its_message(pieces, deltas, expected):
    assert faults(pieces, deltas) == expected
    first = first_fault(deltas, pieces)
    assert first == ((expected[0][0], expected[0][1].replace("extra", "twice")) if expected else None)


def test_text_that_came_twice_and_text_that_is_missing_do_not_cancel_out():
    assert first_fault(["ab", "ab", ""], [b"ab", b"xy", b""]) == (1, "twice")


def test_held_text_is_no_fault_while_the_request_is_open():
    trace = record(PieceTokenizer([b"ab"]), lambda _: Script([""]), [DetokenizeMsg(1, 0, False)])
    assert trace.steps[0].faults == ()
    assert trace.steps[0].due == "ab"


def test_an_end_in_half_a_character_may_be_dropped_where_the_manager_says_so():
    class Dropping(Script):
        on_cut = "drop"

    assert faults([b"a", b"\xe9"], manager=lambda _: Dropping(["a", ""])) == []
    assert faults([b"a", b"\xe9"], ["a", ""]) == [(1, "lost")]


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=8))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_what_an_incremental_decoder_sends_is_never_a_fault(pieces):
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    deltas = [decoder.decode(piece, n == len(pieces)) for n, piece in enumerate(pieces, 1)]
    assert faults(pieces, deltas) == []
    assert first_fault(deltas, pieces) is None


@pytest.mark.parametrize(
    "lead, second", [(b"\xed", b"\xa0"), (b"\xed", b"\xbf"), (b"\xe0", b"\x80"), (b"\xf4", b"\x90")]
)
def test_bytes_that_no_character_goes_on_with_are_marks_at_once(lead, second):
    for pieces in ([lead + second, b"a"], [lead, second, b"a"]):
        marks = ["\ufffd\ufffd"] if len(pieces) == 2 else ["", "\ufffd\ufffd"]
        assert first_fault([*marks, "a"], pieces) is None
        assert faults(pieces, [*marks, "a"]) == []
        assert faults([*pieces[:-1], b""], [*marks, ""]) == []
    assert first_fault(["\ufffd", "a"], [lead, b"a"]) == (0, "early")


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=6), st.lists(st.text("ab鱻�", max_size=3)))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_a_stream_is_faultless_exactly_where_it_joins_to_the_whole_and_is_never_ahead(pieces, deltas):
    deltas = (deltas + [""] * len(pieces))[: len(pieces)]
    joined, whole = "".join(deltas), b"".join(pieces).decode("utf-8", "replace")
    if first_fault(deltas, pieces) is None:
        assert joined == whole
    if joined != whole:
        assert first_fault(deltas, pieces) is not None


@given(st.binary(max_size=12))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_characters_join_to_the_decoded_bytes_and_cover_them(data):
    chars = characters(data)
    assert "".join(char.text for char in chars) == data.decode("utf-8", "replace")
    assert [char.start for char in chars] == [0, *[char.end for char in chars]][: len(chars)]


# ------------------------------------------------------------------ what is recorded


def test_the_seeds_offsets_are_recorded_before_and_after():
    tokenizer = load_tokenizer("qwen3")
    ids = tokenizer("鱻䨻🦩 is rare, 推理 naïve").input_ids
    trace = record(tokenizer, DetokenizeManager, messages_of(ids))
    step = trace.steps[9]
    assert (step.before, step.after) == (Offsets(8, 9, 9, 12), Offsets(8, 9, 10, 13))
    assert (step.windows.read_text, step.windows.surr_text, step.windows.new_text) == (", �", ",", " �")
    assert (step.delta, step.open, trace.received(9)) == (" ", b"\xe6\x8e", "鱻䨻🦩 is rare,")
    assert trace.messages[9].alone == " �"
    assert trace.first_fault() is None


def test_the_last_message_has_offsets_though_its_state_is_freed():
    tokenizer = load_tokenizer("qwen3")
    for ids in ([9707], [9707, 1879]):
        trace = record(tokenizer, DetokenizeManager, messages_of(ids))
        assert trace.steps[-1].after.read == len(ids)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([50102, 176, 87], (2, "twice")),
        ([3490, 72496, 44680, 7492, 87], (3, "twice")),
        ([9707, 151643], (1, "extra")),
    ],
)
def test_the_known_failures_of_the_window_on_qwen3(ids, expected):
    trace = record(load_tokenizer("qwen3"), DetokenizeManager, messages_of(ids))
    n = trace.first_fault()
    assert (n, trace.steps[n].faults[0].kind) == expected


def test_two_finishes_in_one_drain_are_an_error_that_is_recorded():
    msgs = [DetokenizeMsg(1, 9707, True), DetokenizeMsg(1, 1879, True)]
    trace = record(load_tokenizer("qwen3"), DetokenizeManager, [msgs])
    assert len(trace.messages) == 2
    assert [step.error for step in trace.steps] == ["KeyError: 1"]


def test_requests_that_take_turns_are_told_apart():
    tokenizer = load_tokenizer("qwen3")
    texts = {7: "鱻 ok", 9: "推理 and more"}
    trace = record(
        tokenizer, DetokenizeManager, interleave({u: tokenizer(t).input_ids for u, t in texts.items()})
    )
    assert trace.uids == [7, 9]
    for uid, text in texts.items():
        last = trace.of(uid)[-1]
        assert trace.received(last) + trace.steps[last].delta == text
    assert trace.first_fault() is None


def test_the_first_space_of_sentencepiece_is_no_loss():
    tokenizer = load_tokenizer("toy")
    ids = tokenizer("Hello world 推!", add_special_tokens=False).input_ids
    trace = record(tokenizer, DetokenizeManager, messages_of(ids))
    assert trace.first_fault() is None


def test_token_by_token_loses_the_space_of_sentencepiece():
    tokenizer = load_tokenizer("toy")

    class Alone:
        def __init__(self, tokenizer):
            self.push = lambda token: tokenizer.decode([token])

    trace = record(
        tokenizer, Alone, messages_of(tokenizer("Hello world", add_special_tokens=False).input_ids)
    )
    assert [(n, f.kind) for n, s in enumerate(trace.steps) for f in s.faults] == [(1, "lost")]


def test_a_streamer_for_one_request_is_made_anew_for_each():
    tokenizer = load_tokenizer("qwen3")
    ids = tokenizer("鱻 ok").input_ids
    trace = record(tokenizer, WholeDetokenizer, interleave({1: ids, 2: ids}))
    assert trace.first_fault() is None
    assert all(step.windows is None and step.before is None for step in trace.steps)


def test_a_tokenizer_without_bytes_still_has_its_faults():
    class Words:
        eos_token_id = None

        def decode(self, ids):
            return " ".join(f"w{id_}" for id_ in ids)

        def batch_decode(self, batch):
            return [self.decode(ids) for ids in batch]

    right = record(Words(), DetokenizeManager, messages_of([1, 2, 3]))
    assert right.messages[0].data is None
    assert right.first_fault() is None
    wrong = record(Words(), lambda _: Script(["w1", "w2", " w3"]), messages_of([1, 2, 3]))
    assert wrong.first_fault() == 1


def test_a_message_after_the_end_may_bring_nothing():
    msgs = [DetokenizeMsg(1, 0, True), DetokenizeMsg(1, 1, False)]
    late = record(PieceTokenizer([b"hi", b"zz"]), lambda _: Script(["hi", "zz"]), msgs)
    assert [fault.kind for fault in late.steps[1].faults] == ["extra"]
    quiet = record(PieceTokenizer([b"hi", b"zz"]), lambda _: Script(["hi", ""]), msgs)
    assert quiet.first_fault() is None
