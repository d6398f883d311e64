"""The commands that measure, and the README that quotes what they saved."""

from __future__ import annotations

import json

import pytest

from benchmarks import detokenize, quote, report, tokenize

RESULTS = {name: report.RESULTS / f"{name}.json" for name in ("detokenize", "tokenize", "conformance")}


def test_the_speed_command_measures_everyone_on_every_kind_and_saves_it(tmp_path, capsys):
    file = tmp_path / "speed.json"
    assert detokenize.main(["--quick", "--tokenizers", "toy", "--out", str(file)]) == 0
    saved = json.loads(file.read_text("utf-8"))
    whos = set(detokenize.contenders())
    assert {row["who"] for row in saved["speed"]} == whos
    assert len(saved["speed"]) == len(whos) * 2 * 4
    assert all(row["us"] > 0 for row in saved["speed"])
    assert {row["who"] for row in saved["growth"]} == whos - {detokenize.FLOOR}
    assert saved["state_bytes"]["toy"] < 300
    printed = capsys.readouterr().out
    assert "ids never complete" in printed and "Goals" in printed


def test_the_tokenizing_command_finds_the_same_ids_and_saves_the_ratios(tmp_path, capsys):
    file = tmp_path / "tokenize.json"
    assert tokenize.main(["--quick", "--out", str(file)]) == 0
    saved = json.loads(file.read_text("utf-8"))
    assert {row["work"] for row in saved["rows"]} == set(tokenize.WORK)
    assert all(row["same_ids"] and row["ratio"] > 0 for row in saved["rows"])
    assert "times faster" in capsys.readouterr().out


@pytest.mark.parametrize("name", RESULTS)
def test_saved_results_name_no_machine_and_no_path(name):
    text = RESULTS[name].read_text("utf-8")
    assert "/" not in text.replace("U+FFFD", "")
    assert set(json.loads(text).get("machine", {}) if name != "conformance" else {}) <= {
        "cpus", "system", "python", *report.LIBRARIES,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["detokenize", "tokenize"])
def test_the_goals_stand_in_the_saved_results(name):
    saved = json.loads(RESULTS[name].read_text("utf-8"))
    missed = [goal for goal in saved["goals"] if not goal["met"]]
    assert saved["goals"] and not missed


def test_the_goals_are_what_the_saved_figures_say():
    saved = json.loads(RESULTS["detokenize"].read_text("utf-8"))
    assert detokenize.goals(saved) == saved["goals"]
    assert len(saved["goals"]) == 8
    saved = json.loads(RESULTS["tokenize"].read_text("utf-8"))
    assert tokenize.goals(saved["rows"]) == saved["goals"]


def test_the_quote_shows_every_figure_of_the_exact_manager():
    saved = json.loads(RESULTS["detokenize"].read_text("utf-8"))
    text = quote.text()
    for batch in saved["batches"]:
        us = detokenize.mean_us(saved["speed"], detokenize.EXACT, "qwen3", batch)
        assert f" {quote.number(us)} |" in text


def test_the_quote_replaces_only_what_stands_between_the_markers():
    page = f"# Title\n\n{quote.BEGIN}\nold\n{quote.END}\n\nEnd\n"
    new = quote.quoted(page)
    assert new.startswith("# Title\n\n") and new.endswith(f"\n{quote.END}\n\nEnd\n")
    assert "old" not in new
    assert quote.quoted(new) == new


@pytest.mark.parametrize(
    "page", ["", quote.BEGIN, f"{quote.END}{quote.BEGIN}", f"{quote.BEGIN}{quote.END}{quote.END}"]
)
def test_a_page_without_its_two_markers_is_refused(page):
    with pytest.raises(ValueError, match="speed:begin"):
        quote.quoted(page)


def test_the_readme_quotes_the_saved_results():
    page = quote.README.read_text("utf-8")
    if quote.BEGIN not in page:
        pytest.skip("the README has no markers")
    assert quote.quoted(page) == page
