"""Operators between two convolutions: passes move them to the convolutions' axis order, without permutes inside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate.ir import DataType, make_primitive
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import Array, HostKernel, const, graph_of, half, ints, node, predict, variable

SHAPE = (2, 3, 4, 2)
GAMMA, BETA = np.array([2, -1], np.float32), np.array([0.5, 3], np.float32)


def identity(x: Tensor, name: str, channels: int = 2) -> HostKernel:
    """A 1x1 convolution that changes nothing, but needs its channels before the rows."""
    weight = const("w", np.eye(channels, dtype=np.float32).reshape(channels, 1, 1, channels))
    kernel = node("Conv2DFusion", [x, weight], x.shape, group=1)
    made = variable(name, x.shape)
    return HostKernel(name, "Conv2DFusion", kernel.inputs, [made], kernel.primitive)


def largest(x: Tensor, axis: int) -> HostKernel:
    """The values of the two largest elements along an axis."""
    shape = [2 if a == axis else size for a, size in enumerate(x.shape)]
    primitive = make_primitive("ArgMaxFusion", axis=axis, top_k=2, out_max_value=True)
    return HostKernel("largest", "ArgMaxFusion", [x], [variable("y", shape)], primitive)


def reduced(x: Tensor, mode: str, *axes: int) -> HostKernel:
    shape = [1 if a in axes else size for a, size in enumerate(x.shape)]
    return node("ReduceFusion", [x, ints(*axes)], shape, keep_dims=True, mode=mode)


BETWEEN: dict[str, Callable[[Tensor], HostKernel]] = {
    "InstanceNorm": lambda x: node("InstanceNorm", [x, const("g", GAMMA), const("b", BETA)], SHAPE, epsilon=0.1),
    "LayerNorm": lambda x: node(
        "LayerNormFusion", [x, const("g", GAMMA), const("b", BETA)], SHAPE, begin_norm_axis=2, begin_params_axis=3
    ),
    "L2Normalize": lambda x: node("L2NormalizeFusion", [x], SHAPE, axis=(-1,)),
    "LRN": lambda x: node("LRN", [x], SHAPE, depth_radius=1, bias=1.0, alpha=0.5, beta=0.75),
    "ReduceMax": lambda x: reduced(x, "ReduceMax", 1),
    "ReduceL2": lambda x: reduced(x, "ReduceL2", 1, 2),
    "largest rows": lambda x: largest(x, 1),
    "largest channels": lambda x: largest(x, 3),
    "FloorMod": lambda x: node("FloorMod", [x, const("c", np.array([[[0.5, 0.75]]], np.float32))], SHAPE),
    "Round": lambda x: node("Round", [x], SHAPE),
    "LogicalNot": lambda x: node("LogicalNot", [x], SHAPE),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_between_convolutions_as_alone(name: str) -> None:
    x, fed = variable("x", SHAPE), half(SHAPE, 3).astype(np.float32)
    first = identity(x, "first")
    between = BETWEEN[name](first.outputs[0])
    last = identity(between.outputs[0], "last")
    feeds: dict[Tensor, Array] = {x: fed}
    (got,) = predict([first, between, last], feeds)
    (alone,) = predict([BETWEEN[name](x)], feeds)
    np.testing.assert_allclose(got, alone, rtol=2.0**-10, atol=2.0**-16)  # sums in another order
    (model,) = graph_of([first, between, last], last.outputs).models
    steps = model.program.steps
    assert sum(isinstance(step.instruction, Permute) for step in steps) == 0


def test_a_comparison_between_convolutions() -> None:
    x, fed = variable("x", SHAPE), half(SHAPE, 3).astype(np.float32)
    first, second = identity(x, "first"), identity(x, "second")
    limit = const("limit", np.array([[[0.25, -0.25]]], np.float32))
    less = node("Less", [first.outputs[0], limit], SHAPE, DataType.BOOL)
    number = node("Cast", [less.outputs[0], ints(DataType.FLOAT32)], SHAPE)
    product = node("MulFusion", [number.outputs[0], second.outputs[0]], SHAPE)
    (got,) = predict([first, second, less, number, product], {x: fed})
    np.testing.assert_array_equal(got, np.where(fed < np.array([0.25, -0.25]), fed, 0))
