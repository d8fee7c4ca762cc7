"""UniformReal: random numbers evenly distributed over [0, 1)."""

from __future__ import annotations

import math

from ._kernel import Array, ArraySpec, ReferenceKernel
from ._philox import drawn_shape, infer_drawn, uniform


def uniform_real(shape: Array, *, seed: int = 0, seed2: int = 0) -> Array:
    """Random numbers, evenly distributed over [0, 1), the same for the same seeds.

    Args:
        shape: integers, the shape of what is drawn.
        seed, seed2: together they choose the sequence; 0 and 0 choose one like any others.

    Returns:
        float32, of that shape: TensorFlow's numbers for the same seeds.

    Raises:
        KernelInputError: ``shape`` holds a negative number.

    NOTE: MindSpore Lite gives these numbers when both seeds are above 0, else those of the C library's generator.
    """
    dims = drawn_shape(shape)
    return uniform(math.prod(dims), seed, seed2).reshape(dims)


def infer_uniform_real(shape: ArraySpec) -> ArraySpec:
    """float32 of the shape that the input holds, as far as it is known; raises KernelInputError for negative dims."""
    return infer_drawn(shape)


KERNEL = ReferenceKernel("UniformReal", uniform_real, infer_uniform_real, ("int32", "int64"))
