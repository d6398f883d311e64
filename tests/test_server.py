"""The small functions of the worker's loop."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import TokenizeManager, load_tokenizer
from minisgl_tok.ended import EndedUids
from minisgl_tok.exact import ExactDetokenizeManager
from minisgl_tok.messages import (
    AbortBackendMsg,
    AbortMsg,
    BatchBackendMsg,
    BatchFrontendMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    SamplingParams,
    TokenizeMsg,
    UserMsg,
    UserReply,
)
from minisgl_tok.server import drain, handle, on_stop, pack, route, unpack

QWEN3 = load_tokenizer("qwen3")


class Queue:
    """Frames that have arrived; it notes where somebody waited on an empty queue."""

    def __init__(self, *frames):
        self.frames, self.waits = list(frames), 0

    def empty(self):
        return not self.frames

    def get(self):
        if not self.frames:
            self.waits += 1
            return BatchTokenizerMsg([])
        return self.frames.pop(0)


def aborts(*uids):
    return [AbortMsg(uid) for uid in uids]


def test_one_message_is_packed_bare_and_several_as_one_batch():
    assert pack(aborts(1), BatchTokenizerMsg) == AbortMsg(1)
    assert pack(aborts(1, 2), BatchTokenizerMsg) == BatchTokenizerMsg(aborts(1, 2))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5))
def test_unpack_is_the_opposite_of_pack(uids):
    assert unpack(pack(aborts(*uids), BatchTokenizerMsg)) == aborts(*uids)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 12))
def test_a_drain_takes_whole_frames_in_order_until_there_are_enough(sizes, local_bs):
    numbers = iter(range(100))
    queue = Queue(*(BatchTokenizerMsg(aborts(*(next(numbers) for _ in range(n)))) for n in sizes))
    pending = drain(queue, local_bs)
    assert [msg.uid for msg in pending] == list(range(len(pending)))
    assert len(pending) + sum(len(frame.data) for frame in queue.frames) == sum(sizes)
    assert len(pending) >= min(local_bs, sum(sizes))
    assert len(pending) - sizes[len(sizes) - len(queue.frames) - 1] < local_bs
    assert queue.waits == 0


def test_a_drain_waits_once_where_nothing_has_arrived():
    queue = Queue()
    assert drain(queue, 4) == [] and queue.waits == 1


def test_a_drain_leaves_the_frame_as_it_was():
    frame = BatchTokenizerMsg(aborts(1, 2))
    drain(Queue(frame, AbortMsg(3)), 9)
    assert len(frame.data) == 2


def managers():
    return TokenizeManager(QWEN3), ExactDetokenizeManager(QWEN3)


def test_each_kind_is_answered_with_one_frame_at_most():
    prompt = TokenizeMsg(4, "Hello", SamplingParams(top_k=7))
    pending = [AbortMsg(9), DetokenizeMsg(1, 9707, False), prompt, DetokenizeMsg(2, 1879, True)]
    to_frontend, to_backend = handle(pending, *managers())
    assert to_frontend == [BatchFrontendMsg([UserReply(1, "Hello", False), UserReply(2, " world", True)])]
    request, abort = to_backend
    assert isinstance(request, UserMsg) and abort == AbortBackendMsg(9)
    assert (request.uid, request.input_ids.tolist(), request.sampling_params.top_k) == (4, [9707], 7)


def test_many_prompts_and_aborts_are_two_frames_prompts_first():
    pending = [*aborts(1, 2), *(TokenizeMsg(uid, "Hello", SamplingParams()) for uid in (3, 4))]
    to_frontend, to_backend = handle(pending, *managers())
    assert to_frontend == []
    assert [msg.uid for msg in to_backend[0].data] == [3, 4]
    assert to_backend[1] == BatchBackendMsg([AbortBackendMsg(1), AbortBackendMsg(2)])


def test_nothing_is_answered_with_nothing():
    assert handle([], *managers()) == ([], [])


@given(st.integers(0, 2**63), st.integers(1, 9))
def test_a_route_is_in_range(uid, n):
    assert 0 <= route(uid, n) < n


def test_routes_use_every_process():
    assert {route(uid, 5) for uid in range(100)} == set(range(5))


def test_a_route_is_the_same_in_processes_with_other_hash_seeds():
    code = "from minisgl_tok.server import route; print([route(u, 3) for u in range(50)])"
    outs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, timeout=60
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outs) == 1 and outs != {b""}


def test_a_stop_ends_a_request_and_tells_both_sides():
    ended = EndedUids()
    reply, abort = on_stop(7, "so ", "</s>", ended)
    assert reply == UserReply(7, "so ", True, finish_reason="stop", matched_stop="</s>")
    assert abort == AbortBackendMsg(7)
    assert 7 in ended


def test_the_package_itself_loads_neither_torch_nor_transformers_nor_zeromq():
    code = (
        "import sys, minisgl_tok; minisgl_tok.StopStrings;"
        "print([m for m in ('torch', 'transformers', 'zmq') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]"


def test_the_functions_of_the_process_are_exported():
    import minisgl_tok

    assert minisgl_tok.tokenize_worker.__module__ == "minisgl_tok.server"
    assert callable(minisgl_tok.launch)
    with pytest.raises(AttributeError, match="no attribute 'lunch'"):
        _ = minisgl_tok.lunch


def test_the_command_line_explains_its_options():
    run = subprocess.run(
        [sys.executable, "-m", "minisgl_tok.server", "--help"], capture_output=True, text=True, timeout=60
    )
    options = "--tokenizer --num-tokenizer --num-detokenizer --local-bs --max-prompt-tokens --detokenizer --extended"
    assert run.returncode == 0 and all(option in run.stdout for option in options.split())
