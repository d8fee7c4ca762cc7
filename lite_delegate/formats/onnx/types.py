"""ONNX's element types and ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from ...ir import DataType, from_numpy
from ..rejection import NotConvertible, Why

Dtype = np.dtype[Any]


def numpy_type(elem_type: int) -> Dtype:
    """The numpy dtype of an ONNX element type.

    Raises:
        NotConvertible: no kernel computes with it (bfloat16, float8, 4-bit, complex, ...), or it is undefined.
    """
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(elem_type))
        from_numpy(dtype)
        return dtype
    except (ValueError, KeyError, TypeError):
        raise NotConvertible(Why.DTYPE, f"element type {type_name(elem_type)}, no kernel computes with it") from None


def type_name(elem_type: int) -> str:
    """ONNX's name of an element type in small letters."""
    try:
        return str(onnx.TensorProto.DataType.Name(elem_type)).lower()
    except ValueError:
        return f"number {elem_type}"


def type_id(dtype: Dtype) -> int:
    """The number by which a ``.ms`` file names a dtype."""
    return int(from_numpy(dtype))


def elem_type_of(dtype: Dtype) -> int:
    """The ONNX element type of a dtype."""
    return onnx.helper.np_dtype_to_tensor_dtype(dtype)


__all__ = ["DataType", "Dtype", "elem_type_of", "numpy_type", "type_id", "type_name"]
