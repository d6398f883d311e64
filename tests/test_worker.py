"""A worker without sockets: drains in, frames out; one finished reply a request."""

from collections import Counter, deque

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from minisgl_tok import load_tokenizer
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
    salvage,
)
from minisgl_tok.server import unpack
from minisgl_tok.worker import Worker

QWEN3, TOY = load_tokenizer("qwen3"), load_tokenizer("toy")
HELLO, WORLD, END = 9707, 1879, 151645
MANAGERS = ["exact", "safe", "window"]


def prompt(uid, text="Hello", **params):
    return TokenizeMsg(uid, text, SamplingParams(**params))


def flat(frames):
    return [msg for frame in frames for msg in unpack(frame)]


class Talk:
    """A worker and everything that it has said."""

    def __init__(self, **options):
        self.worker = Worker(options.pop("tokenizer", QWEN3), **options)
        self.replies, self.backend, self.detokenizer = [], [], []

    def __call__(self, *msgs, faults=()):
        frames = self.worker.serve(list(msgs), deque(faults))
        assert len(frames.frontend) <= len(list(parts(list(msgs)))) + len(faults)
        replies, backend = flat(frames.frontend), flat(frames.backend)
        self.replies += replies
        self.backend += backend
        self.detokenizer += flat(frames.detokenizer)
        return replies, backend

    def text(self, uid):
        return "".join(reply.incremental_output for reply in self.replies if reply.uid == uid)

    def ends(self, uid):
        return [reply.finish_reason for reply in self.replies if reply.uid == uid and reply.finished]


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


# ------------------------------------------------------------------ bad input

BAD_PROMPTS = {
    "an empty chat": [],
    "a chat without roles": [{"content": "hi"}],
    "a part that is no text": [{"role": "user", "content": [{"type": "image", "url": "x"}]}],
    "a content that is no text": [{"role": "user", "content": 5}],
    "a lone surrogate": "\ud800",
    "a prompt over the limit": "Hello " * 200,
    "a chat over the limit": [{"role": "user", "content": "Hello " * 200}],
    "10 MB": "word " * 2_000_000,
}


@pytest.mark.parametrize("name", BAD_PROMPTS)
def test_a_bad_prompt_gets_one_error_and_the_others_go_on(name, talk):
    talk.worker.limit.tokens = 100
    talk(DetokenizeMsg(8, HELLO, False))
    replies, backend = talk(
        prompt(1), prompt(2, BAD_PROMPTS[name]), prompt(3), AbortMsg(4), DetokenizeMsg(8, WORLD, True)
    )
    assert [(r.uid, r.incremental_output, r.finish_reason) for r in replies] == [
        (8, " world", "length"),
        (2, "", "error"),
    ]
    assert [msg.uid for msg in backend] == [1, 3, 4]
    assert set(talk.worker.ledger.open) == {1, 3}


def test_a_limit_just_reached_is_no_error():
    talk = Talk(max_prompt_tokens=3)
    _, backend = talk(prompt(1, "Hello world world"), prompt(2, "Hello world world world"))
    assert [msg.uid for msg in backend] == [1]
    assert [reply.uid for reply in talk.replies] == [2]


def test_a_chat_without_a_template_is_an_error():
    tokenizer = load_tokenizer("toy")
    talk = Talk(tokenizer=tokenizer)
    template, tokenizer.chat_template = tokenizer.chat_template, None
    try:
        replies, backend = talk(prompt(1, [{"role": "user", "content": "hi"}]), prompt(2, "hi"))
    finally:
        tokenizer.chat_template = template
    assert replies == [UserReply(1, "", True)]
    assert [msg.uid for msg in backend] == [2]


def test_a_template_that_raises_is_an_error_of_its_request():
    tokenizer = load_tokenizer("toy")
    talk = Talk(tokenizer=tokenizer)
    template = tokenizer.chat_template
    tokenizer.chat_template = "{{ raise_exception('no') if messages|length == 2 }}{{ messages[0].content }}"
    one = [{"role": "user", "content": "hi"}]
    try:
        replies, backend = talk(prompt(1, one), prompt(2, one + one), prompt(3, one))
    finally:
        tokenizer.chat_template = template
    assert replies == [UserReply(2, "", True)]
    assert [msg.uid for msg in backend] == [1, 3]


def test_a_negative_id_ends_its_request_and_no_other(talk):
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(2, 100024, False))
    replies, backend = talk(
        DetokenizeMsg(1, -1, False), DetokenizeMsg(2, 119, False), DetokenizeMsg(1, WORLD, True)
    )
    assert sorted((r.uid, r.incremental_output) for r in replies) == [(1, ""), (2, "鱻")]
    assert backend == [AbortBackendMsg(1)]
    assert talk.ends(1) == ["error"]


def test_ids_outside_the_vocabulary_bring_no_text(talk):
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(1, 2**63, False), DetokenizeMsg(1, WORLD, True))
    assert talk.text(1) == "Hello world"


class Raises:
    """A manager that cannot take one token."""

    def __init__(self, manager, token):
        self.manager, self.token = manager, token

    def __getattr__(self, name):
        return getattr(self.manager, name)

    def detokenize(self, msgs):
        if any(msg.next_token == self.token for msg in msgs):
            raise RuntimeError("cannot")
        return self.manager.detokenize(msgs)


def test_a_batch_that_raises_is_redone_one_by_one(talk):
    talk.worker.detokenizing = Raises(talk.worker.detokenizing, 666)
    talk(DetokenizeMsg(1, HELLO, False), DetokenizeMsg(2, HELLO, False))
    replies, backend = talk(
        DetokenizeMsg(1, WORLD, False), DetokenizeMsg(2, 666, False), DetokenizeMsg(2, WORLD, False)
    )
    assert [(r.uid, r.incremental_output, r.finished) for r in replies] == [
        (1, " world", False),
        (2, "", True),
    ]
    assert backend == [AbortBackendMsg(2)]
    assert set(talk.worker.ledger.open) == {1}


@pytest.mark.parametrize(
    ("bad", "ends", "aborts"),
    [
        ({"__type__": "TokenizeMsg", "uid": 5, "text": 7}, ["error"], []),
        ({"__type__": "DetokenizeMsg", "uid": 5, "next_token": "x", "finished": False}, ["error"], [5]),
        ({"__type__": "AbortMsg", "uid": 5, "why": 1}, [], []),
        ({"__type__": "Nonsense", "uid": 5}, [], []),
        ({"no": "message"}, [], []),
    ],
)
def test_a_message_that_cannot_be_read_ends_the_request_that_it_names(talk, bad, ends, aborts):
    _, faults = salvage(msgspec.msgpack.encode(bad))
    talk(DetokenizeMsg(6, HELLO, False), faults=faults)
    assert talk.ends(5) == ends
    assert [msg.uid for msg in talk.backend] == aborts
    assert talk.text(6) == "Hello"


def test_a_message_of_another_direction_is_logged_and_nothing_else(talk, caplog):
    assert talk(UserReply(1, "x", False)) == ([], [])
    assert "UserReply is no message to a tokenizer" in caplog.text


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


# ------------------------------------------------------------------ tokenizers apart


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


def test_an_early_abort_is_not_remembered_for_ever():
    talk = apart()
    talk(AbortMsg(1))
    talk.now = 60.0
    talk(OpenMsg(1), DetokenizeMsg(1, HELLO, True))
    assert (talk.text(1), talk.ends(1)) == ("Hello", ["length"])


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
