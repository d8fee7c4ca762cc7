"""Cases of functions of the bits of two integers: shapes that broadcast, dtypes, constants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...judging.case import Array, ConformanceCase
from ..loops.scalars import INTEGERS, SHAPE_PAIRS, ScalarFunction, exact_case
from ..samples import sample


def bit_cases(
    op_type: str, function: ScalarFunction, seed: int, *, is_shift: bool = False
) -> Iterator[ConformanceCase]:
    """Every pair of shapes in int32, every integer type over its whole range, constants on either side.

    Args:
        op_type: the operator.
        function: of two of Python's integers.
        seed: of the inputs.
        is_shift: whether the second operand is a number of bits, below those of the type.
    """
    rng = np.random.default_rng(seed)

    def second(shape: tuple[int, ...], dtype: str) -> Array:
        if is_shift:
            return np.asarray(rng.integers(0, 8 * np.dtype(dtype).itemsize, shape)).astype(dtype)
        return sample(rng, shape, dtype)

    for name, left, right in SHAPE_PAIRS:
        yield exact_case(name, op_type, (sample(rng, left, "int32"), second(right, "int32")), function)
    for dtype in INTEGERS:
        yield exact_case(dtype, op_type, (sample(rng, (3, 4), dtype), second((4,), dtype)), function)
    for name, constants in (("constant_second", {1}), ("constant_first", {0}), ("both_constant", {0, 1})):
        inputs = (sample(rng, (2, 3), "int32"), second((2, 3), "int32"))
        yield exact_case(name, op_type, inputs, function, constants=frozenset(constants))
