"""The whole server to play with: a client, a scheduler that echoes, the tokenizer's processes."""

import time

import pytest

from minisgl_tok import load_tokenizer
from minisgl_tok.demo import EchoScheduler, playground
from minisgl_tok.echo import Echo
from minisgl_tok.messages import AbortBackendMsg, SamplingParams, Tensor, UserMsg
from minisgl_tok.show.timeline import timeline_text

TEXT = "推理 streams 鱻 text"
IDS = load_tokenizer("qwen3").encode(TEXT)


def request(uid, ids, **params):
    data = b"".join(i.to_bytes(4, "little") for i in ids)
    return UserMsg(uid, Tensor(data, "torch.int32"), SamplingParams(**params))


def run(echo):
    """All steps until nothing is open."""
    steps = []
    while step := echo.step():
        steps.append([(msg.uid, msg.next_token, msg.finished) for msg in step])
    return steps


# ------------------------------------------------------------------ the scheduler, in steps


def test_each_step_holds_a_token_of_every_open_request():
    echo = Echo(end_id=9)
    echo.receive(request(1, [5, 6]))
    echo.receive(request(2, [7]))
    assert run(echo) == [
        [(1, 5, False), (2, 7, False)],
        [(1, 6, False), (2, 9, True)],
        [(1, 9, True)],
    ]


def test_a_script_replaces_the_prompt_and_max_tokens_cuts_it():
    echo = Echo(script=[1, 2, 3, 4], end_id=9)
    echo.receive(request(1, [5], max_tokens=3))
    assert run(echo) == [[(1, 1, False)], [(1, 2, False)], [(1, 3, True)]]


def test_an_abort_ends_the_script():
    echo = Echo()
    echo.receive(request(1, [5, 6, 7]))
    echo.step()
    echo.receive(AbortBackendMsg(1))
    assert echo.step() == []


def test_trouble_is_what_was_asked_for():
    echo = Echo(trouble=["two tokens", "late token"])
    echo.receive(request(1, [5, 6, 7]))
    assert run(echo) == [[(1, 5, False), (1, 6, False)], [(1, 7, True), (1, 7, False)]]
    echo = Echo(trouble=["odd ids"])
    echo.receive(request(1, [5, 6]))
    assert [step[0][1] for step in run(echo)] == [5, 2**31 - 1, 2**40, 6]


def test_an_empty_prompt_ends_all_the_same():
    echo = Echo()
    echo.receive(request(1, []))
    assert run(echo) == [[(1, 0, True)]]


def test_unknown_trouble_is_named_with_what_there_is():
    with pytest.raises(ValueError, match="no trouble flood: there are two tokens, late token"):
        EchoScheduler(backend_addr="x", detokenizer_addr="y", trouble=("flood",))


# ------------------------------------------------------------------ everything together


@pytest.fixture(scope="module")
def play():
    with playground("qwen3", rate=200, timeout=15.0) as running:
        yield running


def test_the_prompt_comes_back_as_it_was_delta_by_delta(play):
    deltas = list(play.client.stream(TEXT))
    assert "".join(deltas) == TEXT
    assert len(deltas) == len(IDS) + 1


def test_many_requests_run_at_once(play):
    answers = [play.client.ask(f"{TEXT} {n}") for n in range(20)]
    play.client.wait(*answers)
    assert [answer.text for answer in answers] == [f"{TEXT} {n}" for n in range(20)]
    assert {answer.reason for answer in answers} == {"stop"}


def test_a_stop_string_stops_the_stream(play):
    answer = play.client.ask("one two three four", stop=["three"])
    assert "".join(play.client.stream(answer)) == "one two "
    assert (answer.reason, answer.matched_stop) == ("stop", "three")


def test_a_request_that_is_cut_says_so(play):
    answer = play.client.ask(TEXT, max_tokens=2)
    play.client.wait(answer)
    assert answer.reason == "length"


def test_an_abort_ends_a_request(play):
    answer = play.client.ask("word " * 500)
    while not answer.deltas:
        play.client.receive()
    play.client.abort(answer)
    play.client.wait(answer)
    assert answer.reason == "abort" and len(answer.deltas) < 500


def test_the_log_shows_a_request_from_end_to_end(play):
    answer = play.client.ask("Hi")
    play.client.wait(answer)
    deadline = time.monotonic() + 10
    while True:
        mine = [event for event in play.events() if answer.uid in event.uids]
        kinds = [event.kind for event in mine]
        if {"TokenizeMsg", "UserMsg", "DetokenizeMsg", "UserReply"} <= set(kinds):
            break
        assert time.monotonic() < deadline
    assert kinds[:2] == ["TokenizeMsg", "UserMsg"]
    assert "client ▶ tokenizer" in timeline_text(mine)


def test_a_killed_worker_costs_only_what_was_in_flight(play):
    answer = play.client.ask("word " * 500)
    while not answer.deltas:
        play.client.receive()
    play.kill()
    play.client.wait(answer)
    assert answer.reason in ("error", "time-out")
    play.launched.wait_ready()
    assert "".join(play.client.stream(TEXT)) == TEXT


def test_a_process_that_does_not_run_cannot_be_killed(play):
    with pytest.raises(ValueError, match="no process 'detokenizer 7' runs: there are tokenizer 0"):
        play.kill("detokenizer 7")


@pytest.mark.parametrize("manager", ["exact", "safe", "window"])
def test_trouble_harms_nobody(manager):
    trouble = ("two tokens", "late token", "odd ids")
    with playground("qwen3", rate=200, trouble=trouble, detokenizer=manager, num_tokenizer=1) as play:
        answers = [play.client.ask(text) for text in ("Hello world", "one two three")]
        play.client.wait(*answers)
        assert [answer.text for answer in answers] == ["Hello world", "one two three"]
        assert play.client.strays == 0
        play.stop()


def test_a_scheduler_that_crashes_is_noticed_by_the_clock():
    with playground("toy", rate=200, trouble=["crash"], timeout=1.0) as play:
        answer = play.client.ask("to be or not to be or not to be")
        play.client.wait(answer)
        assert answer.reason == "time-out"
        assert play.scheduler.pid is None
