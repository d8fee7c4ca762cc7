"""Conv2DFusion: dense, grouped and depthwise two-dimensional convolution over (N, H, W, C)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dense import FLOATS, check_bias, check_dtype, compute_dtype, dims, finish, weight_dims
from ._fused import check_fused
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._window import check_kernel, conv_windows, pad_spatial, window_view


@np.errstate(over="ignore", invalid="ignore")
def conv2d_fusion(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    format: str = "NCHW",
    kernel_size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    pad_mode: str = "PAD",
    pad_list: Sequence[int] | None = None,
    mode: int = 0,
    group: int = 0,
    in_channel: int = 0,
    out_channel: int = 0,
    activation_type: str = "NO_ACTIVATION",
) -> Array:
    """``y[n, p, q, k] = bias[k] + sum x[n, p*sh - up + i*dh, q*sw - left + j*dw, c] * weight[k, i, j, c]``.

    Args:
        x: (N, H, W, Cin), float. float16 is computed in float32.
        weight: (Cout, Kh, Kw, Cin / group), float. Block g of the output channels uses block g of the input's.
        bias: (Cout,) or None.
        format, mode, in_channel, out_channel: no effect; the arrays are (N, H, W, C) and say their channels.
        kernel_size: [h, w]; when absent, taken from the weight.
        stride, dilation: [h, w]; when absent, 1.
        pad_mode: SAME works the padding out and ignores ``pad_list``; PAD and VALID both use ``pad_list``.
        pad_list: [up, down, left, right]; absent or shorter means zeros.
        group: 0 means Cout.
        activation_type: NO_ACTIVATION, RELU or RELU6.

    Returns:
        (N, Hout, Wout, Cout) in the dtype of ``x``.

    NOTE: VALID adds a non-zero ``pad_list`` as MindSpore Lite does; its rounding then gives the size of PAD.
    """
    wide = compute_dtype(x.dtype)
    cout, kh, kw, per_group = weight.shape
    groups = group or cout
    h, w = conv_windows(x.shape[1:3], (kh, kw), stride, dilation, pad_mode, pad_list)
    windows = window_view(pad_spatial(x.astype(wide, copy=False), h, w, 0), h, w)
    windows = windows.reshape(*windows.shape[:5], groups, per_group)
    kernels = weight.astype(wide, copy=False).reshape(groups, cout // groups, kh, kw, per_group)
    y = np.einsum("npqijgc,gkijc->npqgk", windows, kernels)
    return finish(y.reshape(*y.shape[:3], cout), bias, activation_type, x.dtype)


def infer_conv2d_fusion(
    x: ArraySpec,
    weight: ArraySpec,
    bias: ArraySpec | None = None,
    *,
    kernel_size: Sequence[int] | None,
    stride: Sequence[int] | None,
    dilation: Sequence[int] | None,
    pad_mode: str,
    pad_list: Sequence[int] | None,
    group: int,
    activation_type: str,
) -> ArraySpec:
    """The shape (N, Hout, Wout, Cout); see ``conv2d_fusion``.

    Raises:
        KernelInputError: dtypes, ranks, channels, group, kernel_size, strides or pads that do not fit, a kernel
            larger than the padded input, a fused activation other than RELU and RELU6.
    """
    check_fused(activation_type)
    check_dtype("x", x, FLOATS)
    batch, height, width, channels = dims("x", x, 4)
    (cout, kh, kw, per_group), groups = weight_dims(weight, group)
    if UNKNOWN not in (channels, per_group, groups) and channels != per_group * groups:
        raise KernelInputError(
            f"x must have {per_group * groups} channels, {per_group} for each of {groups} group(s), got {channels}"
        )
    check_bias(bias, cout)
    kernel = check_kernel((kh, kw), kernel_size)
    h, w = conv_windows((height, width), kernel, stride, dilation, pad_mode, pad_list)
    return ArraySpec(x.dtype, (batch, h.out, w.out, cout))


KERNEL = ReferenceKernel("Conv2DFusion", conv2d_fusion, infer_conv2d_fusion, FLOATS)
