"""Cases of functions of two numbers that come in twos and threes: sums, extremes, divisions of integers, logic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...judging.case import Array, ConformanceCase
from ..loops.scalars import INTEGERS, SHAPE_PAIRS, ScalarFunction, binary_cases, exact_case, fused, fused_cases
from .elementwise import FLOATS, special_cases

NAN, INF = float("nan"), float("inf")


def fusing_cases(
    op_type: str, function: ScalarFunction, b: Sequence[float], y: Sequence[float]
) -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, fused activations, integers that wrap, special values.

    Args:
        op_type: an operator that takes fused activations.
        function: the operator on Python's own numbers.
        b: the second operands of NaN, two infinities, the negative one, 3e38, 0 and 1.
        y: the results, written down.
    """
    yield from binary_cases(op_type, function, 5)
    yield from fused_cases(op_type, function, 6)
    inputs = (np.array([NAN, INF, INF, -INF, 3e38, 0.0, 1.0], np.float32), np.array(b, np.float32))
    for name, attributes in (("special_values", {}), ("special_values_relu", {"activation_type": "RELU"})):
        outputs = (np.array([fused(v, attributes.get("activation_type", "")) for v in y], np.float32),)
        yield ConformanceCase(name, op_type, inputs, outputs, attributes, source="hand")


def extreme_cases(op_type: str, function: ScalarFunction, seed: int, y: Sequence[float]) -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, ties, NaN on either side, infinities; ``y``: results that are written down."""
    yield from binary_cases(op_type, function, seed)
    operands = ([NAN, 1.0, NAN, INF, -INF, -INF, 2.0], [1.0, NAN, NAN, 3.0, 3.0, INF, 2.0])
    for dtype in ("float32", "float16"):
        inputs = tuple(np.array(x, dtype=dtype) for x in operands)
        yield ConformanceCase(f"special_values_{dtype}", op_type, inputs, (np.array(y, dtype=dtype),), source="hand")


def remainder_cases(
    op_type: str, function: ScalarFunction, seed: int, signs: Sequence[int], of_infinity: float
) -> Iterator[ConformanceCase]:
    """Broadcasting, every dtype, every pair of signs, the lowest integers, special values.

    Args:
        op_type: the operator.
        function: the operator on Python's own numbers.
        seed: of the inputs.
        signs: remainders of 7, -7, 7, -7, 6 and -6 by 3, 3, -3, -3, 3 and -3, written down.
        of_infinity: the remainder of -5.5 by infinity.
    """
    yield from binary_cases(op_type, function, seed)
    yield from sign_cases(op_type, [7, -7, 7, -7, 6, -6], [3, 3, -3, -3, 3, -3], signs, ("float32", "float16"))
    yield from lowest_cases(op_type, function)
    x = [NAN, 1.0, INF, 5.5, -5.5, 1.0, -1.0, 5.5]
    z = [1.0, NAN, 2.0, INF, INF, 0.0, -0.0, 2.0]
    yield from special_cases(op_type, [x, z], [NAN, NAN, NAN, 5.5, of_infinity, NAN, NAN, 1.5])


SIGNED = ("int8", "int16", "int32", "int64")


def sign_cases(
    op_type: str, a: Sequence[int], b: Sequence[int], y: Sequence[int], floats: Sequence[str] = ()
) -> Iterator[ConformanceCase]:
    """A division whose results are written down, in every signed dtype and some of floats."""
    for dtype in (*SIGNED, *floats):
        left, right, outputs = (np.array(x, dtype=dtype) for x in (a, b, y))
        yield ConformanceCase(f"signs_{dtype}", op_type, (left, right), (outputs,), source="hand")


def lowest_cases(op_type: str, function: ScalarFunction) -> Iterator[ConformanceCase]:
    """A division of the lowest integers, one of which is beyond the highest."""
    for dtype in SIGNED:
        lowest = np.array([np.iinfo(dtype).min] * 4, dtype=dtype)
        yield exact_case(f"lowest_{dtype}", op_type, (lowest, np.array([-1, 1, 7, -7], dtype=dtype)), function)


def logical_cases(
    op_type: str, function: ScalarFunction, seed: int, special: Sequence[float]
) -> Iterator[ConformanceCase]:
    """Broadcasting, the table of truth, numbers of every dtype, NaN, zero of either sign.

    Args:
        op_type: the operator.
        function: the operator on Python's own numbers.
        seed: of the inputs.
        special: the results of NaN, infinity, 0.5 and 0 with zeros of either sign, -1 and a negative zero.
    """
    rng = np.random.default_rng(seed)
    for name, left, right in SHAPE_PAIRS:
        yield exact_case(name, op_type, (_flags(rng, left), _flags(rng, right)), function)
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    yield exact_case("table_of_truth", op_type, (a, b), function)
    for name, constants in (("constant_second", {1}), ("both_constant", {0, 1})):
        yield exact_case(name, op_type, (a, b), function, constants=frozenset(constants))
    for dtype in (*FLOATS, *INTEGERS):
        yield exact_case(dtype, op_type, (_flags(rng, (3, 5), dtype), _flags(rng, (5,), dtype)), function)
    yield from special_cases(op_type, [[NAN, INF, 0.5, 0.0], [0.0, -0.0, -1.0, -0.0]], special)


def _flags(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "bool") -> Array:
    """Zeros, and as many of 1 and 2 together."""
    return np.asarray(rng.choice([0, 0, 1, 2], size=shape)).astype(dtype)
