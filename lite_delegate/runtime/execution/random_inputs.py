"""Random contents of inputs, for predictions that are only timed or tried."""

from __future__ import annotations

from math import prod

import numpy as np
from lite_delegate_kernels import Array

from ...ir import DataType, to_numpy
from ...tensors.tensor import Tensor
from ..budget import Budget

_DRAWN = 8
"""Bytes of a number when it is drawn, before it is cast."""


def not_random(tensor: Tensor) -> str:
    """The obstacle to random contents of an input; "" for none."""
    if tensor.dtype == DataType.STRING:
        return "is of strings"
    return "has an unknown number of dimensions" if tensor.extents is None else ""


def random_array(tensor: Tensor, rng: np.random.Generator, budget: Budget | None = None) -> Array:
    """Values that any model takes: floats in [0, 1), others 0 or 1; unknown dimensions become 1.

    Args:
        tensor: neither of strings nor of unknown rank, see ``not_random``.
        rng: the source of the values.
        budget: the budget for the memory; None: the memory at hand.

    Raises:
        LimitError: the values would take more memory than the budget has.
    """
    shape, dtype = [1 if d < 0 else d for d in tensor.shape], to_numpy(tensor.dtype)
    nbytes = prod(shape) * (_DRAWN + dtype.itemsize)
    (budget or Budget()).check(f"Random contents of input '{tensor.name}' of shape {shape}", nbytes)
    values = rng.random(shape) if dtype.kind == "f" else rng.integers(0, 2, shape)
    return np.asarray(values).astype(dtype)
