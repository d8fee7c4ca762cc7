"""The distance that a delegate's numbers may have from the reference's before it counts as an error.

What a user asks for is numpy's rule. The default is what the conformance suite grants to one operator, carried over to
many: a device rounds every tensor that it stores, to a coarser type than the reference kernels have or by adding up in
another order, so the reference kernels run once more with every tensor rounded like that, and how far they get from
themselves is granted twice.
"""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, Array

from ...basics.data_class import dataclass
from ...errors import InputError
from ...ir import DataType
from ...numerics.tolerance import Tolerance, chain_tolerance, finite_distance
from ...tensors.tensor import Tensor

EXACT = Tolerance(0.0, 0.0)
QUANTIZED_STEPS = 1
"""Granted to integers that stand for real numbers: a tie may be rounded to either side."""


@dataclass(frozen=True, slots=True)
class AskedTolerance:
    """The user's own tolerance, see ``Tolerance``, also for NaN. Where one of ``rtol`` and ``atol`` is given, the other
    is 0.

    Raises:
        InputError: one of both is negative or NaN.
    """

    rtol: float | None = None
    atol: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if value is not None and not value >= 0:
                raise InputError(f"{name} must be at least 0, got {value}.")

    @property
    def tolerance(self) -> Tolerance | None:
        """The rule; None when the defaults hold."""
        if self.rtol is None and self.atol is None:
            return None
        return Tolerance(self.rtol or 0.0, self.atol or 0.0)


def default_tolerance(tensor: Tensor, want: Array, rounded: Array | None, storage: DataType | None) -> Tolerance:
    """The tolerance where the user asks for none.

    1. Floats: relative to each value and to the largest one, the relative tolerance of one operator or its
       roundings of the storage type, whichever is more; and twice the largest difference that rounding made.
    2. Integers that stand for real numbers: a step; and twice the difference that rounding made, element by element.
    3. Other integers, bool: that difference alone. Strings: nothing.

    Args:
        tensor: what is compared.
        want: its expected contents.
        rounded: the same by the reference kernels with every tensor rounded, see ``numerics.rounding``; None when that
            is not known.
        storage: the type in which the device stores floating-point tensors; None for their own.
    """
    if want.dtype == STRING_DTYPE:
        return EXACT
    if want.dtype.kind == "f":
        return chain_tolerance(want, rounded, storage)
    steps = QUANTIZED_STEPS if tensor.quant_params and want.dtype.kind in "iu" else 0
    return Tolerance(0.0, steps + 2 * _distance(rounded, want))


def _distance(rounded: Array | None, want: Array) -> Array:
    if rounded is None or rounded.shape != want.shape:
        return np.zeros(want.shape)
    return finite_distance(rounded, want)
