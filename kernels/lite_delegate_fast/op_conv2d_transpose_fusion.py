"""Conv2dTransposeFusion: each tap of the kernel as a matrix product, or a product by elements where it is depthwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dense import compute_dtype
from lite_delegate_kernels.op_conv2d_transpose_fusion import KERNEL as REFERENCE
from lite_delegate_kernels.op_conv2d_transpose_fusion import spreads

from ._fused import finish
from .fast_kernel import fast_form


@np.errstate(over="ignore", invalid="ignore")
def conv2d_transpose_fusion(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    pad_mode: str = "PAD",
    pad_list: Sequence[int] | None = None,
    group: int = 0,
    activation_type: str = "NO_ACTIVATION",
    output_paddings: Sequence[int] | None = None,
    **without_effect: Any,
) -> Array:
    """As the reference kernel, sums in another order."""
    wide = compute_dtype(x.dtype)
    kernels = weight.astype(wide, copy=False)
    h, w = spreads(x.shape[1:3], weight.shape[1:3], stride, dilation, pad_mode, pad_list, output_paddings)
    groups = group or weight.shape[0]
    canvas = np.zeros((x.shape[0], h.canvas, w.canvas, weight.shape[3] * groups), dtype=wide)
    data = np.ascontiguousarray(x, dtype=wide)
    for i, j in np.ndindex(h.kernel, w.kernel):
        canvas[:, h.tap(i), w.tap(j)] += _tap_product(data, kernels[:, i, j], groups)
    y = np.ascontiguousarray(canvas[:, h.kept, w.kept])
    return finish(y, bias, activation_type, x.dtype)


def _tap_product(x: Array, kernel: Array, groups: int) -> Array:
    """``x`` (N, H, W, Cin) times one tap (Cin, Cout / group), group by group: (N, H, W, Cout)."""
    cin, per_group = kernel.shape
    if groups == cin and per_group == 1:
        return np.multiply(x, kernel[:, 0])
    split = x.reshape(x.size // cin, groups, cin // groups).transpose(1, 0, 2)
    product = split @ kernel.reshape(groups, cin // groups, per_group)
    return product.transpose(1, 0, 2).reshape(*x.shape[:3], groups * per_group)


KERNEL = fast_form(REFERENCE, conv2d_transpose_fusion)
