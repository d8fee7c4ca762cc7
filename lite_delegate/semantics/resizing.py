"""The size that a Resize gives, from its attributes and its second input."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..ir.primitives import Resize
from ..tensors.tensor import Tensor
from .fitting import DoesNotFit
from .operands import int_values

SPATIAL_AXES = (1, 2)
"""Height and width of a tensor (N, H, W, C)."""


def resized(shape: Sequence[int], primitive: Resize, size: Tensor | None) -> tuple[int, ...]:
    """The shape that x (N, H, W, C) gets.

    Args:
        size: the second input, a constant: two values, height and width, or four, one per axis; integers are
            sizes, floats factors. One integer z is a zoom: every gap between two positions becomes z gaps.
            None: the attributes hold height and width.

    Raises:
        DoesNotFit: another number of values, or a size below 1.
    """
    batch, height, width, channels = shape
    rows, columns = _sizes((height, width), primitive, size)
    if min(rows, columns) < 1:
        raise DoesNotFit(f"height and width must be at least 1, are {[rows, columns]}")
    return batch, rows, columns, channels


def _sizes(old: tuple[int, int], primitive: Resize, size: Tensor | None) -> tuple[int, int]:
    if size is None:
        return primitive.new_height, primitive.new_width
    values = size.data.reshape(-1)
    floating = values.dtype.kind == "f"
    if len(values) == 1 and not floating:
        (zoom,) = int_values(size)
        return old[0] + (old[0] - 1) * (zoom - 1), old[1] + (old[1] - 1) * (zoom - 1)
    if len(values) not in (2, 4):
        raise DoesNotFit(f"size must hold 2 or 4 values, or 1 integer, holds {values.tolist()}")
    rows, columns = values[1:3] if len(values) == 4 else values
    return (_scaled(rows, old[0]), _scaled(columns, old[1])) if floating else (int(rows), int(columns))


def _scaled(factor: float, old: int) -> int:
    """The product in float32, rounded half up; 0, which no size is, where it is no size."""
    product = float(np.float32(factor) * np.float32(old))
    return math.floor(product + 0.5) if 0 <= product < 2**31 else 0
