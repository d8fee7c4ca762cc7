"""The precision of floating-point types in which devices store tensors, bfloat16 among them, which numpy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.data_class import dataclass
from ..ir import DataType, to_numpy


@dataclass(frozen=True, slots=True)
class Precision:
    """A floating-point type.

    Attributes:
        digits: binary digits behind the leading one.
        smallest: the smallest positive number.
    """

    digits: int
    smallest: float

    @property
    def rounding(self) -> float:
        """The largest relative error of rounding to the nearest: half a unit in the last place."""
        return 2.0 ** -(self.digits + 1)


_BFLOAT16 = Precision(7, 2.0**-126)
"""Processors' instructions for it take smaller numbers for 0."""


def precision_of(storage: DataType | np.dtype[Any]) -> Precision:
    """The precision of a floating-point type of tensors or arrays."""
    if storage == DataType.BFLOAT16:
        return _BFLOAT16
    limits = np.finfo(to_numpy(storage) if isinstance(storage, DataType) else storage)
    return Precision(limits.nmant, float(limits.smallest_subnormal))
