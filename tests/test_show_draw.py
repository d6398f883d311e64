"""Drawing: deterministic, escaped, well-formed, and it says what the trace holds."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import DetokenizeManager, WholeDetokenizer, load_tokenizer
from minisgl_tok.show import (
    PieceTokenizer,
    html,
    interleave,
    messages_of,
    record,
    text,
)
from minisgl_tok.show.layout import strip
from minisgl_tok.show.visible import visible, width

SEED = "鱻䨻🦩 is rare, 推理 naïve"
VOID = {"br", "hr", "img", "input"}


class Checker(HTMLParser):
    """Raises where tags do not nest; keeps tags and text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.said = [], set(), []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert all(not name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.said.append(data)

    @property
    def words(self):
        return " ".join("".join(self.said).split())


@pytest.fixture(scope="module")
def seed():
    tokenizer = load_tokenizer("qwen3")
    return record(tokenizer, DetokenizeManager, messages_of(tokenizer(SEED).input_ids))


def trace_of(pieces, manager=DetokenizeManager):
    return record(PieceTokenizer(pieces), manager, messages_of(range(len(pieces))))


def test_the_picture_says_what_the_seeds_tenth_message_did(seed):
    page = Checker(html.draw(seed, 9)).words
    for part in (
        "Message 10 of 14",
        "46602",
        "surr 8",
        "read 9",
        "end 10",
        "ids[8:]",
        "ids[8:9]",
        "byte e6 opens a character of three bytes, two are here",
        "The window stays",
        "12 → 13",
        "two of three bytes",
        "holds 2 bytes",
    ):
        assert part in page


def test_the_text_twin_says_the_same(seed):
    lines = text.draw(seed, 9)
    for part in (
        "message 10 of 14",
        "[46602]",
        "surr 8, read 9, end 10",
        "“,␣�”",
        "12 → 13",
        "two of three bytes",
    ):
        assert part in lines
    assert "context" in lines and "new" in lines


def test_a_step_that_moves_the_window_says_from_where_to_where(seed):
    assert "surr 8 → 9, read 9 → 11" in Checker(html.draw(seed, 10)).words


def test_the_table_has_every_message_up_to_the_current_one(seed):
    page = html.table(seed, 9)
    assert page.count("<tr") == 1 + 14
    assert "▸10" in page
    assert "8·9·13" in page and "9·11·14" not in page


@pytest.mark.parametrize("draw", [html.draw, text.draw])
def test_drawing_twice_is_drawing_the_same(seed, draw):
    tokenizer = load_tokenizer("qwen3")
    again = record(tokenizer, DetokenizeManager, messages_of(tokenizer(SEED).input_ids))
    assert [draw(seed, n) for n in range(14)] == [draw(again, n) for n in range(14)]


def test_a_film_has_the_first_held_byte_the_fault_and_the_last_message():
    trace = trace_of([b"B ", "木".encode() + b"\xe2", b"\x82\xac\xc2", b"\xa3."])
    page = html.film(trace)
    assert html.key_steps(trace) == [1, 3]
    assert "had already left" in Checker(page).words
    assert not re.search(r"\bid=|0x[0-9a-f]{6,}|/home|/tmp", page)


HOSTILE = [
    "<script>alert(1)</script>",
    "</td></table>&amp;",
    '"><img src=x onerror=y>',
    "\u202etxet",
    "\x00\x1b[31m",
    "\r\n\t",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_is_never_markup_nor_control(hostile):
    trace = trace_of([hostile.encode(), b"\xe9", b"<b>"])
    for n in range(3):
        page = html.draw(trace, n)
        parsed = Checker(page)
        assert parsed.tags <= {
            "style",
            "div",
            "b",
            "span",
            "table",
            "tbody",
            "thead",
            "tr",
            "td",
            "th",
            "bdi",
            "code",
            "mark",
            "p",
            "h4",
            "br",
        }
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)
        assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text.draw(trace, n))


