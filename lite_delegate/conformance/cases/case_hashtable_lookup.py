"""Conformance cases of HashtableLookup, expected values by looking through the keys one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from lite_delegate_kernels import pack_strings

from ..judging.case import Array, ConformanceCase
from .samples import OTHER_DTYPES, exact, ints, sample


def _loop(x: Array, keys: Array, values: Array) -> tuple[Array, Array]:
    rows = np.zeros((len(x), *values.shape[1:]), dtype=values.dtype)
    hits = np.zeros(len(x), dtype=np.uint8)
    for i, wanted in enumerate(x.tolist()):
        for key, row in zip(keys.tolist(), values, strict=True):
            if key == wanted:
                rows[i], hits[i] = row, 1
    return rows, hits


def cases() -> Iterator[ConformanceCase]:
    """Hits and misses below, between and above the keys, rows of every rank, empty tables, every dtype, strings."""
    yield from _numbers()
    yield from _strings()


def _numbers() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(73)
    for name, x, keys, row in [
        ("all_hit", [30, 10, 20], [10, 20, 30], (2,)),
        ("misses_everywhere", [5, 15, 99, 10], [10, 20, 30], (2,)),
        ("none_hit", [1, 2], [10, 20, 30], (3,)),
        ("repeated_lookups", [20, 20, 11, 20], [10, 20, 30], (2,)),
        ("negative_keys", [-7, 0, 3], [-7, -1, 3], (2,)),
        ("rows_of_rank_0", [3, 1, 2], [1, 3], ()),
        ("rows_of_rank_2", [3, 1], [1, 3], (2, 3)),
        ("rows_of_17", [3, 4], [1, 3], (17,)),
        ("one_key", [7, 8], [7], (2,)),
        ("no_keys", [7, 8], [], (2,)),
        ("no_lookups", [], [1, 2], (2,)),
        ("empty_rows", [2, 3], [1, 2], (0,)),
    ]:
        lookups, table = ints(*x), ints(*keys)
        values = sample(rng, (len(keys), *row))
        outputs = _loop(lookups, table, values)
        yield exact("HashtableLookup", name, (lookups, table, values), outputs, constants={1, 2})
    lookups, table = ints(2**40, 3, dtype="int64"), ints(3, 2**40, dtype="int64")
    values = sample(rng, (2, 2))
    yield exact("HashtableLookup", "int64_keys", (lookups, table, values), _loop(lookups, table, values))
    twice, pair = ints(4, 7, 7, 9), np.array([[1], [2], [3], [4]], dtype=np.float32)
    outputs = (np.array([[2], [4]], dtype=np.float32), np.ones(2, dtype=np.uint8))
    yield exact("HashtableLookup", "first_of_equal_keys", (ints(7, 9), twice, pair), outputs, source="hand")
    lookups, table = ints(2, 5, 9), ints(2, 9)
    for dtype in OTHER_DTYPES:
        values = sample(rng, (2, 3), dtype)
        yield exact("HashtableLookup", f"dtype_{dtype}", (lookups, table, values), _loop(lookups, table, values))


def _strings() -> Iterator[ConformanceCase]:
    for name, x, table in [
        ("strings", [30, 11, 10, 99, 20], {10: b"ten", 20: b"twenty", 30: b"thirty"}),
        ("strings_repeated", [2, 2, 1], {1: b"a", 2: b"bc"}),
        ("strings_none_hit", [0, 5], {1: b"a", 2: b"bc"}),
        ("strings_empty_and_odd", [1, 2, 3], {1: b"", 2: b"\x00\xff", 3: b"a b\n"}),
        ("strings_beyond_ascii", [7], {7: "grüße".encode()}),
        ("strings_no_lookups", [], {1: b"a"}),
        ("strings_no_keys", [1, 2], {}),
    ]:
        inputs = (ints(*x), ints(*table), pack_strings(list(table.values())))
        found = pack_strings([table.get(key, b"") for key in x])
        hits = np.array([key in table for key in x], dtype=np.uint8)
        yield exact("HashtableLookup", name, inputs, (found, hits), constants={1, 2})
        yield exact("HashtableLookup", f"{name}_variable", inputs, (found, hits))
