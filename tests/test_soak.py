"""The soak's judge: it must notice every way in which a request can end wrongly."""

from random import Random

import pytest

from benchmarks.stories import Request, Stories

STORIES = Stories("qwen3", Random(1))
HELLO, WORLD, END = 9707, 1879, 151645


def request(text, end, matched=None, **options):
    made = Request(1, [HELLO, WORLD, END], options.pop("stops", []), sent=options.pop("sent", 3), **options)
    made.text, made.end, made.matched = [text], end, matched
    return made


@pytest.mark.parametrize(
    "good",
    [
        request("Hello world", "stop"),
        request("Hello ", "stop", "wor", stops=["wor", "ld"]),
        request("Hello", "abort", aborted=True, sent=1),
        request("Hello", "error", steady=False, sent=1),
        request("", "time-out", steady=False),
        request("", "error", bad=True),
    ],
)
def test_a_right_ending_is_right(good):
    assert STORIES.judge(good) == ""


@pytest.mark.parametrize(
    "bad",
    [
        request("Hello", "stop"),
        request("Hello world", "length"),
        request("Hello world", "stop", stops=["wor"]),
        request("Hello ", "stop", "ld", stops=["wor", "ld"]),
        request("Hello", "abort", sent=1),
        request("Hello world", "abort", aborted=True, sent=1),
        request("hello", "error", steady=False, sent=1),
        request("Hello", "error", sent=1),
        request("", "time-out"),
        request("Hello world", "stop", bad=True),
    ],
)
def test_a_wrong_ending_is_noticed(bad):
    assert STORIES.judge(bad) != ""


def test_stories_are_of_all_kinds():
    invented = [STORIES.invent(uid) for uid in range(500)]
    assert any(r.bad for r in invented) and any(r.stops for r in invented)
    assert any(r.abort_at is not None for r in invented)
    assert any(max(r.tokens) >= STORIES.size for r in invented)
