"""Stop strings against a slow reading of the rule: cut the whole text at its earliest stop."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok.stop import StopStrings, earliest, held

words = st.text("ab", max_size=8)
stops_of = st.lists(st.text("ab", min_size=1, max_size=4), max_size=4)


def slow_earliest(text, stops):
    for place in range(len(text)):
        here = [stop for stop in stops if text[place:].startswith(stop)]
        if here:
            return place, max(here, key=len)
    return None


def slow_held(text, stops):
    for place in range(len(text)):
        if any(stop != text[place:] and stop.startswith(text[place:]) for stop in stops):
            return len(text) - place
    return 0


def run(stops, deltas):
    """Joined output, the stop, and the number of the delta that brought it."""
    strings, out = StopStrings(stops), ""
    for number, delta in enumerate(deltas):
        text, matched = strings.push(delta, number == len(deltas) - 1)
        out += text
        if matched is not None:
            return out, matched, number
    return out, None, None


@settings(max_examples=300, deadline=None, derandomize=True)
@given(words, stops_of)
def test_the_earliest_stop_wins_and_of_two_that_start_together_the_longer(text, stops):
    assert earliest(text, stops) == slow_earliest(text, stops)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(words, stops_of)
def test_the_longest_end_that_can_become_a_stop_is_held(text, stops):
    assert held(text, stops) == slow_held(text, stops)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=8), stops_of)
def test_output_is_the_text_up_to_its_earliest_stop_however_it_was_cut(deltas, stops):
    text = "".join(deltas)
    out, matched, _ = run(stops, deltas)
    match = slow_earliest(text, stops)
    assert (out, matched) == ((text, None) if match is None else (text[: match[0]], match[1]))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.text("ab", max_size=3), max_size=8), stops_of)
def test_nothing_is_held_that_could_have_left(deltas, stops):
    strings, text, out = StopStrings(stops), "", ""
    for delta in deltas:
        text += delta
        out += strings.push(delta, False)[0]
        if strings.matched is not None:
            return
        assert out == text[: len(text) - slow_held(text, stops)]


@pytest.mark.parametrize(
    ("stops", "deltas", "result"),
    [
        (["</s>"], ["so </", "s> and more"], ("so ", "</s>", 1)),
        (["🦩"], ["pink ", "🦩", "!"], ("pink ", "🦩", 1)),
        (["END"], ["the EN"], ("the EN", None, None)),
        (["b", "a"], ["xab"], ("x", "a", 0)),
        (["a", "ab"], ["xa", "b"], ("x", "ab", 1)),
        (["a", "ab"], ["xa", "c"], ("x", "a", 1)),
        (["bc", "abcd"], ["abc", "d"], ("", "abcd", 1)),
        (["bc", "abcd"], ["abc", "x"], ("a", "bc", 1)),
        (["bc", "abcd"], ["abc"], ("a", "bc", 0)),
        ([], ["abc", ""], ("abc", None, None)),
    ],
)
def test_a_stop_across_deltas_is_cut(stops, deltas, result):
    assert run(stops, deltas) == result


def test_after_a_match_nothing_leaves():
    strings = StopStrings(["."])
    assert strings.push("one. two", False) == ("one", ".")
    assert strings.push(" three", False) == ("", None)
    assert strings.push(" four.", True) == ("", None)


def test_an_empty_stop_is_refused():
    with pytest.raises(ValueError, match="may not be empty"):
        StopStrings(["ok", ""])


def test_one_string_is_no_list_of_stops():
    with pytest.raises(ValueError, match="as a list of strings, not as one string: 'END'"):
        StopStrings("END")


def test_the_cost_does_not_grow_with_the_answer():
    strings, seen = StopStrings(["<end>", "\n\n"]), []
    for _ in range(5_000):
        strings.push("a < b\n", False)
        seen.append(len(strings.waiting))
    assert max(seen) <= 4


def test_a_long_stop_that_nearly_matches_costs_little():
    strings = StopStrings(["a" * 5_000 + "b"])
    began = time.process_time()
    for _ in range(10_000):
        strings.push("a", False)
    assert time.process_time() - began < 5
