"""`python -m minisgl_tok`: the table of the seed, its JSON, and its errors."""

import json
import subprocess
import sys

import pytest

from minisgl_tok.__main__ import main

SEED = "鱻䨻🦩 is rare, 推理 naïve"
IDS = [100024, 119, 128237, 119, 123918, 102, 374, 8848, 11, 46602, 101, 21887, 94880, 586]
HALF = {0, 1, 2, 3, 4, 5, 10}  # decoded alone, these are U+FFFD and nothing else
DELTAS = ["", "鱻", "", "䨻", "", "🦩", *(" is", " rare", ","), " ", *("推", "理", " naï", "ve")]
ALONE = ["�" if n in HALF else " �" if n == 9 else DELTAS[n] for n in range(14)]


def run(capsys, *args):
    status = main(list(args))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_json_has_the_figures_of_the_seed(capsys):
    status, out, err = run(capsys, SEED, "--json")
    result = json.loads(out)
    assert (status, err) == (0, "")
    for key, figures in (("id", IDS), ("alone", ALONE), ("delta", DELTAS)):
        assert [row[key] for row in result["tokens"]] == figures
    assert (result["joined"], result["equal"]) == (SEED, True)


def test_the_table_has_one_line_a_token_and_the_verdict(capsys):
    _, out, _ = run(capsys, SEED)
    lines = out.splitlines()
    assert len(lines) == 1 + len(IDS) + 1
    assert lines[2].split() == ["119", "'�'", "'鱻'"]
    assert lines[-1] == f"joined: {SEED!r}   equals the whole: yes"


@pytest.mark.parametrize("tokenizer", ["qwen3", "toy"])
def test_an_empty_text_has_no_tokens_and_is_whole(capsys, tokenizer):
    status, out, _ = run(capsys, "", "--tokenizer", tokenizer, "--json")
    assert status == 0
    assert json.loads(out) == {"tokens": [], "joined": "", "equal": True}


def test_an_end_id_at_the_end_is_no_text(capsys):
    _, out, _ = run(capsys, "hi<|im_end|>", "--json")
    assert json.loads(out)["joined"] == "hi"
    assert json.loads(out)["equal"] is True


def test_a_space_of_sentencepiece_is_kept(capsys):
    _, out, _ = run(capsys, "Hello world 推!", "--tokenizer", "toy", "--json")
    assert json.loads(out)["joined"] == "Hello world 推!"


def test_an_unknown_tokenizer_is_one_line_that_names_it(capsys, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    status, out, err = run(capsys, "x", "--tokenizer", "./nowhere")
    assert (status, out) == (2, "")
    assert "./nowhere" in err and "qwen3" in err and err.count("\n") == 1


def test_text_that_is_no_utf8_is_one_line(capsys):
    status, out, err = run(capsys, "ok\udcff")
    assert (status, out) == (2, "")
    assert "UTF-8" in err and err.count("\n") == 1


def test_as_a_command_in_a_pipe_it_is_plain(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "minisgl_tok", "推"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.splitlines()[-1] == "joined: '推'   equals the whole: yes"
