"""Bad input costs its own request one finished reply, and nobody else anything."""

import msgspec
import pytest
from talk import HELLO, MANAGERS, WORLD, Talk, prompt

from minisgl_tok import load_tokenizer
from minisgl_tok.messages import (
    AbortBackendMsg,
    AbortMsg,
    DetokenizeMsg,
    UserReply,
    salvage,
)


@pytest.fixture(params=MANAGERS)
def talk(request):
    return Talk(detokenizer=request.param, extended=True)


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
