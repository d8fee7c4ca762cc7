"""Cases of functions of one array, and of comparisons: shapes, dtypes, special values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.traits import traits_of
from ...judging.case import Array, ConformanceCase
from ..loops.scalars import INTEGERS, SHAPE_PAIRS, ScalarFunction, exact_case, loop

FLOATS = ("float32", "float16", "float64")
TOLERANCES = {"float32": (2e-6, 1e-6), "float16": (1e-3, 1e-6), "float64": (1e-13, 1e-14)}
"""rtol and atol per dtype: a few roundings of the result, and what is left of them near zero."""

SHAPES = [
    ("rank_0", ()),
    ("one_element", (1,)),
    ("rank_1", (7,)),
    ("rank_2", (3, 17)),
    ("rank_3", (2, 3, 5)),
    ("rank_4_channels_8", (2, 3, 3, 8)),
    ("rank_4_channels_16", (1, 2, 2, 16)),
    ("rank_5", (2, 1, 3, 2, 3)),
    ("empty", (2, 0, 3)),
]


def unary_cases(
    op_type: str,
    function: ScalarFunction,
    seed: int,
    *,
    low: float = -4.0,
    high: float = 4.0,
    integers: Sequence[str] = (),
    attributes: Mapping[str, Any] | None = None,
    prefix: str = "",
) -> Iterator[ConformanceCase]:
    """Every shape in float32, the other float dtypes, integers over their whole range, a constant.

    Args:
        op_type: an operator of one input that keeps shape and dtype.
        function: the operator on Python's own numbers.
        seed: of the inputs.
        low: the lowest float among the inputs.
        high: above the highest.
        integers: the integer dtypes that the operator takes; their results are exact.
        attributes: of every case.
        prefix: of every case's name.
    """
    rng = np.random.default_rng(seed)
    named = [(name, shape, "float32") for name, shape in SHAPES]
    named += [(dtype, (3, 17), dtype) for dtype in FLOATS[1:]] + [("constant", (2, 3), "float32")]
    for name, shape, dtype in named:
        x = np.asarray(rng.uniform(low, high, size=shape)).astype(dtype)
        rtol, atol = (0.0, 0.0) if traits_of(op_type).is_exact else TOLERANCES[dtype]
        constants = frozenset({0}) if name == "constant" else frozenset[int]()
        outputs = (loop(function, x),)
        yield ConformanceCase(prefix + name, op_type, (x,), outputs, attributes or {}, constants, rtol=rtol, atol=atol)
    for dtype in integers:
        x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, size=(2, 9), dtype=dtype, endpoint=True)
        yield exact_case(prefix + dtype, op_type, (x,), function, attributes=dict(attributes or {}))


def special_cases(
    op_type: str,
    inputs: Sequence[Sequence[float]],
    expected: Sequence[float],
    *,
    attributes: Mapping[str, Any] | None = None,
    dtype: str | None = None,
    name: str = "special_values",
) -> Iterator[ConformanceCase]:
    """Written-down values, exact, in every float dtype.

    Args:
        op_type: the operator.
        inputs: the numbers of each input.
        expected: the numbers of the output.
        attributes: of every case.
        dtype: of the output, None for the inputs'.
        name: of the cases, which is followed by the dtype.
    """
    for kind in FLOATS:
        arrays = tuple(np.array(x, dtype=kind) for x in inputs)
        outputs = (np.array(expected, dtype=dtype or kind),)
        full = f"{name}_{kind}"
        yield ConformanceCase(full, op_type, arrays, outputs, attributes or {}, rtol=0, atol=0, source="hand")


def rounding_cases(
    op_type: str, function: ScalarFunction, seed: int, small: Sequence[float], large: Sequence[float]
) -> Iterator[ConformanceCase]:
    """Shapes, float dtypes, whole numbers, halves, large numbers that have no fraction, infinities, NaN.

    Args:
        op_type: the operator.
        function: the operator on Python's own numbers.
        seed: of the inputs.
        small: the results of 1.5, -1.5, -0.5, 0.5, 1, -2.5 and 2, written down.
        large: the results of 2^20 + 0.5, -2^20 - 0.5 and 8388607.5, written down.
    """
    yield from unary_cases(op_type, function, seed)
    ends = [np.inf, -np.inf, np.nan]
    yield from special_cases(op_type, [[1.5, -1.5, -0.5, 0.5, 1.0, -2.5, 2.0, *ends]], [*small, *ends])
    whole = [16777216.0, 3e38]
    x = np.array([2.0**20 + 0.5, -(2.0**20) - 0.5, 8388607.5, *whole], dtype=np.float32)
    yield ConformanceCase("large", op_type, (x,), (np.array([*large, *whole], dtype=np.float32),), source="hand")


def constant_cases(op_type: str, number: int) -> Iterator[ConformanceCase]:
    """Arrays like the input, filled with a number: shapes, every dtype, inputs that are not finite, a constant."""

    def filled(value: float) -> float:
        return number

    for name, shape in SHAPES:
        yield exact_case(name, op_type, (np.full(shape, 7, dtype=np.float32),), filled)
    for dtype in ("bool", "float16", "float64", *INTEGERS):
        yield exact_case(dtype, op_type, (np.array([[0, 1, 3]]).astype(dtype),), filled)
    yield from special_cases(op_type, [[np.nan, np.inf, -np.inf]], [number] * 3)
    yield exact_case("constant", op_type, (np.array([2, 3], dtype=np.int32),), filled, constants=frozenset({0}))


def comparison_cases(
    op_type: str, function: ScalarFunction, seed: int, dtypes: Sequence[str] = (*FLOATS[1:], *INTEGERS)
) -> Iterator[ConformanceCase]:
    """Two-input cases with many ties and a bool output: broadcasting, dtypes, constants, NaN, infinities, zeros."""
    rng = np.random.default_rng(seed)
    for name, left, right in SHAPE_PAIRS:
        yield _comparison(name, op_type, (_few(rng, left), _few(rng, right)), function)
    for dtype in dtypes:
        inputs = (_few(rng, (4, 5), dtype), _few(rng, (5,), dtype))
        yield _comparison(dtype, op_type, inputs, function)
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        limits = np.array([info.min, info.min + 1, info.max - 1, info.max], dtype=dtype)
        yield _comparison(f"{dtype}_limits", op_type, (limits.reshape(4, 1), limits), function)
    a, b = _few(rng, (2, 3)), _few(rng, (2, 3))
    for name, constants in (("constant_second", {1}), ("constant_first", {0}), ("both_constant", {0, 1})):
        yield exact_case(name, op_type, (a, b), function, constants=frozenset(constants), dtype="bool")
    for dtype in FLOATS:
        special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], dtype=dtype)
        yield _comparison(f"special_values_{dtype}", op_type, (special.reshape(6, 1), special), function)


def _comparison(name: str, op_type: str, inputs: tuple[Array, ...], function: ScalarFunction) -> ConformanceCase:
    return exact_case(name, op_type, inputs, function, dtype="bool")


def _few(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "float32") -> Array:
    """Whole numbers from 0 to 3, so that many are equal."""
    return np.asarray(rng.integers(0, 4, size=shape)).astype(dtype)
