"""The checked reader of flexbuffers against the package's writer, and on damaged bytes."""

from __future__ import annotations

from typing import Any

import pytest
from flatbuffers import flexbuffers
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.flatbuffer.flexbuffer import decode_numbers
from lite_delegate.flatbuffer.problem import FormatProblem

names = st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=20)
numbers = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, width=32)
maps = st.dictionaries(names, numbers, max_size=20)


@given(maps)
def test_numbers_come_back(entries: dict[str, Any]) -> None:
    assert decode_numbers(bytes(flexbuffers.Dumps(entries))) == entries


def test_other_kinds_are_left_out() -> None:
    assert decode_numbers(bytes(flexbuffers.Dumps({"a": 1, "b": "text", "c": [1, 2], "d": {"e": 2}}))) == {"a": 1}


def test_too_many_entries() -> None:
    def content(count: int) -> bytes:
        return bytes(flexbuffers.Dumps({f"n{i}": i for i in range(count)}))

    assert len(decode_numbers(content(1024))) == 1024
    with pytest.raises(FormatProblem, match="up to 1024 options, found 1025"):
        decode_numbers(content(1025))


def answers(content: bytes) -> bool:
    try:
        decode_numbers(content)
    except FormatProblem:
        return False
    return True


@given(maps, st.integers(0, 2**12), st.integers(0, 255))
def test_damaged_bytes_are_read_or_rejected(entries: dict[str, Any], position: int, byte: int) -> None:
    damaged = bytearray(flexbuffers.Dumps(entries))
    damaged[position % len(damaged)] = byte
    assert answers(bytes(damaged)) in (True, False)
    assert answers(bytes(damaged[: position % len(damaged)])) in (True, False)


@given(st.binary(max_size=60))
def test_random_bytes_are_read_or_rejected(content: bytes) -> None:
    assert answers(content) in (True, False)


def test_bytes_that_are_no_map() -> None:
    assert not answers(b"")
    assert not answers(bytes(flexbuffers.Dumps([1, 2, 3])))
