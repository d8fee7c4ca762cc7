"""AdderFusion: differences in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels._window import conv_windows, pad_spatial, window_view
from lite_delegate_kernels.op_adder_fusion import KERNEL as REFERENCE

from ._fused import finish
from .fast_kernel import fast_form

DIFFERENCE_BYTES = 1 << 20
"""Most differences worked out at once: about a core's second-level cache."""


@np.errstate(over="ignore", invalid="ignore")
def adder_fusion(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    pad_mode: str = "PAD",
    pad_list: Sequence[int] | None = None,
    activation_type: str = "NO_ACTIVATION",
    **without_effect: Any,
) -> Array:
    """As the reference kernel."""
    h, w = conv_windows(x.shape[1:3], weight.shape[1:3], stride, dilation, pad_mode, pad_list)
    padded = pad_spatial(x.astype(compute_dtype(x.dtype), copy=False), h, w, 0)
    cout, terms = weight.shape[0], weight[0].size
    rows = window_view(padded, h, w).reshape(x.shape[0] * h.out * w.out, 1, terms)
    kernels = weight.astype(rows.dtype, copy=False).reshape(cout, terms)
    y = np.empty((len(rows), cout), dtype=rows.dtype)
    step = max(1, DIFFERENCE_BYTES // max(1, kernels.nbytes))
    for first in range(0, len(rows), step):
        differences = rows[first : first + step] - kernels
        np.abs(differences, out=differences)
        np.add.reduce(differences, axis=2, out=y[first : first + step])
    np.negative(y, out=y)
    return finish(y.reshape(x.shape[0], h.out, w.out, cout), bias, activation_type, x.dtype)


KERNEL = fast_form(REFERENCE, adder_fusion)
