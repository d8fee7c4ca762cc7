"""Conformance cases of Reshape, expected values by counting elements off in row-major order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Array, ConformanceCase


def _loop(x: Array, shape: tuple[int, ...]) -> Array:
    out = np.empty(shape, dtype=x.dtype)
    for source, target in zip(np.ndindex(*x.shape), np.ndindex(*shape), strict=True):
        out[target] = x[source]
    return out


def _case(name: str, x: Array, wanted: Array, shape: tuple[int, ...], *, constant: bool = True) -> ConformanceCase:
    constants = frozenset({1}) if constant else frozenset[int]()
    return ConformanceCase(name, "Reshape", (x, wanted), (_loop(x, shape),), constants=constants, source="loop")


def cases() -> Iterator[ConformanceCase]:
    """Plain targets, -1, 0, scalars, empty arrays, every dtype of both inputs, a shape known only at run time."""
    rng = np.random.default_rng(119)
    for name, given, wanted, shape in [
        ("split_last", (2, 12), [2, 3, 4], (2, 3, 4)),
        ("merge_all", (2, 3, 4), [24], (24,)),
        ("same_shape", (2, 3), [2, 3], (2, 3)),
        ("rank_4_to_rank_2", (2, 3, 3, 7), [2, 63], (2, 63)),
        ("minus_one_last", (2, 3, 4), [2, -1], (2, 12)),
        ("minus_one_first", (2, 3, 4), [-1, 4], (6, 4)),
        ("minus_one_middle", (2, 3, 4), [2, -1, 2], (2, 6, 2)),
        ("minus_one_alone", (2, 3), [-1], (6,)),
        ("minus_one_is_1", (2, 3), [2, -1, 3], (2, 1, 3)),
        ("zero_copies", (2, 3, 4), [0, 12], (2, 12)),
        ("zero_and_minus_one", (2, 3, 4), [0, -1], (2, 12)),
        ("zero_in_the_middle", (4, 3, 2), [2, 0, -1], (2, 3, 4)),
        ("all_zeros", (2, 3), [0, 0], (2, 3)),
        ("add_ones", (3,), [1, 3, 1], (1, 3, 1)),
        ("one_element_to_scalar", (1, 1), [], ()),
        ("scalar_to_scalar", (), [], ()),
        ("scalar_to_vector", (), [1], (1,)),
        ("scalar_to_minus_one", (), [-1, 1], (1, 1)),
        ("empty_copied", (0, 3), [0, 3], (0, 3)),
        ("empty_copied_and_minus_one", (0, 3), [0, -1], (0, 3)),
        ("empty_minus_one", (0, 3), [-1, 3], (0, 3)),
        ("empty_moved", (5, 0), [-1, 5], (0, 5)),
    ]:
        x = rng.normal(size=given).astype(np.float32)
        yield _case(name, x, np.array(wanted, dtype=np.int32), shape)
    x = rng.normal(size=(2, 3, 2)).astype(np.float32)
    for kind in ("int8", "int32", "int64", "float32"):
        yield _case(f"shape_as_{kind}", x, np.array([3, -1], dtype=kind), (3, 4))
    yield _case("shape_as_uint32", x, np.array([3, 4], dtype=np.uint32), (3, 4))
    yield _case("shape_not_constant", x, np.array([4, -1], dtype=np.int32), (4, 3), constant=False)
    for dtype in (
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float64",
    ):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3)).astype(dtype)
        yield _case(f"dtype_{dtype}", x, np.array([3, 2], dtype=np.int32), (3, 2))
