"""The proof: all managers on all kinds of input, and the command that shows it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import conformance, report, texts, zoo
from benchmarks.conformance import first_fault, lateness
from benchmarks.streamers import managers
from benchmarks.truth import Truth, waiting
from minisgl_tok import DetokenizeMsg, ExactDetokenizeManager, SafeDetokenizeManager
from minisgl_tok.vocab import end_ids

EXACT = "ExactDetokenizeManager"


@pytest.mark.parametrize(
    ("deltas", "whole", "fault"),
    [
        (["a", "b"], "ab", None),
        (["", ""], "", None),
        (["ab", "b"], "abc", "twice"),
        (["a", "c"], "abc", "lost"),
        (["a", ""], "ab", "lost"),
        (["\ufffd", "b"], "ab", "early"),
        (["\ufffd"], "\ufffd", None),
        (["a<end>"], "a", "extra"),
    ],
)
def test_a_fault_is_named_by_what_the_reader_got(deltas, whole, fault):
    assert first_fault(deltas, whole) == fault


def test_lateness_counts_messages_until_what_was_due_has_left():
    assert lateness(["a", "b"], ["a", "ab"]) == [0, 0]
    assert lateness(["", "", "abc"], ["a", "ab", "abc"]) == [2, 1, 0]


@pytest.mark.parametrize(
    ("data", "count"),
    [(b"", 0), (b"a", 0), (b"\xe6\x8e", 2), (b"a\xf0", 1), (b"\xf0\x9f\xa6", 3), (b"\xed\xa0", 0)],
)
def test_the_truth_knows_which_bytes_may_still_become_a_character(data, count):
    assert waiting(data) == count


def test_the_texts_are_in_more_than_forty_scripts_and_none_is_repeated():
    assert len(set(texts.SCRIPTS.values())) == len(texts.SCRIPTS) > 40


@pytest.mark.parametrize("name", ["qwen3", "toy"])
def test_the_truth_of_a_natural_text_is_what_the_tokenizer_decodes(name):
    tokenizer = zoo.zoo(name)
    truth = Truth(tokenizer, set(end_ids(tokenizer)))
    for text in texts.SCRIPTS.values():
        ids = tokenizer.encode(text, add_special_tokens=False)
        assert truth.text(ids) == tokenizer.decode(ids, skip_special_tokens=True)


@pytest.mark.parametrize("name", [name for name in zoo.available() if name != "tekken"])
def test_the_exact_manager_has_no_fault_on_any_kind_of_input(name, monkeypatch):
    monkeypatch.setattr(conformance, "managers", lambda: {EXACT: managers()[EXACT]})
    for row in conformance.run([name], cases=15):
        assert (row["right"], row["late_max"]) == (row["cases"], 0), row


def test_the_command_prints_a_table_and_saves_a_row_for_each_cell(tmp_path, capsys):
    file = tmp_path / "rows.json"
    assert conformance.main(["--tokenizers", "toy", "--cases", "2", "--out", str(file)]) == 0
    assert "no fault in any cell" in capsys.readouterr().out
    rows = json.loads(file.read_text("utf-8"))
    assert len(rows) == len(managers()) * 12
    for row in rows:
        assert row["cases"] == 2 == row["right"] + sum(row[fault] for fault in conformance.FAULTS)


def test_a_quick_run_does_not_replace_the_saved_results():
    parser = report.parser("conformance", "")
    assert report.target("conformance", parser.parse_args(["--quick"])) is None
    assert report.target("conformance", parser.parse_args([])) == report.RESULTS / "conformance.json"


def test_the_saved_results_hold_no_fault_of_the_exact_manager():
    rows = json.loads((report.RESULTS / "conformance.json").read_text("utf-8"))
    own = [row for row in rows if row["manager"] == EXACT]
    assert {row["tokenizer"] for row in own} == {"qwen3", "toy", "mistral", "tekken", "deepseek"}
    assert all(row["right"] == row["cases"] and row["late_max"] == 0 for row in own)


@pytest.mark.parametrize("manager", ["WholeDetokenizer", "DetokenizeManager", "DecodeStream"])
def test_hypothesis_shrinks_what_the_others_get_wrong(manager):
    ids, deltas, right = conformance.smallest_fault("toy", manager)
    assert len(ids) <= 2
    assert deltas is None or "".join(deltas) != right


def test_hypothesis_finds_nothing_wrong_with_the_exact_manager():
    assert conformance.smallest_fault("toy", EXACT) is None


drains = st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 440)), max_size=6), max_size=8)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(drains=drains, on_cut=st.sampled_from(["replace", "drop"]))
@pytest.mark.parametrize("manager", [ExactDetokenizeManager, SafeDetokenizeManager])
def test_any_drains_of_three_requests_add_up_to_the_truth_of_each(manager, drains, on_cut):
    tokenizer = zoo.zoo("toy")
    truth = Truth(tokenizer, set(end_ids(tokenizer)))
    made = manager(tokenizer, on_cut=on_cut)
    tokens: dict[int, list[int]] = {0: [], 1: [], 2: []}
    sent = {0: "", 1: "", 2: ""}
    last = [(uid, tokenizer.eos_token_id) for uid in tokens]
    for drain in [*drains, last]:
        msgs = [DetokenizeMsg(uid, token, drain is last) for uid, token in drain]
        for msg, delta in zip(msgs, made.detokenize(msgs), strict=True):
            tokens[msg.uid].append(msg.next_token)
            sent[msg.uid] += delta
            assert truth.text(tokens[msg.uid], on_cut).startswith(sent[msg.uid])
    assert sent == {uid: truth.text(tokens[uid], on_cut) for uid in tokens}
    assert made.decode_map == {}
