"""Transposed convolutions of integers whose weights have a zero point."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from lite_delegate_kernels import Array, NodeQuantization, Quantization

from lite_delegate import Context, Delegate, Model
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.conformance.judging.chain import Chain, ChainNode, chain_graph

RNG = np.random.default_rng(5)
SCALE, STEP = 0.002, 0.01


def transposed_convolution(x: Array, weight: Array, group: int) -> Array:
    """Stride 1, no padding. x: (1, H, W, C), weight: (C, kh, kw, O / group); the result: (1, H + kh - 1, ..., O)."""
    (_, height, width, channels), (_, kh, kw, per_group) = x.shape, weight.shape
    y = np.zeros((1, height + kh - 1, width + kw - 1, per_group * group))
    for row, column, channel in itertools.product(range(height), range(width), range(channels)):
        first = channel // (channels // group) * per_group
        window = y[0, row : row + kh, column : column + kw, first : first + per_group]
        window += x[0, row, column, channel] * weight[channel]
    return y


@pytest.mark.parametrize(("channels", "group"), [(1, 1), (4, 1), (4, 2)])
@pytest.mark.parametrize("input_zero", [-9, -128])
@pytest.mark.parametrize("zero", [0, 3, -5])
@pytest.mark.parametrize("delegate", [OnnxRuntimeDelegate, OpenVINODelegate])
def test_weights_of_a_transposed_convolution_count_from_their_zero_point(
    delegate: type[Delegate], zero: int, input_zero: int, channels: int, group: int
) -> None:
    pytest.importorskip(delegate.name)
    x = RNG.integers(-128, 128, (1, 3, 3, channels)).astype(np.int8)
    weight = RNG.integers(-127, 128, (channels, 3, 3, 2)).astype(np.int8)
    weight.ravel()[:2] = -127, 127
    given, made = Quantization((0.02,), (input_zero,)), Quantization((STEP,), (7,))
    attributes = {
        "kernel_size": (3, 3), "pad_mode": "PAD", "pad": (0, 0, 0, 0), "group": group, "stride": (1, 1),
        "dilation": (1, 1),
    }  # fmt: skip
    meanings = NodeQuantization((given, Quantization((SCALE,), (zero,))), (made,))
    shape = ChainNode("image", "Reshape", ("x", "shape"), ("image",), {}, NodeQuantization((given,), (given,)))
    node = ChainNode("deconv", "Conv2dTransposeFusion", ("image", "w"), ("y",), attributes, meanings)
    real = transposed_convolution((x - float(input_zero)) * 0.02, (weight - float(zero)) * SCALE, group)
    expected = np.clip(np.rint(real / STEP) + 7, -128, 127)
    assert np.ptp(expected) > 50
    constants: dict[str, Array] = {"w": weight, "shape": np.array(x.shape, np.int32)}
    chain = Chain("deconv", (shape, node), {"x": x.ravel()}, constants, ("y",))
    context, model = Context(), Model()
    context.set_delegate(delegate())
    model.build_from_graph(chain_graph(chain, [x, expected.astype(np.int8)]), context)
    assert all(node.subgraph for node in model.get_partition().nodes)
    (y,) = (tensor.data for tensor in model.predict([x.ravel()]))
    assert np.abs(y - expected).max() <= 1
