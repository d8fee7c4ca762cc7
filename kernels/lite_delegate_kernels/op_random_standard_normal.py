"""RandomStandardNormal: random numbers normally distributed, mean 0 and deviation 1."""

from __future__ import annotations

import math

from ._kernel import Array, ArraySpec, ReferenceKernel
from ._philox import drawn_shape, infer_drawn, standard_normal


def random_standard_normal(shape: Array, *, seed: int = 0, seed2: int = 0) -> Array:
    """Random numbers, normally distributed, mean 0 and deviation 1, the same for the same seeds.

    Args:
        shape: integers, the shape of what is drawn.
        seed, seed2: together they choose the sequence; 0 and 0 choose one like any others.

    Returns:
        float32, of that shape: TensorFlow's numbers for the same seeds.

    Raises:
        KernelInputError: ``shape`` holds a negative number.

    NOTE: MindSpore Lite draws from the C++ library's generator, seeded by the clock when both seeds are 0.
    """
    dims = drawn_shape(shape)
    return standard_normal(math.prod(dims), seed, seed2).reshape(dims)


def infer_random_standard_normal(shape: ArraySpec) -> ArraySpec:
    """float32 of the shape that the input holds, as far as it is known; raises KernelInputError for negative dims."""
    return infer_drawn(shape)


KERNEL = ReferenceKernel(
    "RandomStandardNormal", random_standard_normal, infer_random_standard_normal, ("int32", "int64")
)
