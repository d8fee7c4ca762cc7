"""Patterns of convolutional networks: blocks, residuals, branches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .draft import PatternDraft
from .layers import activation, batch_norm, conv, full, mean, pool, relu, reshape, scale
from .pattern import Pattern

C = 8


def blocks() -> Iterator[Pattern]:
    """Convolutions with all that follows them."""
    for kind in ("RELU", "RELU6", "SIGMOID", "TANH", "HSWISH", "SWISH"):
        d = PatternDraft("conv block", f"conv_batch_norm_{kind.lower()}")
        yield d.done(activation(d, batch_norm(d, conv(d, d.input(1, 6, 8, C), C, C), C), kind))
    for kind in ("MaxPoolFusion", "AvgPoolFusion"):
        d = PatternDraft("conv block", f"conv_relu_{kind.lower()}")
        yield d.done(pool(d, relu(d, conv(d, d.input(1, 6, 8, C), C, C)), kind))
    for name, attributes in _GEOMETRY.items():
        d = PatternDraft("conv block", f"conv_{name}_relu")
        yield d.done(relu(d, conv(d, d.input(1, 7, 9, C), C, C, **attributes)))
    d = PatternDraft("conv block", "scale_conv_scale_relu")
    yield d.done(relu(d, scale(d, conv(d, scale(d, d.input(1, 6, 8, C), C), C, C), C)))
    d = PatternDraft("conv block", "batch_norm_relu_conv")
    yield d.done(conv(d, relu(d, batch_norm(d, d.input(1, 6, 8, C), C)), C, C))
    d = PatternDraft("conv block", "depthwise_separable")
    x = relu(d, conv(d, d.input(1, 6, 8, C), C, C, group=C))
    yield d.done(relu(d, conv(d, x, C, 12, 1)))
    d = PatternDraft("conv block", "inverted_bottleneck")
    x = d.input(1, 6, 8, C)
    y = activation(d, conv(d, x, C, 16, 1), "RELU6")
    y = conv(d, activation(d, conv(d, y, 16, 16, group=16), "RELU6"), 16, C, 1)
    yield d.done(d.node("AddFusion", x, y))
    d = PatternDraft("conv block", "conv_pool_full_connection")
    x = pool(d, relu(d, conv(d, d.input(2, 6, 8, C), C, C)))
    yield d.done(full(d, reshape(d, x, 2, 3 * 4 * C), 3 * 4 * C, 5))


_GEOMETRY: Mapping[str, Mapping[str, Any]] = {
    "stride_2": {"stride": (2, 2)},
    "stride_2_1": {"stride": (2, 1)},
    "same_stride_2": {"stride": (2, 2), "pad_mode": "SAME"},
    "dilation_2": {"dilation": (2, 2), "pad_list": (2, 2, 2, 2)},
    "pads_uneven": {"pad_list": (2, 0, 0, 1)},
    "valid": {"pad_list": (0, 0, 0, 0)},
}


def residuals() -> Iterator[Pattern]:
    """Sums that add an earlier value again."""
    for side in (0, 1):
        for kind in ("none", "relu", "fused_relu"):
            d = PatternDraft("residual", f"conv_add_{kind}_side_{side}")
            x = d.input(1, 6, 8, C)
            y = conv(d, x, C, C)
            fused: dict[str, Any] = {"activation_type": "RELU"} if kind == "fused_relu" else {}
            total = d.node("AddFusion", *((x, y) if side else (y, x)), **fused)
            yield d.done(relu(d, total) if kind == "relu" else total)
    d = PatternDraft("residual", "two_convs_add_relu")
    x = d.input(1, 6, 8, C)
    y = conv(d, relu(d, conv(d, x, C, C)), C, C)
    yield d.done(relu(d, d.node("AddFusion", y, x)))
    d = PatternDraft("residual", "projection")
    x = d.input(1, 6, 8, C)
    y = conv(d, relu(d, conv(d, x, C, 12)), 12, 12)
    yield d.done(relu(d, d.node("AddFusion", y, conv(d, x, C, 12, 1))))
    d = PatternDraft("residual", "of_a_relu")
    x = relu(d, conv(d, d.input(1, 6, 8, C), C, C))
    yield d.done(d.node("AddFusion", conv(d, x, C, C), x))


def branches() -> Iterator[Pattern]:
    """One tensor read twice, outputs that are read inside, weights that are shared, splits and concatenations."""
    d = PatternDraft("branches", "input_read_twice")
    x = d.input(1, 6, 8, C)
    yield d.done(d.node("MulFusion", activation(d, x, "SIGMOID"), x))
    d = PatternDraft("branches", "twice_the_same_input")
    x = conv(d, d.input(1, 6, 8, C), C, C)
    yield d.done(d.node("MulFusion", x, x))
    d = PatternDraft("branches", "output_read_inside")
    x = conv(d, d.input(1, 6, 8, C), C, C)
    yield d.done(x, relu(d, x))
    d = PatternDraft("branches", "output_in_the_middle")
    x = relu(d, conv(d, d.input(1, 6, 8, C), C, C))
    yield d.done(pool(d, x), x)
    d = PatternDraft("branches", "two_activations_of_one_conv")
    x = conv(d, d.input(1, 6, 8, C), C, C)
    yield d.done(relu(d, x), activation(d, x, "TANH"))
    d = PatternDraft("branches", "shared_weights")
    weight, bias = d.weight(C, 3, 3, C, low=-0.2, high=0.2), d.weight(C)
    given: dict[str, Any] = {
        "kernel_size": (3, 3),
        "group": 1,
        "pad_list": (1, 1, 1, 1),
        "in_channel": C,
        "out_channel": C,
    }
    first = relu(d, d.node("Conv2DFusion", d.input(1, 6, 8, C), weight, bias, **given))
    yield d.done(d.node("Conv2DFusion", first, weight, bias, **given))
    d = PatternDraft("branches", "shared_offset")
    offset = d.weight(C)
    x = d.node("AddFusion", d.input(1, 6, 8, C), offset)
    yield d.done(d.node("MulFusion", x, offset))
    for axis in (1, 3):
        d = PatternDraft("branches", f"split_concat_axis_{axis}")
        size = {1: 6, 3: C}[axis] // 2
        parts = d.nodes("Split", [d.input(1, 6, 8, C)], 2, {"output_num": 2, "size_splits": (size,) * 2, "axis": axis})
        yield d.done(d.node("Concat", relu(d, parts[1]), parts[0], axis=axis))
    d = PatternDraft("branches", "inception")
    x = d.input(1, 6, 8, C)
    parts = (relu(d, conv(d, x, C, 4, 1)), relu(d, conv(d, x, C, 6)), conv(d, pool(d, x, k=1), C, 3, 1))
    yield d.done(d.node("Concat", *parts, axis=3))
    d = PatternDraft("branches", "two_inputs_of_one_shape")
    x, y = d.input(1, 6, 8, C), d.input(1, 6, 8, C)
    yield d.done(d.node("SubFusion", conv(d, x, C, C, 1), conv(d, y, C, C, 1)))
    for name, shape in {"channels": (C,), "columns": (8, 1), "rows": (6, 1, 1), "images": (2, 1, 1, 1)}.items():
        d = PatternDraft("branches", f"broadcast_{name}")
        yield d.done(relu(d, d.node("SubFusion", d.input(2, 6, 8, C), d.input(*shape))))
    d = PatternDraft("branches", "broadcast_of_a_square")
    yield d.done(relu(d, d.node("SubFusion", d.input(8, 8), d.input(8))))
    for name in ("conv_relu", "hard"):
        yield squeeze_excite(PatternDraft("squeeze and excite", name), is_hard=name == "hard")


def squeeze_excite(d: PatternDraft, *, is_hard: bool) -> Pattern:
    """Channels weighted by the outputs of a small network for their means."""
    x = relu(d, conv(d, d.input(1, 6, 8, C), C, C))
    y = relu(d, conv(d, mean(d, x, 1, 2), C, 4, 1))
    y = activation(d, conv(d, y, 4, C, 1), "HSIGMOID" if is_hard else "SIGMOID")
    return d.done(d.node("MulFusion", x, y))
