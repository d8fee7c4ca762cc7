"""ONNX's numbers of element types."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from lite_delegate_kernels.custom.element_types import ELEM_TYPES

Dtype: TypeAlias = np.dtype[Any]

NUMBERS = {dtype.name: number for number, dtype in ELEM_TYPES.items()}
"""By numpy's name, which is the same for each order of bytes."""


def elem_type_of(dtype: Dtype) -> int:
    """The number of a numpy dtype.

    Raises:
        KeyError: ONNX has none for it.
    """
    return NUMBERS[dtype.name]
