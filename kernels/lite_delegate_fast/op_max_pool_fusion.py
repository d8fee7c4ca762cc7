"""MaxPoolFusion: the larger of two taps at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import Array, ReferenceKernel
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._pooling import as_nhwc
from lite_delegate_kernels._quantization import BYTES
from lite_delegate_kernels._window import pad_spatial
from lite_delegate_kernels.op_max_pool_fusion import KERNEL as REFERENCE

from ._fused import fuse
from ._pooling import reduce_windows, windows_of
from ._quantized_tables import looked_up, table_of
from .fast_kernel import BindFunction, Inputs, fast_form


def max_pool_fusion(
    x: Array, *, global_: bool = False, activation_type: str = "NO_ACTIVATION", **attributes: Any
) -> Array:
    """As the reference kernel."""
    lowest = float(np.finfo(x.dtype).min)
    best = _largest(x.astype(compute_dtype(x.dtype), copy=False), lowest, global_=global_, **attributes)
    y = fuse(np.maximum(best, lowest), activation_type)
    return y.astype(x.dtype, copy=False)


def _largest(x: Array, lowest: float, *, global_: bool, **attributes: Any) -> Array:
    """The largest elements of windows, of which what lies around the image is the lowest."""
    h, w = windows_of(x, global_=global_, **attributes)
    data = as_nhwc(x)
    if global_:
        best = data.max(axis=(1, 2), keepdims=True)
    else:
        best = reduce_windows(pad_spatial(data, h, w, lowest), h, w, np.maximum)
    return np.asarray(best.reshape(x.shape[0], h.out, w.out, *x.shape[3:]))


def bind_quantized(form: ReferenceKernel) -> BindFunction:
    """The bound functions of nodes on integers of 8 bits: the largest integer, and what the output has for it.

    Args:
        form: the quantized kernel.
    """
    return partial(_bound, form)


def _bound(form: ReferenceKernel, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    x = inputs[0]
    if x is None or x.dtype_name not in BYTES:
        return None
    point = {"kernel_size": [1, 1], "strides": [1, 1], "pad": None, "pad_mode": "PAD", "global_": False}
    table = table_of(form, x.dtype, (256, 1, 1, 1), {**attributes, **point})
    plain = {name: value for name, value in attributes.items() if name not in ("quantization", "activation_type")}
    return None if table is None else partial(_largest_bytes, table.tobytes(), plain)


def _largest_bytes(table: bytes, attributes: Mapping[str, Any], x: Array) -> Array:
    best = _largest(x, np.iinfo(x.dtype).min, **attributes)
    return looked_up(table, x.dtype, best)


KERNEL = fast_form(REFERENCE, max_pool_fusion)
