"""Conv2dTransposeFusion: transposed (fractionally strided) convolution over (N, H, W, C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._dense import FLOATS, check_bias, check_dtype, compute_dtype, dims, finish, weight_dims
from ._fused import check_fused
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._window import check_kernel, check_pad_mode, pad_pairs, pair


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of one spatial axis of the input over the output.

    Input element i adds tap k to output element ``i * stride + k * dilation - before``. The canvas holds every
    such position; where ``before`` is negative it starts with elements that no tap reaches.
    """

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    out: int

    @property
    def canvas(self) -> int:
        """Length that holds all taps and all of the output."""
        reach = (self.size - 1) * self.stride + (self.kernel - 1) * self.dilation + 1
        return max(max(0, -self.before) + reach, max(0, self.before) + self.out)

    @property
    def kept(self) -> slice:
        """The part of the canvas that is the output."""
        start = max(0, self.before)
        return slice(start, start + self.out)

    def tap(self, index: int) -> slice:
        """The canvas positions of tap ``index`` of every input element."""
        start = max(0, -self.before) + index * self.dilation
        return slice(start, start + (self.size - 1) * self.stride + 1, self.stride)


@np.errstate(over="ignore", invalid="ignore")
def conv2d_transpose_fusion(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    format: str = "NCHW",
    kernel_size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
    dilation: Sequence[int] | None = None,
    pad_mode: str = "PAD",
    pad: Sequence[int] | None = None,
    pad_list: Sequence[int] | None = None,
    mode: int = 0,
    group: int = 0,
    in_channel: int = 0,
    out_channel: int = 0,
    activation_type: str = "NO_ACTIVATION",
    output_paddings: Sequence[int] | None = None,
) -> Array:
    """``y[n, p*sh + i*dh - up, q*sw + j*dw - left, k] += x[n, p, q, c] * weight[c, i, j, k]``, plus bias.

    Args:
        x: (N, H, W, Cin), float. float16 is computed in float32.
        weight: (Cin, Kh, Kw, Cout / group), float. Block g of the input's channels makes block g of the output's.
        bias: (Cout,) or None.
        format, pad, mode, in_channel, out_channel: no effect; the arrays are (N, H, W, C) and say their channels.
        kernel_size: [h, w]; when absent, taken from the weight.
        stride, dilation: [h, w]; when absent, 1.
        pad_mode: SAME gives ``H * stride`` rows, VALID ``(H - 1) * stride + Kh``; both ignore ``pad_list``. PAD gives
            ``(H - 1) * stride + (Kh - 1) * dilation + 1`` less ``pad_list``.
        pad_list: [up, down, left, right]; absent or shorter means zeros.
        group: 0 means Cin.
        activation_type: NO_ACTIVATION, RELU or RELU6.
        output_paddings: [h, w], rows and columns added at the end, in every pad mode.

    Returns:
        (N, Hout, Wout, Cout) in the dtype of ``x``.

    NOTE: as in MindSpore Lite, VALID leaves the dilation out of the size, which cuts the last taps off, and SAME
    halves a negative padding (a stride above the kernel's extent) towards zero.
    """
    wide = compute_dtype(x.dtype)
    cin, kh, kw, per_group = weight.shape
    groups = group or cin
    h, w = spreads(x.shape[1:3], (kh, kw), stride, dilation, pad_mode, pad_list, output_paddings)
    data = x.astype(wide, copy=False).reshape(*x.shape[:3], groups, cin // groups)
    kernels = weight.astype(wide, copy=False).reshape(groups, cin // groups, kh, kw, per_group)
    canvas = np.zeros((x.shape[0], h.canvas, w.canvas, groups * per_group), dtype=wide)
    for i, j in np.ndindex(kh, kw):
        products = np.einsum("nhwgc,gck->nhwgk", data, kernels[:, :, i, j])
        canvas[:, h.tap(i), w.tap(j)] += products.reshape(*x.shape[:3], groups * per_group)
    return finish(canvas[:, h.kept, w.kept], bias, activation_type, x.dtype)


def infer_conv2d_transpose_fusion(
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
    output_paddings: Sequence[int] | None,
) -> ArraySpec:
    """The shape (N, Hout, Wout, Cout); see ``conv2d_transpose_fusion``.

    Raises:
        KernelInputError: dtypes, ranks, channels, group, kernel_size, strides or pads that do not fit, pads that
            leave no output, a fused activation other than RELU and RELU6.
    """
    check_fused(activation_type)
    check_dtype("x", x, FLOATS)
    batch, height, width, channels = dims("x", x, 4)
    (cin, kh, kw, per_group), groups = weight_dims(weight, group)
    if UNKNOWN not in (channels, cin) and channels != cin:
        raise KernelInputError(f"x must have the {cin} channels of the weight's first dimension, got {channels}")
    cout = UNKNOWN if UNKNOWN in (per_group, groups) else per_group * groups
    check_bias(bias, cout)
    kernel = check_kernel((kh, kw), kernel_size)
    h, w = spreads((height, width), kernel, stride, dilation, pad_mode, pad_list, output_paddings)
    return ArraySpec(x.dtype, (batch, h.out, w.out, cout))


def spreads(
    sizes: tuple[int, ...],
    kernels: tuple[int, ...],
    stride: Sequence[int] | None,
    dilation: Sequence[int] | None,
    pad_mode: str,
    pad_list: Sequence[int] | None,
    output_paddings: Sequence[int] | None,
) -> tuple[Spread, Spread]:
    """The spread of rows and columns of ``sizes``, from the operator's attributes; see ``conv2d_transpose_fusion``.

    Raises:
        KernelInputError: an input without rows or columns, attributes that do not fit, pads that leave no output.
    """
    check_pad_mode(pad_mode)
    if 0 in sizes:
        raise KernelInputError(f"x must have at least one row and one column, got {sizes}")
    strides, dilations = pair("stride", stride), pair("dilation", dilation)
    pads, extra = pad_pairs("pad_list", pad_list), _output_paddings(output_paddings)
    h, w = (_spread(sizes[i], kernels[i], strides[i], dilations[i], pad_mode, pads[i], extra[i]) for i in (0, 1))
    return h, w


def _output_paddings(value: Sequence[int] | None) -> tuple[int, int]:
    if value is None:
        return 0, 0
    if len(value) != 2 or min(value) < 0:
        raise KernelInputError(f"output_paddings must hold [h, w], neither negative, got {list(value)}")
    return value[0], value[1]


def _spread(
    size: int, kernel: int, stride: int, dilation: int, pad_mode: str, pads: tuple[int, int], extra: int
) -> Spread:
    if size == UNKNOWN or (kernel == UNKNOWN and pad_mode != "SAME"):
        return Spread(size, kernel, stride, dilation, 0, UNKNOWN)
    reach = (size - 1) * stride + (kernel - 1) * dilation + 1
    if pad_mode == "SAME":
        before, out = int((reach - size * stride) / 2), size * stride
    elif pad_mode == "VALID":
        before, out = 0, (size - 1) * stride + kernel
    else:
        before, out = pads[0], reach - sum(pads)
    if out + extra < 1:
        raise KernelInputError(f"pad_list takes {sum(pads)} from an output of {reach} elements and leaves none")
    return Spread(size, kernel, stride, dilation, before, out + extra)


KERNEL = ReferenceKernel("Conv2dTransposeFusion", conv2d_transpose_fusion, infer_conv2d_transpose_fusion, FLOATS)
