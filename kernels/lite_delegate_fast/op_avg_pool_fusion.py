"""AvgPoolFusion: windows summed up by tap, all of an image along its columns first."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._pooling import as_nhwc
from lite_delegate_kernels._window import pad_spatial
from lite_delegate_kernels.op_avg_pool_fusion import KERNEL as REFERENCE

from ._fused import fuse
from ._pooling import counts_of, reduce_windows, windows_of
from .fast_kernel import fast_form


@np.errstate(over="ignore", invalid="ignore")
def avg_pool_fusion(
    x: Array, *, global_: bool = False, activation_type: str = "NO_ACTIVATION", **attributes: Any
) -> Array:
    """As the reference kernel, sums in another order."""
    h, w = windows_of(x, global_=global_, **attributes)
    data = as_nhwc(x.astype(compute_dtype(x.dtype), copy=False))
    if global_:
        total = data.reshape(len(data), -1, data.shape[3]).sum(axis=1)[:, None, None]
    else:
        total = reduce_windows(pad_spatial(data, h, w, 0), h, w, np.add)
    y = fuse(np.divide(total, counts_of(h, w, data.dtype)), activation_type)
    return y.reshape(x.shape[0], h.out, w.out, *x.shape[3:]).astype(x.dtype, copy=False)


KERNEL = fast_form(REFERENCE, avg_pool_fusion)
