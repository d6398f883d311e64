"""Tokenizers apart from the detokenizer: openings, and what overtakes them."""

from talk import HELLO, WORLD, Talk, prompt

from minisgl_tok.messages import (
    AbortBackendMsg,
    AbortMsg,
    DetokenizeMsg,
    OpenMsg,
    UserReply,
)


def apart(**options):
    talk = Talk(extended=True, role="detokenizer", needs_opening=True, patience=1.0, **options)
    talk.now = 0.0
    talk.worker.ledger.clock = lambda: talk.now
    return talk


def test_a_tokenizer_announces_what_it_sends_and_forgets_it():
    talk = Talk(role="tokenizer")
    talk(prompt(1, stop=["x"], ignore_eos=True), prompt(2, []), AbortMsg(3))
    assert talk.detokenizer == [OpenMsg(1, ["x"], True), AbortMsg(3)]
    assert [msg.uid for msg in talk.backend] == [1, 3]
    assert talk.replies == [UserReply(2, "", True)]
    assert talk.worker.summary()["open"] == 0


def test_a_token_that_overtakes_its_opening_waits():
    talk = apart()
    assert talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, WORLD, True)) == ([], [])
    talk.now = 0.9
    talk(OpenMsg(1, ["world"]))
    assert (talk.text(1), talk.replies[-1].matched_stop) == ("Hello ", "world")
    assert not talk.worker.is_waiting()


def test_a_token_whose_opening_never_comes_ends_with_an_error():
    talk = apart()
    talk(DetokenizeMsg(1, HELLO, False))
    talk.now = 1.1
    replies, backend = talk()
    assert ([r.finish_reason for r in replies], backend) == (["error"], [AbortBackendMsg(1)])
    assert talk(DetokenizeMsg(1, WORLD, True)) == ([], [])


def test_tokens_that_wait_are_bounded():
    talk = apart()
    for uid in range(5_000):
        talk(DetokenizeMsg(uid, HELLO, False))
    assert sum(map(len, talk.worker.ledger.waiting.values())) <= 4_096
    assert talk.ends(0) == ["error"]


def test_an_abort_that_overtakes_its_opening_stops_the_scheduler():
    talk = apart()
    assert talk(AbortMsg(1)) == ([], [])
    assert talk(OpenMsg(1))[1] == [AbortBackendMsg(1)]
    assert talk.ends(1) == ["abort"]
    assert talk(DetokenizeMsg(1, HELLO, False)) == ([], [AbortBackendMsg(1)])
    assert talk(DetokenizeMsg(1, HELLO, False)) == ([], [])


def test_an_abort_between_early_tokens_and_their_opening_ends_the_request_once():
    talk = apart()
    talk(DetokenizeMsg(1, HELLO, False))
    talk(AbortMsg(1))
    assert talk(OpenMsg(1))[1] == [AbortBackendMsg(1)]
    talk(DetokenizeMsg(1, WORLD, True))
    assert (talk.ends(1), talk.text(1)) == (["abort"], "")
    assert talk.worker.summary()["open"] == 0


def test_an_early_abort_is_not_remembered_for_ever():
    talk = apart()
    talk(AbortMsg(1))
    talk.now = 60.0
    talk(OpenMsg(1), DetokenizeMsg(1, HELLO, True))
    assert (talk.text(1), talk.ends(1)) == ("Hello", ["length"])
