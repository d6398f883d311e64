"""The wire is mini-sglang's, and what is no message is refused in words."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import messages
from minisgl_tok.messages import (
    AbortMsg,
    BatchTokenizerMsg,
    DetokenizeMsg,
    SamplingParams,
    Tensor,
    TokenizeMsg,
    UserReply,
    decode,
    encode,
)

WIRE = json.loads((Path(__file__).parent / "cases" / "wire.json").read_text("utf-8"))


def as_json(value):
    """A decoded map as wire.json writes it: bytes are "hex:…"."""
    if isinstance(value, bytes):
        return "hex:" + value.hex()
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    return [as_json(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", WIRE, ids=lambda case: case["name"])
def test_a_message_is_the_same_map_on_the_wire(case):
    frame = bytes.fromhex(case["hex"])
    message = decode(frame)
    assert type(message).__name__ == case["map"]["__type__"]
    assert encode(message) == frame
    assert as_json(msgspec.msgpack.decode(encode(message))) == case["map"]


def frame(**fields) -> bytes:
    return msgspec.msgpack.encode(fields)


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        (b"", "truncated"),
        (b"\xc1", "malformed"),
        (frame(uid=1), "__type__"),
        (frame(__type__="DetokeniseMsg", uid=1), "DetokeniseMsg"),
        (frame(__type__="DetokenizeMsg", uid=1, finished=True), "next_token"),
        (frame(__type__="DetokenizeMsg", uid="1", next_token=2, finished=True), "uid"),
        (frame(__type__="DetokenizeMsg", uid=1, next_token=2.5, finished=True), "next_token"),
        (frame(__type__="DetokenizeMsg", uid=1, next_token=2, finished=True, extra=1), "extra"),
        (frame(__type__="AbortMsg", uid=1) + b"\x00", "trailing"),
        (
            frame(__type__="BatchTokenizerMsg", data=[{"__type__": "BatchTokenizerMsg", "data": []}]),
            "data[0]",
        ),
        (
            frame(__type__="TokenizeMsg", uid=1, text=5, sampling_params={"__type__": "SamplingParams"}),
            "text",
        ),
        (frame(__type__="UserReply", uid=1, incremental_output=b"x", finished=False), "incremental_output"),
        (msgspec.msgpack.encode([1, 2]), "object"),
        (b"\x91" * 100_000 + b"\xc0", ""),
    ],
    ids=str,
)
def test_a_frame_that_is_no_message_is_refused_by_name(bad, named):
    with pytest.raises(ValueError, match=r".") as refused:
        decode(bad)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    ("buffer", "dtype", "named"),
    [(b"\0\0\0", "torch.int32", "3 bytes"), (b"", "torch.int33", "torch.int33"), (b"", "int32", "'int32'")],
)
def test_a_tensor_that_does_not_fit_its_dtype_is_refused(buffer, dtype, named):
    fields = {"__type__": "Tensor", "buffer": buffer, "dtype": dtype}
    params = {"__type__": "SamplingParams"}
    with pytest.raises(ValueError, match="ensor") as refused:
        decode(frame(__type__="UserMsg", uid=1, input_ids=fields, sampling_params=params))
    assert named in str(refused.value)


@given(st.binary(max_size=200))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_random_bytes_decode_to_a_message_or_raise_value_error(data):
    try:
        message = decode(data)
    except ValueError:
        return
    assert decode(encode(message)) == message


def test_a_text_of_deeply_nested_lists_is_refused_and_not_a_crash():
    deep = b"\x81\xa7content" + b"\x91" * 50_000 + b"\xc0"
    head = b"\x84\xa8__type__\xabTokenizeMsg\xa3uid\x01\xa4text\x91"
    with pytest.raises(ValueError, match=r"nested|truncated|malformed"):
        decode(head + deep)


def test_a_lone_surrogate_cannot_be_sent():
    with pytest.raises(ValueError, match="surrogate"):
        encode(UserReply(1, "\ud800", False))


def test_unset_extensions_are_not_on_the_wire():
    plain = msgspec.msgpack.decode(encode(TokenizeMsg(1, "x", SamplingParams())))
    assert set(plain) == {"__type__", "uid", "text", "sampling_params"}
    extended = msgspec.msgpack.decode(
        encode(UserReply(1, "x", True, finish_reason="stop", matched_stop="END"))
    )
    assert extended["finish_reason"] == "stop" and extended["matched_stop"] == "END"


@pytest.mark.parametrize("values", [[], [0], [151643, -1, 2**31 - 1]])
def test_a_tensor_travels_both_ways(values):
    import torch

    tensor = torch.tensor(values, dtype=torch.int32)
    back = Tensor.of(tensor).torch()
    assert back.tolist() == values and back.dtype == torch.int32 and back.dim() == 1


def test_only_one_dimension_travels():
    import torch

    with pytest.raises(ValueError, match=r"\(1, 2\)"):
        Tensor.of(torch.zeros(1, 2))


def test_a_batch_carries_its_messages_in_order():
    batch = BatchTokenizerMsg([DetokenizeMsg(1, 2, False), AbortMsg(3), DetokenizeMsg(1, 4, True)])
    assert decode(encode(batch)) == batch


def test_every_item_size_is_torchs_own():
    import torch

    for name, size in messages.ITEM_BYTES.items():
        assert getattr(torch, name.removeprefix("torch.")).itemsize == size
