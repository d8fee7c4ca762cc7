"""Dropout whose mode is known when the model runs: nothing is dropped unless it trains."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


def dropout(
    x: Array, ratio: Array | None = None, training_mode: Array | None = None, *, seed: int | None = None
) -> tuple[Array, Array]:
    """``x`` and a mask of True.

    Raises:
        KernelInputError: elements would have to be dropped at random, which training alone asks for.
    """
    trains = training_mode is not None and bool(training_mode.all())
    share = 0.5 if ratio is None else float(ratio.reshape(-1)[0])
    if trains and share != 0:
        raise KernelInputError(f"training_mode with a ratio of {share} drops elements at random")
    return x, np.ones(x.shape, np.bool_)


def infer_dropout(
    x: ArraySpec, ratio: ArraySpec | None = None, training_mode: ArraySpec | None = None
) -> tuple[ArraySpec, ArraySpec]:
    """The spec of ``x`` without its value, and a mask of its shape."""
    check_dtype(x, FLOATS)
    return ArraySpec(x.dtype, x.shape), ArraySpec(np.dtype(np.bool_), x.shape)


KERNEL = ReferenceKernel("ai.onnx.Dropout", dropout, infer_dropout, FLOATS)
