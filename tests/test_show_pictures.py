"""The race, the microscope, the cost picture and the heat map."""

import html as escaping
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import DetokenizeManager, WholeDetokenizer, load_tokenizer
from minisgl_tok.show import PieceTokenizer, cost, messages_of, microscope, race
from minisgl_tok.show import race as race_function
from minisgl_tok.show.cost import Point
from minisgl_tok.show.heatmap import heatmap_html, heatmap_text
from minisgl_tok.show.peers import HubDecodeStream, HubTextStreamer, TokenByToken
from minisgl_tok.show.specimen import in_place, look, why_alone

QWEN3 = load_tokenizer("qwen3")
CUT = [100024, 119, 46602, 101, 6023, 11162]  # 鱻 推hi and the first bytes of an emoji


def words_of(page):
    parser = HTMLParser()
    said = []
    parser.handle_data = said.append
    parser.feed(page)
    return escaping.unescape("".join(said))


# ------------------------------------------------------------------ the race


@pytest.fixture(scope="module")
def cut():
    return race(ids=CUT).picture.race


def test_a_cut_emoji_is_lost_by_the_window_and_by_decodestream(cut):
    found = {name: trace.first_fault() for name, trace in cut.traces.items()}
    assert found["window"] == found["DecodeStream"] == found["decode everything"] == 5
    assert found["TextStreamer"] is None
    assert found["token by token"] == 0


def test_decodestream_is_one_behind_where_a_space_shares_a_token_with_half_a_character(cut):
    assert [len(step.due) for step in cut.traces["DecodeStream"].steps] == [0, 0, 1, 0, 0, 0]
    assert [step.delta for step in cut.traces["DecodeStream"].steps] == ["", "鱻", "", " 推", "hi", ""]


def test_the_race_says_who_was_wrong_from_where_and_who_was_behind():
    player = race(ids=CUT, at=3)
    assert "1 behind" in words_of(player.view.value)
    assert "wrong from" not in words_of(player.view.value)
    player.slider.value = 6
    seen = words_of(player.view.value)
    assert "wrong from 6" in seen and "wrong from 1" in seen
    assert "behind 0.17 on average, 1 at most" in seen
    assert "DecodeStream: ✗ from message 6: text lost" in repr(player)


def test_runners_of_ones_own_that_raise_are_out_and_the_others_go_on():
    player = race("推 ok", runners={"mine": lambda _: 1 / 0, "whole": WholeDetokenizer}, at=2)
    assert "out" in words_of(player.view.value)
    assert "ZeroDivisionError" in words_of(race("推", runners={"mine": lambda _: 1 / 0}).view.value)
    assert player.picture.race.traces["whole"].first_fault() is None


def test_the_race_takes_own_text_the_toy_and_nothing():
    player = race()
    player.text.value = "नमस्ते <b>"
    assert "<b>n" not in player.view.value
    player.tokenizer.value = "toy"
    assert "✗ error" not in words_of(player.view.value)
    player.text.value = ""
    assert "nothing to race" in player.view.value
    assert race_function is race


@pytest.mark.parametrize("peer", [HubDecodeStream, HubTextStreamer])
@pytest.mark.parametrize("text", ["鱻䨻🦩 is rare, 推理 naïve", "a\n\nb  c\n", "안녕 뷁"])
def test_the_peers_are_right_on_whole_text(peer, text):
    traces = race(text, runners={"peer": peer}).picture.race.traces
    assert traces["peer"].first_fault() is None


def test_a_race_has_a_stable_film_and_text():
    first, second = (race(ids=CUT)._repr_mimebundle_() for _ in range(2))
    assert first["text/html"] == second["text/html"] and first["text/plain"] == second["text/plain"]


# ------------------------------------------------------------------ the microscope


def test_a_token_in_the_middle_of_a_character_is_explained():
    specimen = look(QWEN3, [46602, 101])
    assert (
        why_alone(specimen, 0)
        == "Alone, token 46602 is “␣�”: 20 is “␣”; e6 8e are the first two of three bytes, so one �."
    )
    assert in_place(specimen, 0).endswith("it leaves a character open, with two of three bytes.")
    assert "a8 follows no lead byte" in why_alone(specimen, 1)
    assert in_place(specimen, 1) == "In its place it completes “推”, begun by token 46602."


def test_the_space_that_sentencepiece_strips_is_explained():
    toy = load_tokenizer("toy")
    assert "strips one space" in why_alone(look(toy, toy.encode("Hello", add_special_tokens=False)), 0)


