"""The names of ONNX's element types, as numpy and ml_dtypes spell them."""

from __future__ import annotations

import onnx


def dtype_name(elem_type: int) -> str:
    """``"float32"`` for 1, ``"bfloat16"`` for 16, ``"object"`` for a string."""
    return onnx.helper.tensor_dtype_to_np_dtype(elem_type).name
