"""What a runtime is expected to save: convolutions and softmaxes are worth a call, views and small sums are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.delegate import Kernel
from lite_delegate.ir import Node, Value, custom_primitive
from lite_delegate.runtime.planning.rest.worth import may_pay, pays, saved_us
from lite_delegate.runtime.planning.shapes.inferring import InferredModel
from lite_delegate.runtime.settings import Settings
from tests.passes.random_graphs import Builder


def kernels(make: Any, shape: tuple[int, ...]) -> list[Kernel]:
    """What a function makes of an input."""
    builder = Builder()
    made = make(builder, builder.input("x", shape))
    (graph,) = InferredModel(builder.graph(made), {}, Settings()).bind()
    return list(graph.kernels)


def convolution(b: Builder, x: Value) -> Value:
    assert x.shape is not None
    channels = x.shape[-1]
    window = {"kernel_size": [3, 3], "stride": [1, 1], "dilation": [1, 1]}
    ends = {"group": 1, "in_channel": channels, "out_channel": channels, "pad_mode": "SAME"}
    return b.node("Conv2DFusion", x, b.weights(channels, 3, 3, channels), shapes=x.shape, **window, **ends)


def softmax(b: Builder, x: Value) -> Value:
    return b.node("Softmax", x, axis=[-1])


def doubled(b: Builder, x: Value) -> Value:
    return b.node("AddFusion", x, x)


def reshaped(b: Builder, x: Value) -> Value:
    size = int(np.prod(x.shape or ()))
    return b.node("Reshape", x, b.const([size], np.int32), shapes=(size,))


@pytest.mark.parametrize(
    ("make", "small", "large"),
    [(convolution, True, True), (softmax, False, True), (doubled, False, False), (reshaped, False, False)],
)
def test_which_nodes_are_worth_a_call_of_their_own(make: Any, small: bool, large: bool) -> None:
    assert pays(kernels(make, (1, 4, 4, 8)), "onnxruntime") == small
    assert pays(kernels(make, (1, 64, 64, 64)), "onnxruntime") == large


def test_many_small_nodes_are_worth_a_call_together() -> None:
    (one,) = kernels(doubled, (1, 4))
    assert [pays([one] * count, "onnxruntime") for count in (9, 11)] == [False, True]
    assert [pays([one] * count, "openvino") for count in (11, 26)] == [False, True]


def test_large_sums_do_not_hide_what_pays_beside_them() -> None:
    (window,), (total,) = kernels(convolution, (1, 4, 4, 8)), kernels(doubled, (1, 64, 64, 64))
    assert saved_us(total) < 0 < saved_us(window)
    assert not pays([window, total], "onnxruntime")
    assert may_pay([window, total], "onnxruntime")


def onnx_gru(b: Builder, x: Value) -> Value:
    """As a file's operator that the format has no number for."""
    assert x.shape is not None
    y = Value("y", x.dtype, (x.shape[0], 1, 1, 8))
    primitive = custom_primitive("ai.onnx.GRU", {"hidden_size": 8, "linear_before_reset": 1})
    b.nodes.append(Node("gru", primitive, [x, b.weights(1, 24, 8), b.weights(1, 24, 8)], [y]))
    return y


def test_a_recurrent_operator_is_worth_a_call_by_its_steps() -> None:
    assert [pays(kernels(onnx_gru, (count, 1, 8)), "openvino") for count in (1, 5)] == [False, True]
    ((short,), (long,)) = kernels(onnx_gru, (2, 1, 8)), kernels(onnx_gru, (49, 1, 8))
    assert saved_us(long) > 20 * saved_us(short)


@pytest.mark.parametrize("make", [convolution, softmax])
def test_larger_nodes_save_more(make: Any) -> None:
    ((small,), (large,)) = kernels(make, (1, 8, 8, 8)), kernels(make, (1, 32, 32, 8))
    assert saved_us(large) > saved_us(small) > 0