def test_a_lead_byte_opens_slots_that_followers_fill():
    player = microscope(ids=[0, 1, 2], pieces={0: b"\xf0\x9f", 1: b"\x99", 2: b"\x82"})
    slots = []
    for step in range(3):
        player.step = step
        slots.append(player.view.value.count("b slot"))
    assert slots == [2, 1, 0]
    assert "U+1F642" in player.view.value
    player.as_text.value = True
    assert "11110|000 10|011111" in player.view.value


def test_the_microscope_takes_own_text_and_nothing():
    player = microscope()
    player.surprise.click()
    assert "Token 1 of" in player.view.value
    player.text.value = ""
    assert "nothing under the microscope" in player.view.value
    assert microscope("")._repr_mimebundle_()["text/html"]


def test_a_tokenizer_without_bytes_is_refused_in_words():
    class Words:
        def decode(self, ids):
            return "w"

    assert "have no bytes of their own" in microscope(tokenizer=Words(), ids=[1]).view.value


@given(st.lists(st.binary(max_size=5), min_size=1, max_size=5))
@settings(max_examples=80, derandomize=True, deadline=None)
def test_any_bytes_can_be_looked_at(pieces):
    from minisgl_tok.show.microscope import as_text, draw

    specimen = look(PieceTokenizer(pieces), range(len(pieces)))
    for n in range(len(pieces)):
        assert draw(specimen, n) and as_text(specimen, n)
    done = [char for n in range(len(pieces)) for char in specimen.completed(n)]
    assert done == [char for char in specimen.chars if char.state == "whole"]


# ------------------------------------------------------------------ cost


def test_costs_are_measured_at_each_length_and_drawn():
    managers = {"window": DetokenizeManager, "all": WholeDetokenizer, "alone": TokenByToken}
    points = cost.measure(QWEN3, [9707, 1879], managers, lengths=(10, 40))
    assert [(point.manager, point.length) for point in points] == [(m, n) for m in managers for n in (10, 40)]
    assert all(point.us > 0 for point in points)
    axes = cost.plot(points, "here")
    assert [line.get_label() for line in axes.get_lines()] == list(managers)
    assert [text.get_text() for text in axes.texts if text.get_text() in managers]
    assert len({(line.get_linestyle(), line.get_marker()) for line in axes.get_lines()}) == 3


def test_a_manager_that_has_used_its_time_stops_at_the_last_length_it_reached():
    points = cost.measure(QWEN3, [9707], {"all": WholeDetokenizer}, lengths=(1, 10**5), budget=0.0)
    assert [point.length for point in points] == [1]


def test_the_text_twin_of_the_cost_has_a_dash_where_nothing_was_measured():
    lines = cost.as_text([Point("a", 1, 2.0), Point("a", 9, 8.0), Point("b", 1, 1.0)]).splitlines()
    assert lines[1].split() == ["a", "2.0", "8.0", "×", "4.0"]
    assert lines[2].split() == ["b", "1.0", "–", "×", "1.0"]


def test_no_ids_to_time_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="at least one token"):
        cost.measure(QWEN3, [])


# ------------------------------------------------------------------ the heat map


def row(manager, kind, cases, right, **faults):
    return {
        "manager": manager,
        "kind": kind,
        "cases": cases,
        "right": right,
        "late_mean": 0,
        "late_max": 0,
    } | faults


ROWS = [
    row("window", "cut <x>", 100, 20, lost=70, twice=10, early=0),
    row("exact", "cut <x>", 100, 100, late_mean=0.5, late_max=2),
    row("window", "words", 10, 10),
    row("window", "cut <x>", 100, 80, lost=20),
]


def test_cells_of_several_tokenizers_are_added_up():
    seen = words_of(heatmap_html(ROWS, style=False))
    assert "100 of 200" in seen and "lost 90 · twice 10" in seen
    assert "cut <x>" in seen and "<x>" not in heatmap_html(ROWS, style=False)
    assert "✗ 100 of 210" in seen and "✓ all 100" in seen


def test_the_text_twin_has_shade_number_and_words():
    lines = heatmap_text(ROWS).splitlines()
    assert lines[1].split() == ["cut", "<x>", "▓", "100", "·", "0"]
    assert lines[2].split() == ["words", "·", "0", "–"]
    assert "window, cut <x>: 100 of 200 wrong: lost 90, twice 10" in lines


def test_no_rows_are_an_empty_map():
    assert "kind of input" in heatmap_html([])
    assert heatmap_text([]).startswith("kind of input")


def test_messages_of_a_race_are_those_of_its_traces(cut):
    assert [message.token for message in cut.messages] == [msg.next_token for msg in messages_of(CUT)]
