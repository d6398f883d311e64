"""Recording what others write: readers, who may write anything, and the later chapters' managers."""

import pytest

from minisgl_tok import DetokenizeManager, DetokenizeMsg, load_tokenizer
from minisgl_tok.show import PieceTokenizer, html, messages_of, record


class Raises(DetokenizeManager):
    def advance(self, status, read_text, surr_text):
        raise ZeroDivisionError("mine")


class ReturnsNone(DetokenizeManager):
    def detokenize(self, msgs):
        return None


class NoText(DetokenizeManager):
    def advance(self, status, read_text, surr_text):
        return None


class Corrupts(DetokenizeManager):
    def advance(self, status, read_text, surr_text):
        status.surr_offset, status.read_offset, status.sent_offset = "seven", None, -3
        status.decoded_ids = None
        return read_text


class Unspeakable(DetokenizeManager):
    def detokenize(self, msgs):
        class Odd(Exception):
            def __str__(self):
                raise RuntimeError

        raise Odd


class WrongWindows(DetokenizeManager):
    def windows(self, status):
        return None


def cannot_be_made(tokenizer):
    raise OSError("no manager today")


@pytest.mark.parametrize(
    ("manager", "at", "says"),
    [
        (Raises, 0, "ZeroDivisionError: mine"),
        (ReturnsNone, 0, "returned None"),
        (NoText, 0, "no list of 1 text"),
        (Corrupts, 1, "Error"),
        (Unspeakable, 0, "Odd"),
        (WrongWindows, 0, "TypeError"),
        (cannot_be_made, 0, "no manager today"),
        (42, 0, "neither detokenize nor push"),
        (object, 0, "TypeError"),
    ],
)
def test_what_a_reader_may_write_is_recorded_never_raised(manager, at, says):
    trace = record(PieceTokenizer([b"a", b"b", b"c"]), manager, messages_of(range(3)))
    assert len(trace.steps) == at + 1
    assert says in trace.steps[at].error
    assert len(trace.messages) == 3


def test_an_object_is_not_touched_by_a_recording():
    tokenizer = PieceTokenizer([b"a", b"b"])
    manager = DetokenizeManager(tokenizer)
    manager.detokenize([DetokenizeMsg(5, 0, False)])
    assert record(tokenizer, manager, messages_of([0, 1])).first_fault() is None
    assert list(manager.decode_map) == [5]


def test_ids_that_a_tokenizer_refuses_do_not_break_a_recording():
    trace = record(load_tokenizer("qwen3"), DetokenizeManager, messages_of([9707, -1, 10**9]))
    assert trace.steps[1].error.startswith("OverflowError")
    beyond = record(load_tokenizer("qwen3"), DetokenizeManager, messages_of([9707, 999_999, 1879]))
    assert beyond.first_fault() is None


def later_managers():
    from minisgl_tok.show.stepper import default_managers

    return {name: one for name, one in default_managers().items() if name in ("safe window", "exact")}


@pytest.mark.parametrize("name", later_managers())
@pytest.mark.parametrize("tokenizer", ["qwen3", "toy"])
def test_the_later_managers_have_no_fault_where_the_window_has(name, tokenizer):
    chosen = load_tokenizer(tokenizer)
    manager = later_managers()[name]
    for ids in ([50102, 176, 87], [3490, 72496, 44680, 7492, 87], [9707, 151643]):
        assert record(chosen, manager, messages_of([id_ % len(chosen) for id_ in ids])).first_fault() is None
    used = manager(chosen)
    for _ in range(2):  # an object may be replayed, though its requests have ended
        trace = record(chosen, used, messages_of(chosen("鱻 ok", add_special_tokens=False).input_ids))
        assert trace.first_fault() is None
        assert "".join(step.delta for step in trace.steps) == "鱻 ok"
        used.detokenize([DetokenizeMsg(1, 40, True)])


def test_a_manager_that_cuts_off_old_ids_keeps_its_place_in_the_picture():
    class Forgetful(DetokenizeManager):
        def advance(self, status, read_text, surr_text):
            delta = super().advance(status, read_text, surr_text)
            if status.surr_offset > 3:
                del status.decoded_ids[: status.surr_offset]
                status.sent_offset -= len(status.decoded_str)
                status.read_offset, status.surr_offset, status.decoded_str = (
                    status.read_offset - status.surr_offset,
                    0,
                    "",
                )
            return delta

    trace = record(PieceTokenizer([b" a"] * 12), Forgetful, messages_of(range(12)))
    assert trace.first_fault() is None
    assert [step.cut for step in trace.steps] == [0, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8]
    for n in range(1, 12):
        assert (trace.steps[n].windows.read_text, trace.steps[n].windows.surr_text) == (" a a", " a")
        assert html.draw(trace, n, style=False).count("t context") == 1
