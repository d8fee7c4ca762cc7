"""Conformance cases of PadFusion, expected values by looking up every output element's source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase

Pairs = tuple[tuple[int, int], ...]
_OUTSIDE = -1


def _sources(dim: int, before: int, after: int, mode: str) -> list[int]:
    """The input position of every output position along one dimension."""
    inside = list(range(dim))
    if mode == "REFLECT":
        return inside[1 : before + 1][::-1] + inside + inside[dim - 1 - after : dim - 1][::-1]
    if mode == "SYMMETRIC":
        return inside[:before][::-1] + inside + inside[dim - after :][::-1]
    return [_OUTSIDE] * before + inside + [_OUTSIDE] * after


def loop(x: Array, pairs: Pairs, mode: str, fill: Any) -> Array:
    """The expected values, element by element, in the dtype of ``x``."""
    sources = [_sources(d, *pair, mode) for d, pair in zip(x.shape, pairs, strict=True)]
    out = np.empty([len(s) for s in sources], dtype=x.dtype)
    for index in np.ndindex(*out.shape):
        source = tuple(s[p] for s, p in zip(sources, index, strict=True))
        out[index] = fill if _OUTSIDE in source else x[source]
    return out


_SHAPES: list[tuple[str, tuple[int, ...], Pairs]] = [
    ("rank_1", (4,), ((2, 1),)),
    ("rank_2", (3, 4), ((1, 2), (0, 3))),
    ("rank_3_one_dimension", (2, 3, 2), ((0, 0), (2, 1), (0, 0))),
    ("nhwc_image", (2, 3, 4, 3), ((0, 0), (1, 1), (2, 2), (0, 0))),
    ("nhwc_bottom_right", (1, 3, 3, 8), ((0, 0), (0, 1), (0, 1), (0, 0))),
    ("nothing_to_pad", (2, 3), ((0, 0), (0, 0))),
    ("rank_6", (1, 2, 1, 2, 1, 2), ((0, 0), (1, 0), (0, 0), (0, 1), (0, 0), (1, 1))),
    ("widest_reflection", (3, 4), ((2, 2), (3, 3))),
]


def cases() -> Iterator[ConformanceCase]:
    """The three modes over ranks 1 to 6, the constant from attribute and input, border limits, every dtype."""
    rng = np.random.default_rng(107)
    for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        for name, shape, pairs in _SHAPES:
            x = rng.normal(size=shape).astype(np.float32)
            yield _case(f"{mode.lower()}_{name}", x, pairs, mode)
    x = rng.normal(size=(2, 3)).astype(np.float32)
    yield _case("symmetric_as_wide_as_the_dimension", x, ((2, 2), (3, 3)), "SYMMETRIC")
    yield _case("constant_wider_than_the_dimension", x, ((5, 0), (0, 7)), "CONSTANT")
    yield _case("constant_around_an_empty_array", x[:0], ((1, 1), (0, 1)), "CONSTANT")
    yield _case("constant_scalar", np.array(2.5, dtype=np.float32), (), "CONSTANT")
    yield _case("symmetric_empty_dimension_left_alone", x[:0], ((0, 0), (1, 0)), "SYMMETRIC")
    yield _case("paddings_as_vector", x, ((1, 0), (0, 2)), "CONSTANT", flat=True)
    yield _case("not_constant", x, ((1, 0), (0, 2)), "REFLECT", constants=frozenset())
    yield from _constants(x)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "float16", "float64"):
        y = rng.integers(0, 2 if dtype == "bool" else 100, size=(2, 3)).astype(dtype)
        yield _case(f"dtype_{dtype}", y, ((1, 1), (0, 2)), "CONSTANT")
        yield _case(f"dtype_{dtype}_reflect", y, ((1, 1), (0, 2)), "REFLECT")


def _case(
    name: str, x: Array, pairs: Pairs, mode: str, *, flat: bool = False, constants: frozenset[int] = frozenset({1})
) -> ConformanceCase:
    pads = np.array(pairs, dtype=np.int32).reshape(-1 if flat else (len(pairs), 2))
    attributes = {"padding_mode": mode}
    expected = (loop(x, pairs, mode, 0),)
    return ConformanceCase(name, "PadFusion", (x, pads), expected, attributes, constants=constants)


def _constants(x: Array) -> Iterator[ConformanceCase]:
    pairs = ((1, 0), (0, 2))
    pads = np.array(pairs, dtype=np.int32)
    small = np.array([[3, -4]], dtype=np.int8)
    fills: list[tuple[str, Array, Array | None, dict[str, Any], float]] = [
        ("attribute_value", x, None, {"constant_value": -1.5}, -1.5),
        ("attribute_infinity", x, None, {"constant_value": float("-inf")}, -np.inf),
        ("attribute_nan", x, None, {"constant_value": float("nan")}, np.nan),
        ("attribute_value_int8", small, None, {"constant_value": -128.0}, -128),
        ("input_replaces_attribute", x, np.array(2.5, dtype=np.float32), {"constant_value": 9.0}, 2.5),
        ("input_of_one_element", x, np.array([2.5], dtype=np.float32), {}, 2.5),
        ("input_zero_replaces_attribute", x, np.array(0, dtype=np.float32), {"constant_value": 9.0}, 0),
        ("attribute_paddings_is_not_read", x, None, {"paddings": ((5, 5), (5, 5))}, 0),
    ]
    for name, y, constant, attributes, fill in fills:
        inputs = (y, pads) if constant is None else (y, pads, constant)
        expected = (loop(y, pairs, "CONSTANT", fill),)
        yield ConformanceCase(name, "PadFusion", inputs, expected, attributes, constants=frozenset({1, 2}))
