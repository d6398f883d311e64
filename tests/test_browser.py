"""A reader at work in JupyterLab, in a real browser: types, judges, steps, asks, replays.

Pictures are kept in artifacts/. Without a Chromium the tests are skipped, unless
REQUIRE_BROWSER=1 says that there must be one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import small_notebook

from practice.exercise import load

ROOT = Path(__file__).resolve().parent.parent
ARTIFACTS = ROOT / "artifacts"
TEXT = "鱻䨻🦩 is rare, 推理 naïve"
CELLS = [
    'from practice import judge\nfrom minisgl_tok.show import stepper\n\njudge.start("03")',
    "%%answer d3",
    f'stepper("{TEXT}", manager=judge.reference.DetokenizeManager)',
    'judge.predict("p3")',
]
ANSWER, STEPPER = 2, 3  # a cell with the statement stands before the answer's


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from lab import Lab, chromium

    from notebooks import store

    required = os.environ.get("REQUIRE_BROWSER") == "1"
    if chromium() is None and not required:
        print("browser tests skipped: no chromium on the PATH", file=sys.stderr)
        pytest.skip("no chromium on the PATH; REQUIRE_BROWSER=1 makes this a failure")
    folder = tmp_path_factory.mktemp("lab")
    (folder / "answers").mkdir()
    path = small_notebook.write(folder / "03_small.ipynb", CELLS)
    store(path)
    ARTIFACTS.mkdir(exist_ok=True)
    with Lab(folder, answers=folder / "answers") as lab:
        yield lab


@pytest.fixture(scope="module")
def page(lab: Any) -> Any:
    return lab.open("03_small.ipynb")


def output(page: Any, cell: int) -> Any:
    return page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{cell}"] .jp-Cell-outputArea')


def keep(page: Any, name: str, cell: int) -> None:
    """A picture of what is around a cell."""
    output(page, cell).scroll_into_view_if_needed()
    page.screenshot(path=ARTIFACTS / f"{name}.png")


def test_a_stored_picture_is_there_before_anything_runs(page: Any) -> None:
    shown = output(page, STEPPER)
    shown.scroll_into_view_if_needed()
    assert "All messages" in shown.inner_text()
    assert "widget" not in shown.inner_text().lower()
    assert shown.locator(".jupyter-widgets").count() == 0
    keep(page, "1-nothing-runs", STEPPER)


def test_an_untouched_starter_is_not_written_yet(lab: Any, page: Any) -> None:
    lab.run_all(page)
    output(page, ANSWER).get_by_text("· not written yet").wait_for()
    keep(page, "2-not-written-yet", ANSWER)


def test_a_right_answer_typed_into_the_cell_passes(
    lab: Any, page: Any, source_of: Callable[..., str]
) -> None:
    lab.run_cell(page, ANSWER, f"%%answer d3\n{source_of('d3')}")
    output(page, ANSWER).get_by_text("✓ passed").wait_for()
    keep(page, "3-passed", ANSWER)


def test_the_keyboard_steps_through_the_offsets_that_the_trace_has(lab: Any, page: Any) -> None:
    from minisgl_tok import DetokenizeManager, load_tokenizer
    from minisgl_tok.show import messages_of, record

    tokenizer = load_tokenizer("qwen3")
    ids = tokenizer.encode(TEXT)
    trace = record(tokenizer, DetokenizeManager, messages_of(ids))
    lab.run_cell(page, STEPPER)
    shown = output(page, STEPPER)
    handle = shown.locator(".noUi-handle")
    handle.wait_for()
    handle.focus()
    for number, step in enumerate(trace.steps, 1):
        if number > 1:
            page.keyboard.press("ArrowRight")
        shown.get_by_text(f"Message {number} of {len(ids)}", exact=True).wait_for()
        assert step.after is not None
        offsets = f"{step.after.surr}·{step.after.read}·{step.after.sent}"
        row = shown.locator("table.list tr.now")
        row.get_by_text(offsets, exact=True).wait_for()
        assert str(ids[number - 1]) in row.inner_text()
        if number == 10:
            keep(page, "4-stepper", STEPPER)
    assert number == len(ids) == 14


def test_a_wrong_answer_is_shown_named_when_asked_and_replayed(
    lab: Any, page: Any, source_of: Callable[..., str]
) -> None:
    [wrong] = [wrong for wrong in load("d3").wrong if wrong.name == "moves_on_half"]
    lab.run_cell(page, ANSWER, f"%%answer d3\n{source_of('d3', 'moves_on_half')}")
    shown = output(page, ANSWER)
    shown.get_by_text("✗ wrong").wait_for()
    shown.get_by_text("Your last answer that passed stays in use.").wait_for()
    assert wrong.sentence not in shown.inner_text()
    keep(page, "5-wrong", ANSWER)
    shown.get_by_role("button", name="what is it?").click()
    shown.get_by_text(wrong.sentence).wait_for()
    shown.get_by_role("button", name="hint 1 of").click()
    shown.get_by_text(load("d3").hints[0]).wait_for()
    shown.get_by_role("button", name="replay at message 1").click()
    shown.get_by_text("Message 1 of 3", exact=True).wait_for()
    shown.get_by_text("U+FFFD was sent").wait_for()
    keep(page, "6-named-and-replayed", ANSWER)


def test_a_prediction_is_chosen_with_the_mouse_and_kept(lab: Any, page: Any) -> None:
    lab.run_cell(page, 4)
    shown = output(page, 4)
    shown.get_by_label("8 · 9 · 13").click()
    shown.get_by_role("button", name="keep my prediction").click()
    shown.get_by_text("Kept:").wait_for()
    keep(page, "7-prediction", 4)


def test_the_dark_theme_keeps_the_words_readable(lab: Any, page: Any) -> None:
    change = "() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})"
    page.evaluate(change)
    page.wait_for_selector('body[data-jp-theme-light="false"]', state="attached")
    page.wait_for_selector("#jupyterlab-splash", state="detached")
    card = output(page, ANSWER).locator(".pj").first
    text, ground = card.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    assert contrast(text, ground) > 7
    keep(page, "8-dark", ANSWER)


def contrast(one: str, other: str) -> float:
    """The contrast of two CSS colours, as WCAG counts it: 1 to 21.

    >>> round(contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)"))
    21
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
