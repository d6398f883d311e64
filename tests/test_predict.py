"""Predictions and explanations: kept, shown beside the truth, never in the way."""

from __future__ import annotations

import re

import pytest

from practice.desk.chapters import notebooks
from practice.engine import answers
from practice.lesson import predict
from practice.lesson.predictions import POINTS, PREDICTIONS
from practice.lesson.view import WIDGET

TRUTHS = {
    "p0": ["鱻", "🦩"],
    "p2": ["two U+FFFD"],
    "p3": ["8 · 9 · 13"],
    "p3rows": ["0 · 0 · 0", "0 · 2 · 1", "2 · 4 · 2"],
    "p3kana": ["after almost none (less than a tenth)"],
}


@pytest.mark.parametrize("id_", sorted(TRUTHS))
def test_the_truth_is_what_the_reference_does(id_: str) -> None:
    assert PREDICTIONS[id_].truth() == TRUTHS[id_]


@pytest.mark.parametrize("id_", sorted(PREDICTIONS))
def test_a_truth_can_be_predicted(id_: str) -> None:
    asked = PREDICTIONS[id_]
    truth = asked.truth()
    assert bool(asked.choices) != bool(asked.blanks)
    assert set(truth) <= set(asked.choices) if asked.choices else len(truth) == len(asked.blanks)
    assert asked.several or asked.blanks or len(truth) == 1


@pytest.mark.parametrize("id_", sorted(PREDICTIONS))
def test_its_page_is_the_same_each_time_and_gives_nothing_away(id_: str) -> None:
    one, other = predict.predict(id_), predict.predict(id_)
    assert (one.text, one.html) == (other.text, other.html)
    assert PREDICTIONS[id_].why not in one.html + one.text


def click(view, label: str) -> None:
    """Presses the button of that label."""
    [found] = [child for child in view.widget.children if getattr(child, "description", "") == label]
    found.click()


def test_a_choice_is_kept_and_shown_beside_the_truth() -> None:
    view = predict.predict("p3")
    view.widget.children[1].value = "9 · 10 · 13"
    click(view, "keep my prediction")
    shown = predict.predicted("p3")
    assert "you said: 9 · 10 · 13" in shown.text
    assert "so it is: 8 · 9 · 13" in shown.text
    assert "✗ not as you said" in shown.text


def test_several_choices_are_right_only_all_together() -> None:
    view = predict.predict("p0")
    boxes = {box.description: box for box in view.widget.children[1:6]}
    boxes["鱻"].value = True
    click(view, "keep my prediction")
    assert "✗" in predict.predicted("p0").text
    boxes["🦩"].value = True
    click(view, "keep my prediction")
    assert "✓ as you said" in predict.predicted("p0").text


@pytest.mark.parametrize("typed", ["0 · 0 · 0", "0,0,0", "surr 0 read 0 sent 0"])
def test_typed_numbers_count_however_they_are_written(typed: str) -> None:
    view = predict.predict("p3rows")
    for field, value in zip(
        view.widget.children[1:4], [typed, "0 2 1", "2-4-2".replace("-", " ")], strict=True
    ):
        field.value = value
    click(view, "keep my prediction")
    assert "✓ as you said" in predict.predicted("p3rows").text


def test_nothing_chosen_keeps_nothing() -> None:
    view = predict.predict("p3")
    click(view, "keep my prediction")
    assert "Nothing chosen yet" in view.widget.children[-1].value
    assert answers.load_state().predictions == {}
    assert "you made no prediction" in predict.predicted("p3").text


def test_an_earlier_prediction_stands_in_the_form_again() -> None:
    view = predict.predict("p3")
    view.widget.children[1].value = "8 · 9 · 13"
    click(view, "keep my prediction")
    assert predict.predict("p3").widget.children[1].value == "8 · 9 · 13"


def test_an_unknown_prediction_names_those_that_there_are() -> None:
    with pytest.raises(KeyError, match="p3rows"):
        predict.predict("p99")


def test_a_failure_of_a_button_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    view = predict.predict("p3")
    view.widget.children[1].value = "8 · 9 · 13"
    monkeypatch.setattr(answers, "changing", lambda: 1 / 0)
    click(view, "keep my prediction")
    assert "ZeroDivisionError" in view.widget.children[-1].value


def test_the_notebooks_ask_only_known_predictions() -> None:
    for path in notebooks():
        asked = re.findall(r"judge\.predict(?:ed)?\(\\?[\"']([^\"'\\]+)", path.read_text("utf-8"))
        assert set(asked) <= set(PREDICTIONS), path.name


# ------------------------------------------------------------------ %%explain

THREE = "Bytes are not text.\nThe window decodes twice. What is new is the difference."


@pytest.mark.parametrize("empty", ["", "\n\n", "…\n…\n…", "...\n...\n...", "# three sentences\n…"])
def test_an_untouched_cell_is_not_written_yet_and_saves_nothing(empty: str) -> None:
    view = predict.explain("03", empty)
    assert view.text.startswith("Not written yet")
    assert answers.load_state().explanations == {}
    assert POINTS["03"][0] not in view.html


def test_three_sentences_are_saved_and_four_points_appear() -> None:
    view = predict.explain("03", THREE)
    assert answers.load_state().explanations["03"] == THREE
    assert view.html.count("<details>") == len(POINTS["03"]) == 4
    assert " of 3" not in view.text


def test_fewer_sentences_are_saved_too_and_counted() -> None:
    assert "1 of 3 sentences" in predict.explain("03", "Bytes are not text.").text


def test_ticks_are_kept() -> None:
    ticks = [row.children[0] for row in predict.explain("03", THREE).widget.children[1:5]]
    ticks[1].value = True
    ticks[3].value = True
    ticks[1].value = False
    again = [row.children[0].value for row in predict.explain("03", THREE).widget.children[1:5]]
    assert again == [False, False, False, True]


def test_a_chapter_without_points_names_those_with() -> None:
    with pytest.raises(KeyError, match="03"):
        predict.explain("99", THREE)


def test_a_view_has_its_text_and_its_page_beside_the_widget() -> None:
    assert predict.predict("p3")._repr_mimebundle_().keys() == {"text/plain", "text/html", WIDGET}
