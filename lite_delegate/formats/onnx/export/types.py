"""ONNX's numbers of element types."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Dtype: TypeAlias = np.dtype[Any]

ELEM_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
}
"""By numpy's name, TensorProto.DataType of onnx.proto."""


def elem_type_of(dtype: Dtype) -> int:
    """The number of a numpy dtype.

    Raises:
        KeyError: ONNX has none for it.
    """
    return ELEM_TYPES[dtype.name]
