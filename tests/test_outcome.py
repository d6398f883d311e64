"""Outcomes: any value becomes data that a pipe can carry, and data of the same value is the same."""

from __future__ import annotations

import dataclasses
import math

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from minisgl_tok import UserReply
from practice.engine.outcome import TooLarge, plain, same
from practice.engine.runner.checks import ChangedInput, WrongType, checked, mismatch

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.binary(max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(values)
def test_any_value_travels_and_stays_the_same(value: object) -> None:
    data = plain(value)
    assert same(msgspec.msgpack.decode(msgspec.msgpack.encode(data)), data)


@dataclasses.dataclass
class Point:
    x: int


class Strange:
    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ((1, [2]), [1, [2]]),
        ("a\ud83e", {"~text": "a\\ud83e"}),
        (2**64, {"~int": "0x10000000000000000"}),
        ({3, 1}, {"~set": [1, 3]}),
        ({2: "b", 1: "a"}, {"~map": [[1, "a"], [2, "b"]]}),
        ({"~x": 1}, {"~map": [["~x", 1]]}),
        (torch.tensor([1, 2], dtype=torch.int32), {"~tensor": "torch.int32", "shape": [2], "values": [1, 2]}),
        (Point(3), {"~Point": {"x": 3}}),
        (UserReply(1, "a", True), {"~UserReply": {"uid": 1, "incremental_output": "a", "finished": True}}),
        (Strange(), {"~repr": "<Strange, whose repr raises ValueError>"}),
        (len, {"~repr": "<built-in function len>"}),
    ],
)
def test_what_messagepack_does_not_know_says_what_it_was(value: object, data: object) -> None:
    found = plain(value)
    if isinstance(value, UserReply):
        found["~UserReply"].pop("error", None)
        found = {"~UserReply": {name: found["~UserReply"][name] for name in data["~UserReply"]}}  # type: ignore[index]
    assert found == data


def test_an_object_without_a_text_of_its_own_has_no_address() -> None:
    assert "0x" not in plain(object())["~repr"]


def test_a_list_that_holds_itself_has_an_end() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert plain(loop)


@pytest.mark.parametrize(
    "value", ["x" * 10_000_000, list(range(300_000)), [b"x" * 1000] * 5000, torch.zeros(1000, 1000)]
)
def test_more_than_any_answer_has_is_refused(value: object) -> None:
    with pytest.raises(TooLarge):
        plain(value)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ([1, 2], [1, 2], True),
        (True, 1, True),
        (1, 1.0, True),
        (math.nan, math.nan, True),
        ([{"a": math.nan}], [{"a": math.nan}], True),
        ("1", 1, False),
        (b"a", "a", False),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (None, False, False),
    ],
)
def test_sameness(a: object, b: object, equal: bool) -> None:
    assert same(a, b) is equal and same(b, a) is equal


# ------------------------------------------------------------------ types and inputs


@pytest.mark.parametrize(
    ("value", "wanted", "words"),
    [
        ("a", str, ""),
        (None, str, "None where str is expected: is a `return` missing?"),
        (1, bool, ""),
        (2, bool, "an int where bool is expected"),
        (True, int, ""),
        (1, float, ""),
        ([1, "a"], tuple[int, str], ""),
        ((1, "a", 2), tuple[int, str], "3 values where tuple[int, str] is expected"),
        ((1, 2), tuple[int, str], "tuple[int, int] where tuple[int, str] is expected"),
        ((1, 2, 3), tuple[int, ...], ""),
        (None, tuple[int, str] | None, ""),
        ("ab", list[str], "a str where list[str] is expected"),
        ((x for x in ()), list[str], "a generator where list[str] is expected: did you mean a list?"),
        (bytearray(), bytes, "a bytearray where bytes is expected"),
        ({}, dict[str, int], ""),
        (1, "anything", ""),
    ],
)
def test_a_results_type(value: object, wanted: object, words: str) -> None:
    assert mismatch(value, wanted) == words


def test_an_annotation_for_type_checkers_alone_is_no_obstacle() -> None:
    namespace: dict[str, object] = {}
    exec("from __future__ import annotations\ndef f(x) -> list[torch.Tensor]: ...", namespace)
    f = checked(lambda x: x, namespace["f"], mutates=False, after=lambda: None)  # type: ignore[arg-type]
    assert f([1]) == [1]
    with pytest.raises(WrongType, match=r"`f` returned an int where list"):
        f(3)


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        (lambda x: x, False),
        (lambda x: x.append(1), True),
        (lambda x: x[0].update(b=1), True),
        (lambda x: x[0]["a"].sort(), True),
        (lambda x: x.reverse(), True),
        (lambda x: x[1].__setattr__("x", 4), False),  # what is no list or map is the answer's to change
    ],
)
def test_a_changed_list_or_map_is_noticed(change, noticed: bool) -> None:
    def f(value: list[object]) -> None:
        change(value)

    given = [{"a": [2, 1]}, Point(1)]
    if noticed:
        with pytest.raises(ChangedInput, match="changed the list it was given"):
            checked(f, f, mutates=False, after=lambda: None)(given)
        checked(f, f, mutates=True, after=lambda: None)(given)
    else:
        checked(f, f, mutates=False, after=lambda: None)(given)


def test_an_input_that_the_package_compares_oddly_is_no_obstacle() -> None:
    def f(value: list[object]) -> None:
        value[0] = torch.tensor([1, 2])

    with pytest.raises(ChangedInput):
        checked(f, f, mutates=False, after=lambda: None)([torch.tensor([1, 2])])
