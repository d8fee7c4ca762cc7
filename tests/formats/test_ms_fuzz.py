"""Any bytes give a graph or a ``ModelFormatError``, in bounded time and memory."""

from __future__ import annotations

import re
import struct
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lite_delegate import ModelFormatError
from lite_delegate.formats.ms import read_ms_buffer
from tests.formats.handmade import M, T
from tests.fuzz.ms import fuzz, outcome, samples


@pytest.mark.parametrize("position", [0, 1, 2])
def test_damaged_files_are_rejected_or_read(position: int) -> None:
    outcomes = fuzz([samples()[position]], 400, seed=position)
    assert outcomes.total() == 400
    # Mutations that only ever break, or never break anything, would test nothing.
    assert outcomes["rejected"] > 20
    assert outcomes["graph"] > 5


@given(st.binary(max_size=200))
@example(b"\x08\0\0\0MSL2")
@settings(max_examples=200, deadline=None)
def test_random_bytes_are_rejected(content: bytes) -> None:
    with pytest.raises(ModelFormatError):
        read_ms_buffer(content)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes_after_the_identifier_are_rejected_or_read(content: bytes) -> None:
    outcome(struct.pack("<I", 8) + b"MSL2" + content)


def test_every_cut_is_rejected_or_read() -> None:
    content = samples()[1]
    outcomes = {outcome(content[:size]) for size in range(len(content))}
    assert outcomes == {"rejected"}


@pytest.mark.parametrize("part", ["allTensors", "nodes"])
def test_one_table_named_many_times_is_rejected_before_it_costs_much(part: str) -> None:
    base = M()
    changes: dict[str, Any] = {part: [*getattr(base, part), *[getattr(base, part)[0]] * 20_000]}
    content = replace(base, **changes).bytes()
    assert len(content) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(ModelFormatError, match="so many places that they add up to twice its size"):
            read_ms_buffer(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50 * len(content)


def test_one_string_named_many_times_is_rejected() -> None:
    content = bytearray(replace(M(), allTensors=[T("x" * 50_000), *[T("y") for _ in range(100)]]).bytes())
    long = content.index(b"x" * 50_000) - 4
    for match in re.finditer(rb"\x01\0\0\0y\0", bytes(content)):
        _point_to(content, match.start(), long)
    with pytest.raises(ModelFormatError, match="so many places that they add up to twice its size"):
        read_ms_buffer(bytes(content))


def _point_to(content: bytearray, old: int, new: int) -> None:
    """Redirects the offset that points to ``old``; only forward offsets can be written."""
    for place in range(0, len(content) - 4, 4):
        if place + struct.unpack_from("<I", content, place)[0] == old:
            content[place : place + 4] = struct.pack("<I", new - place)
            return


def test_vectors_that_overlap_do_not_multiply_work() -> None:
    """Each 4 byte word of the file is taken for the length of a vector of all that follows."""
    words = 20_000
    content = samples()[0] + struct.pack("<I", words) * words
    for place in range(0, 400, 4):
        data = bytearray(content)
        data[place : place + 4] = struct.pack("<I", len(samples()[0]) - place)
        outcome(bytes(data))
