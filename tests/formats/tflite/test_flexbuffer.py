"""The checked reader of flexbuffers against the package's writer, and on damaged bytes."""

from __future__ import annotations

from typing import Any

import pytest
from flatbuffers import flexbuffers
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.flatbuffer.flexbuffer import decode_options
from lite_delegate.flatbuffer.problem import FormatProblem

names = st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=20)
numbers = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, width=32)
maps = st.dictionaries(names, numbers, max_size=20)


@given(maps)
def test_numbers_come_back(entries: dict[str, Any]) -> None:
    assert decode_options(bytes(flexbuffers.Dumps(entries))) == entries


def test_other_kinds_are_left_out() -> None:
    assert decode_options(bytes(flexbuffers.Dumps({"a": 1, "b": "text", "c": [1, 2], "d": {"e": 2}}))) == {
        "a": 1,
        "b": "text",
    }


@given(st.dictionaries(names, st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8) | st.text(max_size=8), max_size=8))
def test_text_and_vectors_of_integers_come_back(entries: dict[str, Any]) -> None:
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in entries.items():
            builder.Key(name)
            builder.String(value) if isinstance(value, str) else builder.TypedVectorFromElements(value or [1])
    written = {name: value or ("" if isinstance(value, str) else [1]) for name, value in entries.items()}
    assert decode_options(bytes(builder.Finish())) == written


def test_vectors_whose_length_their_type_says() -> None:
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, values in (("a", [1, 2]), ("b", [-3, 4, 5]), ("c", [6, 7, 8, -900])):
            builder.Key(name)
            builder.FixedTypedVectorFromElements(values)
    assert decode_options(bytes(builder.Finish())) == {"a": [1, 2], "b": [-3, 4, 5], "c": [6, 7, 8, -900]}


def test_a_vector_longer_than_the_options() -> None:
    builder = flexbuffers.Builder()
    with builder.Map():
        builder.Key("a")
        builder.TypedVectorFromElements([1, 2, 3, 4, 5])
    damaged = bytearray(builder.Finish())
    damaged[damaged.index(bytes([5, 1, 2, 3, 4, 5]))] = 255
    with pytest.raises(FormatProblem, match=r"255 bytes at byte .* must lie inside"):
        decode_options(bytes(damaged))


def test_too_many_entries() -> None:
    def content(count: int) -> bytes:
        return bytes(flexbuffers.Dumps({f"n{i}": i for i in range(count)}))

    assert len(decode_options(content(1024))) == 1024
    with pytest.raises(FormatProblem, match="up to 1024 options, found 1025"):
        decode_options(content(1025))


def answers(content: bytes) -> bool:
    try:
        decode_options(content)
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
