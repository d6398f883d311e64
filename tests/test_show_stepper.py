"""The stepper's widgets, driven by their values and clicks as a browser would."""

import html as escaping

import pytest

from minisgl_tok import DetokenizeManager, DetokenizeMsg, WholeDetokenizer, load_tokenizer
from minisgl_tok.show import PieceTokenizer, stepper
from minisgl_tok.show.player import SURPRISES


def seen(player):
    return escaping.unescape(player.view.value)


def test_it_opens_at_the_first_message_or_where_it_is_told():
    assert stepper().count.value == "message 1 of 14"
    assert stepper(at=10).count.value == "message 10 of 14"
    assert stepper(at=99).count.value == "message 14 of 14"


def test_buttons_slider_and_play_move_the_picture():
    player = stepper()
    player.next.click()
    player.next.click()
    assert player.count.value == "message 3 of 14"
    player.previous.click()
    assert player.count.value == "message 2 of 14"
    player.slider.value = 10
    assert "46602" in seen(player) and "holds 2 bytes" in seen(player)
    player.play.value = 11
    assert (player.slider.value, player.count.value) == (11, "message 11 of 14")
    player.first.click()
    player.previous.click()
    assert player.count.value == "message 1 of 14"


def test_the_picture_has_the_offsets_of_the_trace():
    player = stepper(at=10)
    step = player.picture.trace.steps[9]
    assert f"surr {step.before.surr}" in seen(player)
    assert f"{step.before.sent} → {step.after.sent}" in seen(player)


def test_own_text_starts_at_its_first_message():
    player = stepper(at=10)
    player.text.value = "a 推"
    assert player.count.value == "message 1 of 3"
    assert player.play.max == 3


@pytest.mark.parametrize("own", ["", " ", "\n", "😀", "<script>", "\ud800", "a\x00b", "e\u0301" * 3])
@pytest.mark.parametrize("tokenizer", ["qwen3", "toy"])
def test_any_text_can_be_typed(own, tokenizer):
    player = stepper("x", tokenizer)
    player.text.value = own
    assert "✗" not in seen(player) or "lost" in seen(player)
    assert "<script>" not in player.view.value
    assert player._repr_mimebundle_()["text/html"]


def test_surprises_go_round_and_really_split():
    player = stepper("plain")
    shown = []
    for _ in range(len(SURPRISES) + 1):
        player.surprise.click()
        shown.append(player.text.value)
        assert any(step.open for step in player.picture.trace.steps), player.text.value
        assert player.picture.trace.first_fault() is None
    assert shown == [*SURPRISES, SURPRISES[0]]


def test_tokenizer_and_manager_can_be_changed():
    player = stepper("Hello 鱻")
    player.tokenizer.value = "toy"
    assert player.picture.trace.strips_first_space
    player.manager.value = "decode everything"
    assert player.picture.trace.manager == "WholeDetokenizer"


def test_managers_of_ones_own_by_name():
    player = stepper(manager={"yours": DetokenizeManager, "theirs": WholeDetokenizer})
    assert list(player.manager.options) == ["yours", "theirs"]
    with pytest.raises(ValueError, match="empty dict"):
        stepper(manager={})


def test_one_manager_object_has_no_menu_and_is_not_used_up():
    tokenizer = load_tokenizer("qwen3")
    player = stepper("鱻 ok", tokenizer, DetokenizeManager(tokenizer))
    player.text.value = "鱻 ok again"
    assert player.picture.trace.first_fault() is None


def test_ids_messages_drains_and_made_up_pieces_can_be_replayed():
    pieces = {5: b"ok \xf0\x9f", 6: b"\x99\x82"}
    player = stepper(ids=[5, 6], pieces=pieces, at=2)
    assert "🙂" in seen(player)
    assert player.text not in player.box.children[1].children
    msgs = [DetokenizeMsg(4, 5, False), [DetokenizeMsg(4, 6, True)]]
    assert stepper(ids=msgs, tokenizer=PieceTokenizer(pieces)).picture.trace.uids == [4]


def test_several_requests_can_be_watched_together_or_one_alone():
    player = stepper(requests={1: "鱻 ok", 2: [102042, 21887]})
    assert player.count.value == "message 1 of 5"
    player.request.value = 2
    assert player.play.max == 2
    player.next.click()
    assert player.count.value == "message 4 of 5"
    player.request.value = None
    assert player.play.max == 5


def test_a_manager_that_raises_is_shown_at_its_message():
    class Mine(DetokenizeManager):
        def advance(self, status, read_text, surr_text):
            if read_text.endswith("ok"):
                raise LookupError("not <yet>")
            return super().advance(status, read_text, surr_text)

    player = stepper("鱻 ok then", manager=Mine, at=3)
    assert "LookupError: not <yet>" in seen(player)
    assert "<yet>" not in player.view.value
    player.next.click()
    assert "ended at message 3" in seen(player)


def test_an_exception_in_a_callback_is_shown_in_the_widget():
    player = stepper("ok", tokenizer=PieceTokenizer([b"a"]))  # it decodes, but cannot encode
    assert "TypeError" in seen(player)
    player.tokenizer.value = "qwen3"
    assert "TypeError" not in seen(player)


def test_the_text_twin_is_one_button_away():
    player = stepper(at=10)
    player.as_text.value = True
    assert "ids[8:9] decodes to" in seen(player)


def test_rich_display_is_the_widget_with_a_film_and_a_stable_text():
    first, second = (stepper(at=10)._repr_mimebundle_() for _ in range(2))
    assert first["application/vnd.jupyter.widget-view+json"]
    for kind in ("text/html", "text/plain"):
        assert first[kind] == second[kind]
    assert "model_id" not in first["text/html"]
    assert "0x" not in first["text/plain"] and "46602" in first["text/plain"]


def test_every_control_says_what_it_does():
    player = stepper()
    for control in (
        player.first,
        player.previous,
        player.next,
        player.play,
        player.slider,
        player.text,
        player.surprise,
    ):
        assert control.tooltip
