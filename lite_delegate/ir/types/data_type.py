"""Element types, numbered as MindSpore Lite numbers them, and their numpy counterparts."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from .numbered import Numbered


class DataType(Numbered):
    """Element type of a tensor: the names and numbers of the ``mindspore_lite`` package.

    NOTE: STRING, TENSOR_LIST and BFLOAT16 are in model files, but not in that package's enum.
    """

    UNKNOWN = 0
    STRING = 12
    TENSOR_LIST = 17
    BOOL = 30
    INT8 = 32
    INT16 = 33
    INT32 = 34
    INT64 = 35
    UINT8 = 37
    UINT16 = 38
    UINT32 = 39
    UINT64 = 40
    FLOAT16 = 42
    FLOAT32 = 43
    FLOAT64 = 44
    BFLOAT16 = 46
    INVALID = 2147483647


_NUMPY: dict[DataType, np.dtype[Any]] = {
    DataType.BOOL: np.dtype(np.bool_),
    DataType.INT8: np.dtype(np.int8),
    DataType.INT16: np.dtype(np.int16),
    DataType.INT32: np.dtype(np.int32),
    DataType.INT64: np.dtype(np.int64),
    DataType.UINT8: np.dtype(np.uint8),
    DataType.UINT16: np.dtype(np.uint16),
    DataType.UINT32: np.dtype(np.uint32),
    DataType.UINT64: np.dtype(np.uint64),
    DataType.FLOAT16: np.dtype(np.float16),
    DataType.FLOAT32: np.dtype(np.float32),
    DataType.FLOAT64: np.dtype(np.float64),
    DataType.STRING: STRING_DTYPE,
}
ITEM_SIZES = {data_type: dtype.itemsize for data_type, dtype in _NUMPY.items()}
"""Bytes of an element, of all types that exist in numpy."""
_FROM_NUMPY = {dtype: data_type for data_type, dtype in _NUMPY.items()}


def has_numpy(data_type: DataType) -> bool:
    """True when arrays of this type exist in numpy."""
    return data_type in _NUMPY


def to_numpy(data_type: DataType) -> np.dtype[Any]:
    """The numpy dtype of a data type; for STRING the dtype of packed bytes.

    Raises:
        ValueError: numpy does not have the type (TENSOR_LIST, BFLOAT16, UNKNOWN, INVALID).
    """
    dtype = _NUMPY.get(data_type)
    if dtype is None:
        raise ValueError(f"data type {data_type.name} has no numpy counterpart")
    return dtype


def from_numpy(dtype: np.dtype[Any] | type[Any] | str) -> DataType:
    """The data type of a numpy dtype, whatever its byte order.

    Raises:
        ValueError: no tensor can hold such elements (complex, object, ...).
    """
    found = _FROM_NUMPY.get(np.dtype(dtype).newbyteorder("="))
    if found is None:
        names = ", ".join(str(d) for d in _FROM_NUMPY if d != STRING_DTYPE)
        raise ValueError(f"numpy dtype {np.dtype(dtype)} has no tensor data type; expected one of {names}")
    return found
