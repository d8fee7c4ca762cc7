"""Conformance cases of Clip, expected values element by element in Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..judging.case import Array, ConformanceCase
from .families.elementwise import SHAPES, special_cases
from .loops.scalars import INTEGERS, loop

NAN, INF = float("nan"), float("inf")
FLT_MAX = float(np.finfo(np.float32).max)


def _case(name: str, inputs: tuple[Array | None, ...], low: float, high: float, **attributes: Any) -> ConformanceCase:
    """A case of which ``low`` and ``high`` are the bounds that count."""
    x = inputs[0]
    assert x is not None
    y = loop(lambda v: low if v < low else high if v > high else v, x)
    constants = frozenset(range(1, len(inputs)))
    return ConformanceCase(name, "Clip", inputs, (y,), attributes, constants)


def _number(value: float, dtype: str = "float32") -> Array:
    return np.array(value, dtype=dtype)


def _from_attributes() -> Iterator[ConformanceCase]:
    rng = np.random.default_rng(30)
    for name, shape in SHAPES:
        x = np.asarray(rng.normal(size=shape) * 4).astype(np.float32)
        yield _case(name, (x,), 0.0, 6.0, min=0.0, max=6.0)
    x = (rng.normal(size=(3, 8)) * 4).astype(np.float32)
    for name, low, high in [
        ("symmetric", -1.5, 1.5),
        ("negative", -5.0, -0.5),
        ("above_0", 0.25, 1.0),
        ("no_lower_bound", -INF, 0.5),
        ("no_upper_bound", -0.5, INF),
        ("the_largest_numbers", -FLT_MAX, FLT_MAX),
    ]:
        yield _case(name, (x,), low, high, min=low, max=high)
    for dtype in ("float16", "float64"):
        yield _case(dtype, (x.astype(dtype),), -0.75, 1.5, min=-0.75, max=1.5)
    yield _case("bounds_beyond_float16", (x.astype(np.float16),), -INF, INF, min=-FLT_MAX, max=FLT_MAX)
    for dtype in INTEGERS:
        x = rng.integers(0, 120, size=(3, 5)).astype(dtype)
        yield _case(dtype, (x,), 10, 90, min=10.0, max=90.0)
        yield _case(f"bounds_beyond_{dtype}", (x,), -INF, INF, min=-FLT_MAX, max=FLT_MAX)
    signed = np.array([-9, -3, 0, 4], dtype=np.int8)
    yield _case("infinite_bounds_of_integers", (signed,), -3, INF, min=-3.0, max=INF)


def _from_inputs() -> Iterator[ConformanceCase]:
    x = (np.random.default_rng(31).normal(size=(2, 9)) * 4).astype(np.float32)
    low, high = _number(-1.5), _number(2.5)
    yield _case("inputs", (x, low, high), -1.5, 2.5)
    yield _case("inputs_replace_attributes", (x, low, high), -1.5, 2.5, min=0.0, max=1.0)
    yield _case("only_min_is_an_input", (x, low), -1.5, 3.0, max=3.0)
    yield _case("only_max_is_an_input", (x, None, high), 1.0, 2.5, min=1.0)
    yield _case("inputs_of_rank_1", (x, low.reshape(1), high.reshape(1)), -1.5, 2.5)
    yield _case("integer_bounds_of_floats", (x, _number(-1, "int32"), _number(2, "int32")), -1, 2)
    whole = np.array([-9, -1, 0, 5, 9], dtype=np.int32)
    yield _case("integers", (whole, _number(-2, "int32"), _number(7, "int32")), -2, 7)
    yield _case("float_bounds_of_integers", (whole, _number(-2.0), _number(7.0)), -2, 7)
    far = np.array([-(2**40), 2**40, 2**60], dtype=np.int64)
    yield _case(
        "int64_keeps_every_digit",
        (far, _number(-(2**53) - 1, "int64"), _number(2**53 + 1, "int64")),
        -(2**53) - 1,
        2**53 + 1,
    )
    y = loop(lambda v: min(max(v, -1.5), 2.5), x)
    yield ConformanceCase("inputs_not_constant", "Clip", (x, low, high), (y,))


def cases() -> Iterator[ConformanceCase]:
    """Bounds as attributes and as inputs, one of each, infinite ones; every dtype; ranks, NaN, infinities."""
    yield from _from_attributes()
    yield from _from_inputs()
    x = [NAN, INF, -INF, -0.0, 1.0]
    yield from special_cases("Clip", [x], [NAN, 6.0, -1.0, 0.0, 1.0], attributes={"min": -1.0, "max": 6.0})
