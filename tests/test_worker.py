"""A worker without sockets: drains in, frames out; one finished reply a request."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from talk import END, HELLO, MANAGERS, WORLD, Talk, prompt

from minisgl_tok.ledger import parts
from minisgl_tok.messages import (
    AbortBackendMsg,
    AbortMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    ExitMsg,
    OpenMsg,
    SamplingParams,
    TokenizeMsg,
    UserMsg,
    UserReply,
    encode,
)


@pytest.fixture(params=MANAGERS)
def talk(request):
    return Talk(detokenizer=request.param, extended=True)


def test_a_prompt_a_token_and_an_abort_are_answered_in_one_drain(talk):
    talk(prompt(1), prompt(2))
    replies, backend = talk(DetokenizeMsg(1, HELLO, False), prompt(3, "Hello world"), AbortMsg(2))
    assert [(r.uid, r.incremental_output) for r in replies] == [(1, "Hello"), (2, "")]
    assert isinstance(backend[0], UserMsg) and backend[0].input_ids.tolist() == [HELLO, WORLD]
    assert backend[1] == AbortBackendMsg(2)


def test_plain_traffic_has_no_extension_field():
    talk = Talk()
    talk(prompt(1, stop=["wor"]), prompt(2))
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, WORLD, False), DetokenizeMsg(2, -1, False))
    assert talk.replies == [
        UserReply(1, "Hello", False),
        UserReply(1, " ", True),
        UserReply(2, "", True),
    ]
    assert all(msg.sampling_params.stop is UNSET for msg in talk.backend if isinstance(msg, UserMsg))


def test_the_sampling_parameters_arrive():
    talk = Talk(extended=True)
    talk(prompt(1, temperature=0.5, max_tokens=3, stop=["x"]))
    assert talk.backend[0].sampling_params == SamplingParams(temperature=0.5, max_tokens=3, stop=["x"])


@pytest.mark.parametrize(("token", "reason"), [(END, "stop"), (151643, "stop"), (WORLD, "length")])
def test_the_last_token_gives_the_reason(talk, token, reason):
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, token, True))
    assert talk.ends(1) == [reason]


def test_with_ignore_eos_an_end_id_is_no_reason(talk):
    talk(prompt(1, ignore_eos=True))
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, END, True))
    assert talk.ends(1) == ["length"]


# ------------------------------------------------------------------ stops


def test_a_stop_ends_the_request_once_and_tells_the_scheduler(talk):
    talk(prompt(1, stop=["wor"]), prompt(2))
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(2, HELLO, False))
    replies, backend = talk(DetokenizeMsg(1, WORLD, False), DetokenizeMsg(1, HELLO, False))
    assert [(r.incremental_output, r.finish_reason, r.matched_stop) for r in replies] == [
        (" ", "stop", "wor")
    ]
    assert backend == [AbortBackendMsg(1)]
    assert talk(DetokenizeMsg(1, HELLO, True)) == ([], [])
    assert talk.worker.summary()["open"] == 1


def test_held_text_is_released_at_the_end(talk):
    talk(prompt(1, stop=["world!"]))
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, WORLD, False))
    assert talk.text(1) == "Hello "
    talk(DetokenizeMsg(1, END, True))
    assert (talk.text(1), talk.ends(1)) == ("Hello world", ["stop"])


def test_a_stop_over_a_character_split_across_tokens_matches():
    talk = Talk(extended=True)
    talk(prompt(1, stop=["鱻"]))
    for token in (HELLO, 100024, 119):
        talk(DetokenizeMsg(1, token, False))
    assert (talk.text(1), talk.replies[-1].matched_stop) == ("Hello", "鱻")


def test_a_stop_with_the_last_token_aborts_nothing(talk):
    talk(prompt(1, stop=["wor"]))
    replies, backend = talk(DetokenizeMsg(1, WORLD, True))
    assert (replies[0].incremental_output, replies[0].matched_stop, backend) == (" ", "wor", [])


def test_an_empty_stop_is_refused(talk):
    replies, backend = talk(prompt(1, stop=["ok", ""]), prompt(2))
    assert [(r.uid, r.finish_reason) for r in replies] == [(1, "error")]
    assert [msg.uid for msg in backend] == [2]


# ------------------------------------------------------------------ beginnings and ends


def test_a_late_token_is_dropped_and_nothing_is_said_of_it(talk):
    talk(DetokenizeMsg(1, HELLO, True), DetokenizeMsg(1, WORLD, False))
    assert talk(DetokenizeMsg(1, WORLD, True)) == ([], [])
    assert (talk.text(1), talk.worker.summary()) == ("Hello", {"open": 0, "states": 0, "late token": 2})


def test_a_uid_begins_anew_with_its_next_prompt(talk):
    talk(DetokenizeMsg(1, 100024, False))
    talk(DetokenizeMsg(1, 119, True), prompt(1))
    talk(DetokenizeMsg(1, WORLD, True))
    assert talk.text(1) == "鱻 world"


def test_an_abort_and_a_new_prompt_of_one_uid_keep_their_order(talk):
    talk(prompt(1))
    _, backend = talk(AbortMsg(1), prompt(1))
    assert [type(msg).__name__ for msg in backend] == ["AbortBackendMsg", "UserMsg"]


def test_a_uid_in_use_keeps_its_first_request(talk, caplog):
    talk(prompt(1), DetokenizeMsg(1, HELLO, False))
    assert talk(prompt(1, "again")) == ([], [])
    talk(DetokenizeMsg(1, WORLD, True))
    assert talk.text(1) == "Hello world"
    assert "in use" in caplog.text


def test_an_abort_frees_the_request_and_its_tokens_are_late(talk):
    talk(prompt(1), DetokenizeMsg(1, HELLO, False))
    replies, backend = talk(DetokenizeMsg(1, WORLD, False), AbortMsg(1), DetokenizeMsg(1, WORLD, True))
    assert [(r.finished, r.finish_reason) for r in replies] == [(True, "abort")]
    assert backend == [AbortBackendMsg(1)]
    assert talk.worker.summary()["open"] == 0


def test_an_abort_of_an_unknown_request_goes_on_to_the_scheduler(talk):
    assert talk(AbortMsg(9)) == ([], [AbortBackendMsg(9)])


def test_a_restarted_worker_ends_requests_that_it_has_not_seen_begin():
    talk = Talk(extended=True, needs_opening=True)
    talk(
        DetokenizeMsg(1, HELLO, False),
        DetokenizeMsg(1, WORLD, False),
        prompt(2),
        DetokenizeMsg(2, HELLO, True),
    )
    assert (talk.ends(1), talk.ends(2), talk.text(2)) == (["error"], ["length"], "Hello")
    assert [msg.uid for msg in talk.backend] == [2, 1]


def test_an_exit_message_is_noticed(talk):
    talk(ExitMsg(), DetokenizeMsg(1, HELLO, False))
    assert talk.worker.is_exiting() and talk.text(1) == "Hello"


# ------------------------------------------------------------------ anything at all

uids = st.integers(0, 3)
anything = st.one_of(
    st.builds(
        prompt, uids, st.sampled_from(["Hello", "", [], [{"role": "user", "content": "hi"}], "\ud800"])
    ),
    st.builds(
        prompt, uids, st.just("Hello"), stop=st.sampled_from([["wor"], ["Hello"], [""], ["lo w", "o"]])
    ),
    st.builds(AbortMsg, uids),
    st.builds(
        DetokenizeMsg,
        uids,
        st.sampled_from([HELLO, WORLD, 100024, 119, END, -1, 2**40, 151643]),
        st.sampled_from([False, False, False, True]),
    ),
    st.builds(OpenMsg, uids, st.sampled_from([[], ["wor"], [""]])),
)


@pytest.mark.parametrize("name", MANAGERS)
@pytest.mark.parametrize("role", ["both", "detokenizer"])
def test_whatever_comes_each_beginning_has_one_end_and_no_state_is_left(name, role):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(st.lists(st.lists(anything, max_size=6), max_size=6))
    def check(drains):
        talk = Talk(detokenizer=name, extended=True, role=role, needs_opening=role == "detokenizer")
        for drain in drains:
            talk(*drain)
        talk(*(AbortMsg(uid) for uid in range(4)))
        ends = Counter(reply.uid for reply in talk.replies if reply.finished)
        openings = Counter(
            msg.uid for drain in drains for msg in drain if isinstance(msg, (TokenizeMsg, OpenMsg))
        )
        tokens = {msg.uid for drain in drains for msg in drain if isinstance(msg, DetokenizeMsg)}
        for uid in range(4):
            assert ends[uid] <= openings[uid] + (uid in tokens)
            mine = [reply.finished for reply in talk.replies if reply.uid == uid]
            assert not mine or mine[-1]
        assert (talk.worker.summary()["open"], talk.worker.summary()["states"]) == (0, 0)

    check()


def test_parts_hold_all_messages_in_order_and_open_no_uid_that_was_spoken_of():
    @settings(max_examples=200, deadline=None, derandomize=True)
    @given(st.lists(anything, max_size=12))
    def check(msgs):
        cut = list(parts(msgs))
        assert [msg for part in cut for msg in part] == msgs
        for part in cut:
            for place, msg in enumerate(part):
                if isinstance(msg, (TokenizeMsg, OpenMsg)):
                    assert all(earlier.uid != msg.uid for earlier in part[:place])

    check()


def test_a_lone_surrogate_cannot_even_be_sent():
    with pytest.raises(ValueError):
        encode(BatchTokenizerMsg([prompt(1, "\ud800")]))
