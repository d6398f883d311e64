"""What was expected beside what was given."""

from html.parser import HTMLParser

import pytest

from minisgl_tok.show import compare_html, compare_text


def nested(page):
    """Fails where tags do not nest."""
    parser, open_ = HTMLParser(), []
    parser.handle_starttag = lambda tag, attrs: open_.append(tag)
    parser.handle_endtag = lambda tag: open_.pop() if open_[-1] == tag else pytest.fail(tag)
    parser.feed(page)
    assert open_ == []


WANT = [
    {"token": 100024, "bytes": "e9 b1", "offsets": (0, 0, 0), "delta": ""},
    {"token": 119, "bytes": "bb", "offsets": (0, 2, 1), "delta": "鱻"},
    {"token": 5394, "bytes": "20 6f 6b", "offsets": (2, 3, 4), "delta": " ok"},
]
GIVEN = [
    {"token": 100024, "bytes": "e9 b1", "offsets": (0, 1, 1), "delta": "�"},
    {"token": 119, "bytes": "bb", "offsets": (0, 1, 1), "delta": ""},
    {"token": 5394, "bytes": "20 6f 6b", "offsets": (1, 3, 4), "delta": " ok"},
]


def test_what_differs_is_marked_cell_by_cell():
    page = compare_html(WANT, GIVEN)
    rows = page.split("<tr")[2:]
    assert [row.count('class="bad"') for row in rows] == [3, 2, 1]
    assert "nothing" in rows[1] and "▸1" in rows[0]
    nested(page)


def test_equal_rows_have_no_mark_and_no_first():
    page = compare_html(WANT, WANT)
    assert 'class="bad"' not in page and "▸" not in page
    assert "≠" not in compare_text(WANT, WANT)


def test_the_terminal_table_marks_with_signs():
    lines = compare_text(WANT, GIVEN, first=1).splitlines()
    assert lines[2].startswith("▸")
    assert lines[1].count("≠") == 2 and lines[2].count("≠") == 2 and lines[3].count("≠") == 1
    assert "␣ok" in lines[3]


@pytest.mark.parametrize(
    "given_rows", [[], WANT[:1], [*WANT, *WANT], [{"offsets": "x", "delta": None}], [{"delta": 7}], [{}]]
)
def test_any_answer_can_stand_beside_the_expected_one(given_rows):
    nested(compare_html(WANT, given_rows))
    assert compare_text(WANT, given_rows)
    nested(compare_html(given_rows, WANT))


def test_an_answer_without_offsets_shows_none():
    rows = [{"token": 1, "bytes": b"a", "offsets": None, "delta": "<a>"}]
    page = compare_html(rows, rows, style=False)
    assert "surr" not in page and "&lt;a&gt;" in page
