"""Steps that add what networks are made of: products, convolutions, pools, normalizations, recurrent layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.random_models.onnx_growing import Growing
from tests.random_models.onnx_operators import Grow
from tests.random_models.steps import Array


def _image(g: Growing) -> str | None:
    return g.pick(where=lambda a: a.ndim == 4 and min(a.shape) > 0 and min(a.shape[2:]) > 1)


def _window(g: Growing, array: Array, smallest: int = 1) -> dict[str, Any]:
    kernel = [g.rng.randint(smallest, min(3, size)) for size in array.shape[2:]]
    found: dict[str, Any] = {"kernel_shape": kernel, "strides": [g.rng.randint(1, 2) for _ in kernel]}
    if g.rng.random() < 0.3:
        return {**found, "auto_pad": g.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])}
    before, after = ([g.rng.randint(0, size // 2) for size in kernel] for _ in range(2))
    return {**found, "pads": [*before, *after]}


def convolution(g: Growing) -> None:
    x = _image(g)
    if x is None:
        return
    array = g.arrays[x]
    channels, window = array.shape[1], _window(g, array)
    group = g.rng.choice([1, 1, channels])
    kernel, strides = window["kernel_shape"], window["strides"]
    if g.rng.random() < 0.75:
        count = group * g.rng.randint(1, 4)
        weights, op = g.numbers(count, channels // group, *kernel, scale=0.5), "Conv"
    else:
        count = group * g.rng.randint(1, 3)
        weights, op = g.numbers(channels, count // group, *kernel, scale=0.5), "ConvTranspose"
        window["strides"] = [min(pair) for pair in zip(strides, kernel, strict=True)]  # without gaps
    if op == "Conv" and g.rng.random() < 0.2:
        window["dilations"] = [2] * len(kernel)
    bias = [g.constant(g.numbers(count))] if g.rng.random() < 0.7 else []
    g.node(op, [x, g.constant(weights), *bias], group=group, **window)


def pool(g: Growing) -> None:
    x = _image(g)
    if x is None:
        return
    op = g.rng.choice(["MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool"])
    if op.startswith("Global"):
        g.node(op, [x])
        return
    more: dict[str, Any] = {"count_include_pad": g.rng.randint(0, 1)} if op == "AveragePool" else {}
    g.node(op, [x], **_window(g, g.arrays[x]), **more, ceil_mode=g.rng.choice([0, 0, 1]))


def normalize(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim >= 3 and 0 not in a.shape)
    if x is None:
        return
    channels = g.arrays[x].shape[1]
    scale, shift = g.constant(g.numbers(channels)), g.constant(g.numbers(channels))
    op = g.rng.choice(["BatchNormalization", "InstanceNormalization", "GroupNormalization", "LRN"])
    if op in ("InstanceNormalization", "GroupNormalization") and np.prod(g.arrays[x].shape[2:]) == 1:
        return  # of one number: ONNX Runtime takes the difference of two large products for 0
    if op == "BatchNormalization":
        variance = g.constant(np.abs(g.numbers(channels)) + 0.5)
        g.node(op, [x, scale, shift, g.constant(g.numbers(channels)), variance])
    elif op == "LRN":
        g.node(op, [x], size=g.rng.choice([1, 3, 5]))
    else:
        more: dict[str, Any] = {"num_groups": g.rng.choice([1, channels])} if op == "GroupNormalization" else {}
        g.node(op, [x, scale, shift], **more)


def normalize_rows(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim >= 2 and a.shape[-1] > 1)
    if x is None:
        return
    width = g.arrays[x].shape[-1]
    scale = g.constant(g.numbers(width))
    if g.rng.random() < 0.5:
        g.node("RMSNormalization", [x, scale], axis=-1)
    else:
        g.node("LayerNormalization", [x, scale, g.constant(g.numbers(width))], axis=-1)


def product(g: Growing) -> None:
    """With a constant matrix, or with another value."""
    x = g.pick(where=lambda a: a.ndim >= 2 and 0 not in a.shape)
    if x is None:
        return
    array = g.arrays[x]
    other = g.pick(where=lambda a: a.ndim >= 2 and a.shape[-2] == array.shape[-1])
    if other is not None and g.rng.random() < 0.4:
        g.node("MatMul", [x, other])
        return
    columns = g.rng.randint(1, 5)
    if array.ndim == 2 and g.rng.random() < 0.5:
        transposed = g.rng.randint(0, 1)
        shape = (columns, array.shape[1]) if transposed else (array.shape[1], columns)
        bias = [g.constant(g.numbers(columns))] if g.rng.random() < 0.7 else []
        factors: dict[str, Any] = {"alpha": 0.5, "beta": 2.0} if g.rng.random() < 0.2 else {}
        g.node("Gemm", [x, g.constant(g.numbers(*shape)), *bias], transB=transposed, **factors)
    else:
        g.node("MatMul", [x, g.constant(g.numbers(array.shape[-1], columns))])


def einsum(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim == 3)
    if x is not None:
        equation = g.rng.choice(["bij,bkj->bik", "bij,bij->bi", "bij,bkj->bki", "bij,ckj->bick"])
        g.node("Einsum", [x, x], equation=equation)


def attention(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim == 4 and 0 not in a.shape)
    if x is not None:
        g.node("Attention", [x, x, x], is_causal=g.rng.randint(0, 1))


def recurrent(g: Growing) -> None:
    """One layer, or two that read one value."""
    x = g.pick(where=lambda a: a.ndim == 3 and 0 not in a.shape)
    if x is None:
        return
    for _ in range(g.rng.choice([1, 1, 2])):
        _layer(g, x)


def _layer(g: Growing, x: str) -> None:
    op = g.rng.choice(["LSTM", "GRU", "RNN"])
    gates, hidden = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], g.rng.randint(1, 3)
    direction = g.rng.choice(["forward", "forward", "reverse", "bidirectional"])
    count, (_, batch, width) = 1 + (direction == "bidirectional"), g.arrays[x].shape
    weights = [
        g.constant(g.numbers(count, gates * hidden, width, scale=0.5)),
        g.constant(g.numbers(count, gates * hidden, hidden, scale=0.5)),
        g.constant(g.numbers(count, 2 * gates * hidden)) if g.rng.random() < 0.7 else "",
    ]
    state = [g.constant(g.numbers(count, batch, hidden))] if g.rng.random() < 0.4 else []
    more: dict[str, Any] = {"linear_before_reset": g.rng.randint(0, 1)} if op == "GRU" else {}
    outputs = 3 if op == "LSTM" else 2
    g.node(
        op, [x, *weights, *(["", *state] if state else [])], outputs, hidden_size=hidden, direction=direction, **more
    )


def image_resize(g: Growing) -> None:
    x = _image(g)
    if x is None:
        return
    sizes = [*g.arrays[x].shape[:2], *(g.rng.randint(2, 6) for _ in range(2))]
    mode = g.rng.choice(["nearest", "linear", "cubic"])
    how = g.rng.choice(["asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"])
    more: dict[str, Any] = (
        {"nearest_mode": g.rng.choice(["floor", "round_prefer_floor", "ceil"])} if mode == "nearest" else {}
    )
    if (
        how in ("asymmetric", "half_pixel") and g.rng.random() < 0.5
    ):  # others read factors that are no ratio in two ways
        scales = g.constant([1, 1, *(g.rng.choice([0.5, 1, 2, 1.5]) for _ in range(2))], np.float32)
        g.node("Resize", [x, "", scales], mode=mode, coordinate_transformation_mode=how, **more)
    else:
        g.node(
            "Resize", [x, "", "", g.constant(sizes, np.int64)], mode=mode, coordinate_transformation_mode=how, **more
        )


def blocks(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim == 4)
    if x is not None:
        op = g.rng.choice(["DepthToSpace", "SpaceToDepth"])
        more: dict[str, Any] = {"mode": g.rng.choice(["DCR", "CRD"])} if op == "DepthToSpace" else {}
        g.node(op, [x], blocksize=2, **more)


def _scale(g: Growing, kind: type) -> tuple[str, str]:
    """Scale and zero point. No scale is round: products of round ones are halves, which rounding may go either way."""
    zero = g.rng.randint(-3, 3) if kind is np.int8 else g.rng.randint(120, 136)
    return g.constant(g.rng.uniform(0.01, 0.1), np.float32), g.constant(zero, kind)


def quantize(g: Growing) -> None:
    """There and back, with scales of a tensor or of channels."""
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is None:
        return
    kind = g.rng.choice([np.int8, np.uint8])
    scale, zero = _scale(g, kind)
    held = g.node("QuantizeLinear", [x, scale, zero])
    if held and g.rng.random() < 0.8:
        g.node("DequantizeLinear", [*held, scale, zero])


def quantized_layer(g: Growing) -> None:
    """A convolution or product between quantized tensors, in either form."""
    x = _image(g) if g.rng.random() < 0.6 else g.pick(where=lambda a: a.ndim == 2 and 0 not in a.shape)
    if x is None:
        return
    array = g.arrays[x]
    scale, zero = _scale(g, np.uint8)
    held = g.node("QuantizeLinear", [x, scale, zero])
    if not held:
        return
    is_image = array.ndim == 4
    shape = (g.rng.randint(1, 4), array.shape[1], 2, 2) if is_image else (array.shape[1], g.rng.randint(1, 4))
    weights = g.constant(np.clip(np.rint(g.numbers(*shape) * 40), -127, 127), np.int8)
    factors = g.constant(g.rng.uniform(0.01, 0.03), np.float32), g.constant(0, np.int8)
    result = _scale(g, np.uint8)
    if g.rng.random() < 0.5:
        op = "QLinearConv" if is_image else "QLinearMatMul"
        made = g.node(op, [*held, scale, zero, weights, *factors, *result])
    else:
        real = [*g.node("DequantizeLinear", [*held, scale, zero]), *g.node("DequantizeLinear", [weights, *factors])]
        layer = g.node("Conv" if is_image else "MatMul", real) if len(real) == 2 else []
        made = g.node("QuantizeLinear", [*layer, *result]) if layer else []
    if made:
        g.node("DequantizeLinear", [*made, *result])


def integer_product(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim == 2 and 0 not in a.shape)
    if x is None:
        return
    made = g.node("DynamicQuantizeLinear", [x], 3)
    if made:
        weights = g.constant(g.numbers(g.arrays[x].shape[1], 3, dtype=np.int8))
        g.node("MatMulInteger", [made[0], weights, made[2]])


STEPS: tuple[Grow, ...] = (
    *(convolution, convolution, convolution, pool, pool, normalize, normalize, normalize_rows, product, product),
    *(einsum, attention, recurrent, recurrent, image_resize, blocks, quantize, quantized_layer, integer_product),
)
