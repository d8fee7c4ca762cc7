"""Eltwise: the product, sum or maximum of two arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._arithmetic import infer_binary
from ._dtypes import NUMBERS
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel

_FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "PROD": np.multiply,
    "SUM": np.add,
    "MAXIMUM": np.maximum,
}


@np.errstate(all="ignore")
def eltwise(*xs: Array, mode: str = "PROD") -> Array:
    """``xs[0] * xs[1]``, ``xs[0] + xs[1]`` or the larger of both, broadcast. Integers wrap around.

    Args:
        xs: exactly two arrays of one float or integer dtype, shapes that broadcast.
        mode: PROD, SUM or MAXIMUM.

    Returns:
        The broadcast shape, the dtype of the inputs.

    Raises:
        KernelInputError: another mode (UNKNOWN).
    """
    return np.asarray(_function(mode)(*xs))


def infer_eltwise(*xs: ArraySpec, mode: str) -> ArraySpec:
    """The broadcast shape; raises KernelInputError for other than two inputs, mixed dtypes and unfit shapes."""
    if len(xs) != 2:
        raise KernelInputError(f"exactly 2 inputs expected, got {len(xs)}")
    _function(mode)
    return infer_binary(*xs)


def _function(mode: str) -> Callable[[Array, Array], Array]:
    function = _FUNCTIONS.get(mode)
    if function is None:
        raise KernelInputError(f"mode must be one of {', '.join(_FUNCTIONS)}, got {mode}")
    return function


KERNEL = ReferenceKernel("Eltwise", eltwise, infer_eltwise, NUMBERS)
