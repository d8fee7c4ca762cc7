"""MaxPoolFusion: the larger of two taps at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._pooling import as_nhwc
from lite_delegate_kernels._window import pad_spatial
from lite_delegate_kernels.op_max_pool_fusion import KERNEL as REFERENCE

from ._fused import fuse
from ._pooling import reduce_windows, windows_of
from .fast_kernel import fast_form


def max_pool_fusion(
    x: Array, *, global_: bool = False, activation_type: str = "NO_ACTIVATION", **attributes: Any
) -> Array:
    """As the reference kernel."""
    h, w = windows_of(x, global_=global_, **attributes)
    lowest = float(np.finfo(x.dtype).min)
    data = as_nhwc(x.astype(compute_dtype(x.dtype), copy=False))
    if global_:
        best = data.max(axis=(1, 2), keepdims=True)
    else:
        best = reduce_windows(pad_spatial(data, h, w, lowest), h, w, np.maximum)
    y = fuse(np.maximum(best, lowest), activation_type)
    return y.reshape(x.shape[0], h.out, w.out, *x.shape[3:]).astype(x.dtype, copy=False)


KERNEL = fast_form(REFERENCE, max_pool_fusion)
