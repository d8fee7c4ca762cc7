"""Random contents of inputs, for predictions of which only the time, or that they run, matters."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import Array

from ...ir import DataType, to_numpy
from ...tensor import UNKNOWN_RANK, Tensor


def not_random(tensor: Tensor) -> str:
    """The obstacle to random contents of an input; "" for none."""
    if tensor.dtype == DataType.STRING:
        return "is of strings"
    return "has an unknown number of dimensions" if tensor.shape == [UNKNOWN_RANK] else ""


def random_array(tensor: Tensor, rng: np.random.Generator) -> Array:
    """Values that any model takes: floats in [0, 1), others 0 or 1; unknown dimensions become 1.

    Args:
        tensor: neither of strings nor of unknown rank, see ``not_random``.
        rng: where they come from.
    """
    shape, dtype = [1 if d < 0 else d for d in tensor.shape], to_numpy(tensor.dtype)
    values = rng.random(shape) if dtype.kind == "f" else rng.integers(0, 2, shape)
    return np.asarray(values).astype(dtype)
