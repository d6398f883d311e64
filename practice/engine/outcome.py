"""Outcomes as plain data, and when two of them are the same.

What `run` and `oracle` return travels between processes and is compared, so it becomes
data that MessagePack knows. What it does not know becomes a map with one key that begins
with "~" and says what it was:

    a text with half a surrogate pair    {"~text": "a\\ud83e"}   (the six characters)
    a number of more than 64 bits        {"~int": "0x1fff…"}
    a set                                {"~set": [...]}
    a map with other keys than text      {"~map": [[key, value], ...]}
    a tensor                             {"~tensor": "torch.int32", "shape": [2], "values": [1, 2]}
    a message or another dataclass       {"~UserReply": {"uid": 1, ...}}
    anything else                        {"~repr": "<object of type X>"}

Lists and tuples are the same, as are the numbers that Python calls equal (True and 1):
where a type matters, the target's annotation says so and is checked apart.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

Plain = Any  # None, bool, int, float, str, bytes, lists and maps of them

DEEPEST = 40  # levels of lists and maps
LARGEST = 200_000  # values in one outcome
LONGEST = 4_000_000  # bytes of text and bytes in one outcome
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class TooLarge(Exception):
    """An outcome that no verdict needs: more values or text than any right answer has."""


def plain(value: Any) -> Plain:
    """A value as plain data. Raises TooLarge.

    >>> plain((1, {2}, b"x", "a\\ud83e"))
    [1, {'~set': [2]}, b'x', {'~text': 'a\\\\ud83e'}]
    """
    return _Flattening().plain(value, 0)


def same(a: Plain, b: Plain) -> bool:
    """Whether two outcomes are equal; NaN equals itself.

    >>> same([1.0, {"a": float("nan")}], [True, {"a": float("nan")}]), same("1", 1)
    (True, False)
    """
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)


class _Flattening:
    def __init__(self) -> None:
        self.values = LARGEST
        self.bytes = LONGEST

    def plain(self, value: Any, depth: int) -> Plain:
        self.spend(1, 0)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return self.integer(value)
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            self.spend(0, len(value))
            return bytes(value)
        if depth >= DEEPEST:
            return {"~repr": f"<{type(value).__name__}, more than {DEEPEST} levels deep>"}
        return self.compound(value, depth + 1)

    def compound(self, value: Any, depth: int) -> Plain:
        if isinstance(value, (list, tuple)):
            return [self.plain(item, depth) for item in value]
        if isinstance(value, dict):
            return self.mapping(value, depth)
        if isinstance(value, (set, frozenset)):
            return {"~set": sorted((self.plain(item, depth) for item in value), key=repr)}
        if hasattr(value, "tolist") and hasattr(value, "dtype"):
            return self.tensor(value, depth)
        fields = _fields(value)
        if fields is not None:
            items = {name: self.plain(getattr(value, name, None), depth) for name in fields}
            return {f"~{type(value).__name__}": items}
        if hasattr(value, "__index__"):  # an integer of numpy
            return self.integer(int(value))
        return {"~repr": self.text(ADDRESS.sub("", _repr(value)))}

    def integer(self, value: int) -> Plain:
        if -(2**63) <= value < 2**64:
            return int(value)
        self.spend(0, value.bit_length() // 4)
        return {"~int": hex(value)}

    def text(self, value: str) -> Plain:
        value = str.__str__(value)
        self.spend(0, len(value))
        try:
            self.spend(0, len(value.encode()) - len(value))
        except UnicodeEncodeError:
            return {"~text": value.encode("utf-8", "backslashreplace").decode()}
        return value

    def mapping(self, value: dict[Any, Any], depth: int) -> Plain:
        items = [[self.plain(key, depth), self.plain(item, depth)] for key, item in value.items()]
        if all(isinstance(key, str) and not key.startswith("~") for key, _ in items):
            return dict(items)
        return {"~map": sorted(items, key=lambda item: repr(item[0]))}

    def tensor(self, value: Any, depth: int) -> Plain:
        shape = [int(size) for size in value.shape]
        self.spend(math.prod(shape), 0)
        values = value.tolist()
        return {"~tensor": str(value.dtype), "shape": shape, "values": self.plain(values, depth)}

    def spend(self, values: int, size: int) -> None:
        self.values -= values
        self.bytes -= size
        if self.values < 0:
            raise TooLarge(f"the result holds more than {LARGEST:,} values")
        if self.bytes < 0:
            raise TooLarge(f"the result holds more than {LONGEST // 1_000_000} MB of text")


def _fields(value: Any) -> list[str] | None:
    """The names of a dataclass's or a msgspec struct's fields."""
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    names = getattr(type(value), "__struct_fields__", None)
    return list(names) if names is not None else None


def _repr(value: Any) -> str:
    try:
        return repr(value)[:2000]
    except Exception as error:
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
