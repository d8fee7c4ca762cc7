"""AdderFusion: a convolution that adds up distances in place of products."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dense import FLOATS, compute_dtype, finish
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._window import conv_windows, pad_spatial, window_view
from .op_conv2d_fusion import infer_conv2d_fusion


@np.errstate(over="ignore", invalid="ignore")
def adder_fusion(
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
    group: int = 0,
    in_channel: int = 0,
    out_channel: int = 0,
    activation_type: str = "NO_ACTIVATION",
) -> Array:
    """``y[n, p, q, k] = bias[k] - sum |x[n, p*sh - up + i*dh, q*sw - left + j*dw, c] - weight[k, i, j, c]|``.

    Chen et al., "AdderNet: Do We Really Need Multiplications in Deep Learning?" (2020), equation 2. Pixels of the
    padding are 0 and count like any other.

    Args:
        x: (N, H, W, Cin), float. float16 is computed in float32.
        weight: (Cout, Kh, Kw, Cin), float.
        bias: (Cout,) or None.
        format, in_channel, out_channel: no effect; the arrays are (N, H, W, C) and say their channels.
        kernel_size, stride, dilation, pad_mode, pad_list, activation_type: as of Conv2DFusion.
        group: 0 or 1.

    Returns:
        (N, Hout, Wout, Cout) in the dtype of ``x``.

    NOTE: all differences are in memory at once, Kh * Kw * Cin for every output element.
    """
    h, w = conv_windows(x.shape[1:3], weight.shape[1:3], stride, dilation, pad_mode, pad_list)
    padded = pad_spatial(x.astype(compute_dtype(x.dtype), copy=False), h, w, 0)
    cout, terms = weight.shape[0], weight[0].size
    rows = window_view(padded, h, w).reshape(x.shape[0] * h.out * w.out, 1, terms)
    kernels = weight.astype(rows.dtype, copy=False).reshape(cout, terms)
    y = -np.abs(rows - kernels).sum(axis=2)
    return finish(y.reshape(x.shape[0], h.out, w.out, cout), bias, activation_type, x.dtype)


def infer_adder_fusion(
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
    """The spec of the convolution of the same attributes; raises KernelInputError as it does, and for groups."""
    if group not in (0, 1):
        raise KernelInputError(f"group must be 0 or 1, got {group}")
    return infer_conv2d_fusion(
        x,
        weight,
        bias,
        kernel_size=kernel_size,
        stride=stride,
        dilation=dilation,
        pad_mode=pad_mode,
        pad_list=pad_list,
        group=1,
        activation_type=activation_type,
    )


KERNEL = ReferenceKernel("AdderFusion", adder_fusion, infer_adder_fusion, FLOATS)
