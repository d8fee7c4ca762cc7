"""ONNX's convolutions and matrix products."""

from __future__ import annotations

from collections.abc import Callable

from lite_delegate_kernels import Array

from .node import OnnxNode, Why, number
from .spatial import check_two_spatial_axes, explicit_pads, flat, from_nhwc, to_nhwc, two, window_pads


def convolve(node: OnnxNode, x: Array, weight: Array, bias: Array | None) -> Array:
    """NCHW ``x``, KCHW ``weight``; both may lack the rows."""
    check_two_spatial_axes(node)
    data, kernels = to_nhwc(x), to_nhwc(weight)
    strides, dilations = two(node.get("strides", [1, 1]), 1)[-2:], two(node.get("dilations", [1, 1]), 1)[-2:]
    extents = [(k - 1) * d + 1 for k, d in zip(kernels.shape[1:3], dilations, strict=True)]
    same = node.get("auto_pad", "NOTSET") == "SAME_UPPER"
    pads = window_pads(node, data.shape[1:3], extents, strides)
    y = node.run(
        "Conv2DFusion",
        data,
        kernels,
        bias,
        stride=strides,
        dilation=dilations,
        group=node.get("group", 1),
        pad_mode="SAME" if same else "PAD",
        pad_list=None if same else flat(pads),
    )
    return from_nhwc(y, x.ndim)


def _conv(node: OnnxNode) -> Array:
    return convolve(node, node.x(0), node.x(1), node.optional(2))


def _centred(node: OnnxNode, x: Array, zero_point: Array | None, dtype: str) -> Array:
    """``x`` less its zero point, exactly, in ``dtype``."""
    wide = node.cast(x, dtype)
    return wide if zero_point is None else node.run("SubFusion", wide, node.cast(zero_point, dtype))


def _conv_integer(node: OnnxNode) -> Array:
    # float32 holds sums of products of bytes exactly up to 2**24.
    zero_point = node.optional(3)
    per_channel = None if zero_point is None else zero_point.reshape(-1, 1, 1, 1)
    x = _centred(node, node.x(0), node.optional(2), "float32")
    weight = _centred(node, node.x(1), per_channel, "float32")
    return node.cast(convolve(node, x, weight, None), "int32")


def _conv_transpose(node: OnnxNode) -> Array:
    check_two_spatial_axes(node)
    x, weight = to_nhwc(node.x(0)), to_nhwc(node.x(1))
    strides, dilations = two(node.get("strides", [1, 1]), 1)[-2:], two(node.get("dilations", [1, 1]), 1)[-2:]
    extra = two(node.get("output_padding", [0, 0]), 0)[-2:]
    same = node.get("auto_pad", "NOTSET") != "NOTSET"
    node.refuse_unless(node.get("auto_pad", "NOTSET") != "SAME_LOWER", Why.ATTRIBUTE, "auto_pad SAME_LOWER")
    pads = explicit_pads(node)
    if "output_shape" in node.attributes:
        reach = [
            (size - 1) * s + (k - 1) * d + 1 + e
            for size, s, k, d, e in zip(x.shape[1:3], strides, weight.shape[1:3], dilations, extra, strict=True)
        ]
        totals = [r - out for r, out in zip(reach, two(node.get("output_shape", []), 1), strict=True)]
        extra = [e + max(0, -t) for e, t in zip(extra, totals, strict=True)]
        pads = [(max(0, t) // 2, max(0, t) - max(0, t) // 2) for t in totals]
    y = node.run(
        "Conv2dTransposeFusion",
        x,
        weight,
        node.optional(2),
        stride=strides,
        dilation=dilations,
        group=node.get("group", 1),
        pad_mode="SAME" if same else "PAD",
        pad_list=flat(pads),
        output_paddings=extra,
    )
    return from_nhwc(y, node.x().ndim)


def product(node: OnnxNode, a: Array, b: Array) -> Array:
    """``a @ b`` as numpy defines it for vectors: their dimension of 1 is dropped again."""
    if a.ndim == b.ndim == 1:
        return node.run("MatMulFusion", a, b)
    y = node.run("MatMulFusion", a[None] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b)
    return y.squeeze(-2) if a.ndim == 1 else y.squeeze(-1) if b.ndim == 1 else y


def _matmul(node: OnnxNode) -> Array:
    return product(node, node.x(0), node.x(1))


def _matmul_integer(node: OnnxNode) -> Array:
    a_zero, b_zero = node.optional(2), node.optional(3)
    rows = a_zero if a_zero is None or a_zero.size == 1 else a_zero.reshape(-1, 1)
    a, b = _centred(node, node.x(0), rows, "int32"), _centred(node, node.x(1), b_zero, "int32")
    return product(node, a, b)


def _gemm(node: OnnxNode) -> Array:
    a, b, c = node.x(0), node.x(1), node.optional(2)
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    turned = {"transpose_a": bool(node.get("transA", 0)), "transpose_b": bool(node.get("transB", 0))}
    plain = alpha == beta == 1.0
    if plain and c is not None and c.ndim and c.size == c.shape[-1] == b.shape[0 if turned["transpose_b"] else 1]:
        return node.run("MatMulFusion", a, b, c, **turned)
    y = node.run("MatMulFusion", a, b, **turned)
    if alpha != 1.0:
        y = node.run("MulFusion", y, number(alpha, y))
    if c is None:
        return y
    return node.run("AddFusion", y, c if beta == 1.0 else node.run("MulFusion", c, number(beta, c)))


MAPPINGS: dict[str, Callable[[OnnxNode], Array]] = {
    "Conv": _conv,
    "ConvInteger": _conv_integer,
    "ConvTranspose": _conv_transpose,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "MatMulInteger": _matmul_integer,
}
