"""The message log as a picture and as text."""

import re

import pytest

from minisgl_tok.demo import Event
from minisgl_tok.show.timeline import named, rows, sums, timeline_html, timeline_text

LOG = [
    Event(5.0, "client", "tokenizer", "TokenizeMsg", [1]),
    Event(5.001, "tokenizer", "scheduler", "UserMsg", [1, 2]),
    Event(5.002, "scheduler", "tokenizer", "DetokenizeMsg", [1, 2, 1]),
    Event(5.003, "tokenizer", "client", "UserReply", [1]),
]


def test_each_frame_is_a_line_with_its_way_and_its_size():
    assert timeline_text(LOG).splitlines()[:4] == [
        "  1  client ▶ tokenizer    TokenizeMsg  uid 1",
        "  2  tokenizer ▶ scheduler UserMsg × 2  uid 1, 2",
        "  3  scheduler ▶ tokenizer DetokenizeMsg × 3  uid 1, 2",
        "  4  tokenizer ▶ client    UserReply  uid 1",
    ]


def test_times_are_shown_only_when_asked_for():
    assert "2.0 ms" in timeline_text(LOG, times=True)
    assert "2.0" not in timeline_text(LOG) and "2.0" not in timeline_html(LOG)
    assert timeline_html(LOG) == timeline_html([event._replace(time=event.time * 2) for event in LOG])


def test_the_picture_says_in_words_and_signs_what_its_lines_say():
    html = timeline_html(LOG)
    for words in ("UserMsg × 2", "▪▪▪", "TokenizeMsg ▶", "◀ UserReply", "uid 1, 2"):
        assert words in html


@pytest.mark.parametrize(
    "lanes", [("client", "tokenizer", "scheduler"), ("scheduler", "client", "tokenizer")]
)
def test_every_row_of_the_picture_has_the_same_width(lanes):
    table = re.search(r'<table class="timeline">.*?</table>', timeline_html(LOG, lanes=lanes)).group()
    widths = set()
    for row in re.findall(r"<tr>.*?</tr>", table):
        cells = re.findall(r"<t[dh]([^>]*)>", row)
        spans = [re.search(r'colspan="(\d+)"', cell) for cell in cells]
        widths.add(sum(int(span.group(1)) if span else 1 for span in spans))
    assert len(widths) == 1


def test_a_long_log_keeps_its_beginning_and_its_end():
    log = [Event(float(n), "client", "tokenizer", "AbortMsg", [n]) for n in range(100)]
    drawn = rows(log, shown=40)
    assert [row.left_out for row in drawn if row.left_out] == [60]
    assert (drawn[0].number, drawn[-1].number, len(drawn)) == (1, 100, 41)
    assert "60 frames more" in timeline_text(log) and "60 frames more" in timeline_html(log)


def test_sums_count_frames_and_messages():
    assert sums(LOG)[2] == ("DetokenizeMsg", 1, 3, 3)


def test_messages_without_a_uid_name_none():
    assert named([-1]) == ""


def test_an_unknown_process_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="no lane for 'router': there are client"):
        timeline_text([Event(0.0, "client", "router", "AbortMsg", [1])])


def test_an_empty_log_is_an_empty_picture():
    assert timeline_text([]) == ""
    assert "timeline" in timeline_html([])
