"""The small pictures: the conveyor, the fuse, one request in two processes, what context is for."""

from importlib import import_module

import pytest

from minisgl_tok import load_tokenizer

# The package's names are the pictures; these are their modules.
context, conveyor, fuse, halves = (
    import_module(f"minisgl_tok.show.{name}") for name in ("context", "conveyor", "fuse", "halves")
)
QWEN3, TOY = load_tokenizer("qwen3"), load_tokenizer("toy")


# ------------------------------------------------------------------ the conveyor


def test_a_drain_takes_what_has_arrived_and_the_gate_closes_between_frames():
    drains = conveyor.run([(0, 1), (0, 2), (0, 3), (0, 1), (20, 1)], local_bs=3)
    assert [(d.frames, d.left, d.waited) for d in drains] == [
        ((1, 2), (3, 1), 0),
        ((3,), (1,), 0),
        ((1,), (), 0),
        ((1,), (), 14),
    ]
    lines = conveyor.as_text(drains, 3).splitlines()
    assert lines[0].startswith("drain 1, tick 0: [●][●●] ‖ [●●●][●]")
    assert "the gate closes at 3" in lines[0] and "waits 14 ticks" in lines[3]
    page = conveyor.draw(drains, 3)
    assert page.count("frame late") == 3 and "<style>" in page


def test_a_drain_of_ones_own_that_is_wrong_is_said_not_raised():
    def one_frame(queue, local_bs):
        queue.get()
        return []

    def never_takes(queue, local_bs):
        return []

    drains = conveyor.run([(0, 2), (0, 1)], 8, drain=one_frame)
    assert "2 of them never came out" in conveyor.as_text(drains, 8)
    assert "it did not look further" in conveyor.as_text(drains, 8)
    assert len(conveyor.run([(0, 1)], 8, drain=never_takes)) == 3
    broken = conveyor.run([(0, 1)], 8, drain=lambda queue, n: 1 / 0)
    assert "ZeroDivisionError" in conveyor.draw(broken, 8) and "ZeroDivisionError" in conveyor.as_text(
        broken, 8
    )
    waiting = conveyor.run([(0, 1)], 8, drain=lambda queue, n: [queue.get(), queue.get()])
    assert "no frame will ever come" in conveyor.as_text(waiting, 8)


# ------------------------------------------------------------------ the fuse


def test_a_fuse_burns_goes_out_and_ends_the_answer():
    stops = ["</s>"]
    sparks = fuse.run(["so <", "/b", " </", "s> and", "more"], stops)
    assert [spark.state for spark in sparks] == ["burns", "goes out", "burns", "stop", "ended"]
    assert [spark.held for spark in sparks] == ["<", "", "</", "", ""]
    page, lines = fuse.draw(sparks, stops), fuse.as_text(sparks, stops)
    assert "</s>" not in page and page.count('class="burn"') == 2
    for said in ("may become “</s>”", "the fuse goes out", "the fuse is through"):
        assert said in lines


def test_what_waits_leaves_at_the_end():
    sparks = fuse.run(["The ", "EN"], ["END."])
    assert [spark.left for spark in sparks] == ["The ", "EN"]


def test_stop_strings_of_ones_own_that_raise_are_shown():
    sparks = fuse.run(["a"], ["b"], make=lambda stops: 1 / 0)
    assert sparks[0].state == "error"
    assert "ZeroDivisionError: division by zero" in fuse.draw(sparks, ["b"])
    assert "ZeroDivisionError: division by zero" in fuse.as_text(sparks, ["b"])


# ------------------------------------------------------------------ two processes


def test_half_an_emoji_in_each_process_is_no_emoji():
    ids = QWEN3("🦩 ok").input_ids
    apart = halves.run(QWEN3, ids, route=lambda k: k % 2)
    together = halves.run(QWEN3, ids, route=lambda k: 1)
    assert apart.joined != apart.right == together.joined == together.right == "🦩 ok"
    assert "should have “🦩␣ok”" in halves.as_text(apart) and "✗" in halves.draw(apart)
    assert "✓" in halves.as_text(together) and "✓" in halves.draw(together)


def test_a_route_to_no_process_is_refused():
    with pytest.raises(ValueError, match="routed to process 2; there are 0 to 1"):
        halves.run(QWEN3, [1], route=lambda k: 2)


# ------------------------------------------------------------------ context


def test_sentencepiece_loses_its_space_without_context_and_qwen3_loses_nothing():
    toy = TOY("Hello world", add_special_tokens=False).input_ids
    assert [r.new_text for r in context.run(TOY, toy, 1)] == [" world", "world"]
    assert "without it is “world”" in context.as_text(context.run(TOY, toy, 1), toy)
    assert context.draw(context.run(TOY, toy, 1), toy).count('class="w context"') == 1
    ids = QWEN3("Hello world").input_ids
    assert "needs no context here" in context.as_text(context.run(QWEN3, ids, 1), ids)


@pytest.mark.parametrize("read", [0, 2])
def test_context_needs_an_id_before_and_one_to_read(read):
    with pytest.raises(ValueError, match="read is 1 to 1"):
        context.run(QWEN3, [1, 2], read)
