"""ONNX's element types and ours."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels.custom.element_types import ELEM_TYPES
from lite_delegate_kernels.custom.narrow import NARROW, wide_dtype

from ....ir import DataType, Format, from_numpy
from ...rejection import NotConvertible, Why
from .messages import TensorProto

Dtype = np.dtype[Any]
LAYOUTS = {4: Format.NCHW, 5: Format.NCDHW}
"""The meaning of an image's dimensions to ONNX's operators, by rank."""


def numpy_type(elem_type: int) -> Dtype:
    """The numpy dtype that holds the elements of an ONNX element type.

    NOTE: bfloat16, float8 and float4 are held in float32, integers of 4 and 2 bits in int8 and uint8.

    Raises:
        NotConvertible: no kernel computes with it (complex, ...), or it is undefined.
    """
    if elem_type in NARROW:
        return wide_dtype(elem_type)
    try:
        return ELEM_TYPES[elem_type]
    except KeyError:
        raise NotConvertible(Why.DTYPE, f"element type {type_name(elem_type)}, no kernel computes with it") from None


def type_name(elem_type: int) -> str:
    """ONNX's name of an element type in small letters."""
    try:
        return str(TensorProto.DataType.Name(elem_type)).lower()
    except ValueError:
        return f"number {elem_type}"


def widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of a type that numpy does not have in the type that holds its elements; any other as it is."""
    import onnx

    try:
        elem_type = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    except (ValueError, KeyError, TypeError):
        return array
    return array.astype(wide_dtype(elem_type)) if elem_type in NARROW else array


def as_declared(array: np.ndarray[Any, Any], elem_type: int) -> np.ndarray[Any, Any]:
    """An array that holds the elements of an ONNX type in that type, as the package ``onnx`` has it."""
    if elem_type not in NARROW:
        return array
    import onnx

    return array.astype(onnx.helper.tensor_dtype_to_np_dtype(elem_type))


def type_id(dtype: Dtype) -> int:
    """The number by which a ``.ms`` file names a dtype."""
    return int(from_numpy(dtype))


__all__ = ["DataType", "Dtype", "numpy_type", "type_id", "type_name"]