def test_a_managers_own_words_are_escaped_too():
    class Odd:
        def __init__(self, _):
            pass

        def detokenize(self, msgs):
            return ["\ud800<i>"] if msgs[0].next_token == 0 else 1 / 0

    trace = trace_of([b"a", b"b"], Odd)
    assert "ZeroDivisionError: division by zero" in Checker(html.draw(trace, 1)).words
    html.draw(trace, 0).encode("utf-8")
    text.draw(trace, 0).encode("utf-8")


def test_messages_behind_an_error_say_where_it_ended():
    trace = record(PieceTokenizer([b"a", b"b"]), lambda _: None, messages_of([0, 1]))
    assert "ended at message 1" in Checker(html.draw(trace, 1)).words
    assert "ended at message 1" in text.draw(trace, 1)


def test_nothing_to_stream_is_said():
    trace = record(PieceTokenizer([]), DetokenizeManager, [])
    assert "nothing to stream" in html.draw(trace, 0)
    assert "nothing to stream" in html.film(trace)
    assert "nothing to stream" in text.draw(trace, 0)


def test_a_manager_without_a_window_has_no_window_in_its_picture():
    page = html.draw(trace_of([b"\xe9\xb1", b"\xbb"], WholeDetokenizer), 0)
    assert "surr" not in Checker(page).words
    assert "byte e9 opens a character of three bytes, two are here" in Checker(page).words


def test_a_long_answer_shows_the_part_around_the_message():
    tokenizer = load_tokenizer("qwen3")
    trace = record(tokenizer, DetokenizeManager, messages_of(tokenizer("word " * 400).input_ids))
    page = html.draw(trace, 200)
    assert len(page) < 60_000
    assert "earlier tokens to the left" in page and "more to the right" in page
    assert "▸201" in page


def test_requests_are_named_where_there_are_several():
    tokenizer = load_tokenizer("qwen3")
    ids = tokenizer("推理 ok").input_ids
    trace = record(tokenizer, DetokenizeManager, interleave({3: ids, 8: ids}))
    assert "request 8" in Checker(html.draw(trace, 1)).words
    assert "request 8" in text.draw(trace, 1)


def test_a_special_token_and_an_id_outside_the_vocabulary_have_no_bytes():
    tokenizer = load_tokenizer("qwen3")
    trace = record(tokenizer, DetokenizeManager, messages_of([9707, 151645, 10**7]))
    boxes = strip(trace, 2)
    assert [cell.state for cell in boxes.cells[-2:]] == ["none", "none"]
    Checker(html.draw(trace, 1))


def test_the_stripped_space_stands_over_no_character():
    tokenizer = load_tokenizer("toy")
    trace = record(
        tokenizer, DetokenizeManager, messages_of(tokenizer("Hi", add_special_tokens=False).input_ids)
    )
    boxes = strip(trace, 0)
    assert boxes.cells[0].state == "stripped"
    assert boxes.chars[0].start == 1


@given(st.lists(st.binary(max_size=5), min_size=1, max_size=7), st.data())
@settings(max_examples=80, derandomize=True, deadline=None)
def test_any_bytes_in_any_cut_can_be_drawn(pieces, data):
    trace = trace_of(pieces)
    n = data.draw(st.integers(0, len(pieces) - 1))
    Checker(html.draw(trace, n)).words.encode("utf-8")
    assert text.draw(trace, n)
    boxes = strip(trace, n)
    spans = [(box.start, box.end) for box in boxes.chars]
    assert all(a < b for a, b in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


@given(st.text(st.characters(), max_size=20))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_visible_text_has_no_character_one_could_not_see_or_write(raw):
    shown = visible(raw)
    shown.encode("utf-8")
    assert shown.isprintable() or set(shown) & set("\u200c\u200d\ufe0e\ufe0f") or not shown.isascii()
    assert not set(shown) & set(" \n\t\r\x00\u202e\u2066")
    assert width(shown) >= 0
