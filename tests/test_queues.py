"""Push and pull over real sockets."""

import tempfile
import threading

import msgspec
import pytest

from minisgl_tok.messages import (
    AbortMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    SamplingParams,
    TokenizeMsg,
    encode,
)
from minisgl_tok.queues import ZmqPullQueue, ZmqPushQueue

MESSAGES = [
    TokenizeMsg(1, "推理", SamplingParams()),
    DetokenizeMsg(2**63, 0, True),
    BatchTokenizerMsg([AbortMsg(3), AbortMsg(4)]),
]


@pytest.fixture
def folder():
    """A folder with a short path: the path of an ipc socket has about 100 characters."""
    with tempfile.TemporaryDirectory(prefix="mt-") as path:
        yield path


@pytest.fixture(params=["ipc", "tcp"])
def pair(request, folder):
    addr = f"ipc://{folder}/q" if request.param == "ipc" else "tcp://127.0.0.1:*"
    pull = ZmqPullQueue(addr, create=True, tick=5_000)
    push = ZmqPushQueue(pull.socket.last_endpoint.decode(), create=False)
    yield push, pull
    push.close()
    pull.close()


def test_messages_arrive_in_order_and_equal(pair):
    push, pull = pair
    for msg in MESSAGES:
        push.put(msg)
    assert [pull.get() for _ in MESSAGES] == MESSAGES
    assert pull.empty()


def test_a_queue_that_is_not_empty_gives_without_waiting(pair):
    push, pull = pair
    push.put(AbortMsg(1))
    push.put(AbortMsg(2))
    pull.get()
    pull.socket.poll(5_000)
    assert not pull.empty() and not pull.empty()
    assert pull.get() == AbortMsg(2)
    assert pull.empty()


FAULTY = {
    "nothing": b"",
    "no MessagePack": b"\xc1\xff",
    "an array": msgspec.msgpack.encode([1, 2]),
    "an unknown type": msgspec.msgpack.encode({"__type__": "Nonsense", "uid": 1}),
    "a missing field": msgspec.msgpack.encode({"__type__": "DetokenizeMsg", "uid": 1}),
    "a wrong field": msgspec.msgpack.encode({"__type__": "AbortMsg", "uid": "one"}),
    "a field too many": msgspec.msgpack.encode({"__type__": "AbortMsg", "uid": 1, "why": 2}),
    "a cut frame": encode(AbortMsg(1))[:-1],
    "deep nesting": b"\x91" * 100_000,
    "a lone surrogate": encode(TokenizeMsg(1, "abc", SamplingParams())).replace(b"abc", b"\xed\xa0\x80"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_frame_is_refused_and_counted_and_the_next_one_arrives(pair, name, caplog):
    push, pull = pair
    push.put_frame(FAULTY[name])
    push.put(AbortMsg(7))
    assert pull.get() == BatchTokenizerMsg([])
    assert pull.get() == AbortMsg(7)
    assert pull.refused == 1
    assert "refused" in caplog.text


def test_a_faulty_frame_names_the_request_that_it_spoils(pair):
    push, pull = pair
    push.put_frame(FAULTY["a lone surrogate"])
    pull.get()
    assert (pull.faults[0].uid, pull.faults[0].kind) == (1, "TokenizeMsg")


def test_one_bad_message_in_a_batch_costs_only_itself(pair):
    push, pull = pair
    bad = {"__type__": "DetokenizeMsg", "uid": 5, "next_token": "x", "finished": False}
    push.put_frame(
        msgspec.msgpack.encode({"__type__": "BatchTokenizerMsg", "data": [AbortMsg(1), bad, AbortMsg(2)]})
    )
    assert pull.get() == BatchTokenizerMsg([AbortMsg(1), AbortMsg(2)])
    assert [fault.uid for fault in pull.faults] == [5]


def test_with_a_tick_an_idle_queue_gives_an_empty_batch(folder):
    pull = ZmqPullQueue(f"ipc://{folder}/q", create=True, tick=1)
    assert pull.get() == BatchTokenizerMsg([])
    pull.close()


def test_one_queue_receives_at_two_addresses(folder):
    pull = ZmqPullQueue(f"ipc://{folder}/a", create=True, tick=5_000)
    pull.also_create(f"ipc://{folder}/b")
    pushes = [ZmqPushQueue(f"ipc://{folder}/{name}", create=False) for name in "ab"]
    for uid, push in enumerate(pushes):
        push.put(AbortMsg(uid))
    assert {pull.get().uid, pull.get().uid} == {0, 1}
    for queue in (*pushes, pull):
        queue.close()


def test_put_gives_up_when_patience_ends(folder):
    asked = threading.Event()
    push = ZmqPushQueue(f"ipc://{folder}/nobody", create=True, patience=lambda: asked.set() or False)
    push.put(AbortMsg(1))
    assert asked.is_set() and push.dropped == 1
    push.close(0)


def test_an_address_that_cannot_be_had_is_named(folder):
    with pytest.raises(OSError, match="cannot create the address 'ipc:///no/such/folder/q'"):
        ZmqPullQueue("ipc:///no/such/folder/q", create=True)
    with pytest.raises(OSError, match="cannot connect to the address 'nonsense'"):
        ZmqPushQueue("nonsense", create=False)
