"""ONNX's numbers of the element types that numpy has; ``narrow`` has the others."""

from __future__ import annotations

import numpy as np

from .._dtypes import DType
from .._kernel import KernelInputError

ELEM_TYPES: dict[int, DType] = {
    number: np.dtype(name)
    for number, name in {
        1: "float32",
        2: "uint8",
        3: "int8",
        4: "uint16",
        5: "int16",
        6: "int32",
        7: "int64",
        9: "bool",
        10: "float16",
        11: "float64",
        12: "uint32",
        13: "uint64",
    }.items()
}
"""The numpy dtype of every element type of ONNX's ``TensorProto`` that numpy has and tensors may have."""


def dtype_of_elem_type(number: int) -> DType:
    """The dtype of an element type of ONNX; raises KernelInputError for one that numpy does not have."""
    if number not in ELEM_TYPES:
        raise KernelInputError(f"element type {number} must be one of {sorted(ELEM_TYPES)}")
    return ELEM_TYPES[number]
