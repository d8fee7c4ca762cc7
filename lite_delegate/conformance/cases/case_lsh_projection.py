"""Conformance cases of LshProjection, expected values written down from LiteRT's LSH_PROJECTION."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase

Shape = tuple[int, ...]

# name, shape of the seeds, shape and dtype of the items, whether there are weights, type, expected values
ROWS: list[tuple[str, Shape, Shape, str, bool, str, list[int]]] = [
    ("dense", (2, 3), (4, 5), "int32", True, "DENSE", [1, 1, 1, 1, 0, 0]),
    ("sparse", (3, 4), (4, 5), "int32", True, "SPARSE", [8, 17, 44]),
    ("dense_unweighted", (2, 4), (3, 2), "int32", False, "DENSE", [1, 0, 0, 1, 1, 1, 1, 1]),
    ("sparse_unweighted", (4, 2), (3, 2), "float32", False, "SPARSE", [0, 5, 8, 15]),
    ("one_bit", (1, 1), (3, 4), "float32", True, "DENSE", [0]),
    ("one_byte_items", (2, 5), (6, 1), "uint8", True, "SPARSE", [23, 53]),
    ("items_of_two_bytes", (2, 5), (6, 2), "uint8", True, "SPARSE", [15, 33]),
    ("items_of_11_bytes", (2, 5), (3, 11), "uint8", True, "DENSE", [1, 1, 1, 1, 0, 1, 0, 1, 1, 1]),
    ("items_of_17_bytes", (2, 5), (3, 17), "uint8", True, "SPARSE", [27, 39]),
    ("items_of_28_bytes", (2, 5), (3, 7), "int32", True, "SPARSE", [16, 32]),
    ("items_of_60_bytes", (2, 6), (3, 15), "int32", True, "SPARSE", [55, 105]),
    ("items_of_61_bytes", (2, 6), (3, 61), "uint8", True, "SPARSE", [18, 80]),
    ("items_of_124_bytes", (2, 6), (3, 31), "int32", True, "SPARSE", [49, 99]),
    ("items_of_200_bytes", (2, 6), (3, 25), "int64", True, "SPARSE", [19, 67]),
    ("items_of_rank_1", (2, 6), (5,), "int32", True, "DENSE", [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0]),
    ("items_of_rank_3", (2, 6), (2, 3, 2), "int32", True, "DENSE", [0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1]),
    ("one_item", (3, 8), (1, 4), "int32", True, "SPARSE", [8, 503, 600]),
    ("many_items", (2, 8), (40, 4), "int32", True, "SPARSE", [18, 331]),
    ("weights_of_both_signs", (2, 7), (5, 3), "int32", True, "SPARSE", [16, 232]),
    ("bits_16", (2, 16), (3, 4), "int32", True, "SPARSE", [41166, 72513]),
]


def _seeds(shape: Shape) -> Array:
    return ((np.arange(math.prod(shape)) * 7 % 23) / 8 - 1).reshape(shape).astype(np.float32)


def _items(shape: Shape, dtype: str, offset: int) -> Array:
    return (np.arange(math.prod(shape)) * 31 % 197 + offset).reshape(shape).astype(dtype)


def _weights(count: int) -> Array:
    return ((np.arange(count) * 5 % 7) / 4 - 0.625).astype(np.float32)


def cases() -> Iterator[ConformanceCase]:
    """Both types, item sizes for every branch of the hash, ranks, dtypes, with and without weights, nothing at all."""
    for offset, (name, seeds, items, dtype, weighted, kind, expected) in enumerate(ROWS):
        inputs: tuple[Array, ...] = (_seeds(seeds), _items(items, dtype, offset))
        if weighted:
            inputs = (*inputs, _weights(items[0]))
        outputs = (np.array(expected, dtype=np.int32),)
        attributes = {"type": kind}
        yield ConformanceCase(name, "LshProjection", inputs, outputs, attributes, frozenset({0}), source="litert")
    for name, seeds, items in [("no_items", (2, 3), (0, 4)), ("no_seeds", (0, 3), (2, 4))]:
        inputs = (_seeds(seeds), _items(items, "int32", 0))
        outputs = (np.arange(seeds[0], dtype=np.int32) * 8,)
        attributes = {"type": "SPARSE"}
        yield ConformanceCase(name, "LshProjection", inputs, outputs, attributes, frozenset({0}), source="hand")
