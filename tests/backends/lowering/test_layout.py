"""What the lowering writes: where transposes are left, and how integers are handed over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite_delegate import DataType, Tensor
from lite_delegate.backends.lowering import Attributes, Dtype, Shape, Spec, Term
from lite_delegate.backends.lowering.run import lower_kernels
from lite_delegate.delegate import Kernel
from lite_delegate.ir.primitives import (
    AddFusion,
    Conv2DFusion,
    MatMulFusion,
    MaxPoolFusion,
    MulFusion,
    ReduceFusion,
    Softmax,
    Transpose,
)
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.ir.value import QuantParam

RNG = np.random.default_rng(0)


class Listing:
    """An emitter that lists the operators that it is given."""

    takes_unknown = False

    def __init__(self) -> None:
        self.layer = ""
        self.ops: list[str] = []

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Takes everything."""

    def input(self, name: str, dtype: Dtype, shape: Shape) -> None:
        return None

    def constant(self, array: Any) -> None:
        return None

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[None]:
        self.ops.append(op)
        return (None,) * len(results)


class Node(Kernel):
    def execute(self) -> None:
        raise AssertionError("it is lowered, not run")


def variable(name: str, *shape: int, dtype: DataType = DataType.FLOAT32, scale: float = 0.0) -> Tensor:
    params = (QuantParam(scale=scale, zero_point=3),) if scale else ()
    return Tensor.describe(name, dtype, shape, quant_params=params)


def constant(name: str, array: Any, scale: float = 0.0) -> Tensor:
    params = (QuantParam(scale=scale, zero_point=0),) if scale else ()
    dtype = DataType[array.dtype.name.upper()]
    return Tensor.describe(name, dtype, array.shape, data=array, is_const=True, quant_params=params)


def conv(name: str, x: Tensor, y: Tensor, channels: int) -> Kernel:
    weight = constant(f"{name}.w", RNG.standard_normal((channels, 1, 1, x.shape[-1])).astype(np.float32))
    return Node(name, "Conv2DFusion", [x, weight], [y], Conv2DFusion(kernel_size=(1, 1), stride=(1, 1)))


def test_no_transpose_is_left_between_operators_on_images() -> None:
    x, a, b, c, d = (variable(name, 1, 6, 6, 4) for name in "xabcd")
    e = variable("e", 1, 3, 3, 4)
    kernels = [
        conv("first", x, a, 4),
        conv("second", a, b, 4),
        Node("sum", "AddFusion", [a, b], [c], AddFusion()),
        Node("soft", "Softmax", [c], [d], Softmax(axis=(-1,))),
        Node("pool", "MaxPoolFusion", [d], [e], MaxPoolFusion(kernel_size=(2, 2), strides=(2, 2), pad=(0, 0, 0, 0))),
    ]
    emitter = Listing()
    lower_kernels(kernels, [x], emitter)
    assert emitter.ops == ["Transpose", "Conv", "Conv", "Add", "Softmax", "MaxPool"]


def test_a_mean_of_planes_between_convolutions_is_a_pool() -> None:
    x, a, c = (variable(name, 1, 6, 6, 4) for name in "xac")
    b, d = variable("b", 1, 1, 1, 4), variable("d", 1, 6, 6, 1)
    kernels = [
        conv("first", x, a, 4),
        Node(
            "planes", "ReduceFusion", [a, constant("hw", np.array([1, 2], np.int32))], [b], ReduceFusion(keep_dims=True)
        ),
        Node("scaled", "MulFusion", [a, b], [c], MulFusion()),
        Node("rows", "ReduceFusion", [c, constant("c", np.array([3], np.int32))], [d], ReduceFusion(keep_dims=True)),
    ]
    emitter = Listing()
    lower_kernels(kernels, [x], emitter)
    assert emitter.ops == ["Transpose", "Conv", "GlobalAveragePool", "Mul", "ReduceMean"]


def test_a_sum_is_made_in_the_order_that_all_its_operands_are_in() -> None:
    """A stream of tokens that came from an image, as in vision transformers: it is turned once."""
    x, t, m, s, e = (variable(name, *shape) for name, shape in zip("xtmse", [(1, 8, 6)] + [(1, 6, 8)] * 4, strict=True))
    weight = constant("w", RNG.standard_normal((8, 8)).astype(np.float32))
    kernels = [
        Node("turned", "Transpose", [x, constant("perm", np.array([0, 2, 1], np.int32))], [t], Transpose()),
        Node("product", "MatMulFusion", [t, weight], [m], MatMulFusion()),
        Node("stream", "AddFusion", [t, m], [s], AddFusion()),
        Node("next", "MatMulFusion", [s, weight], [e], MatMulFusion()),
    ]
    emitter = Listing()
    lower_kernels(kernels, [x], emitter)
    assert emitter.ops == ["Transpose", "MatMul", "Add", "MatMul"]


def test_transposes_of_the_model_cancel() -> None:
    x, y = variable("x", 1, 4, 6, 6), variable("y", 1, 6, 6, 4)
    z, back = variable("z", 1, 6, 6, 4), variable("back", 1, 4, 6, 6)
    there = constant("there", np.array([0, 2, 3, 1], np.int32))
    home = constant("home", np.array([0, 3, 1, 2], np.int32))
    kernels = [
        Node("in", "Transpose", [x, there], [y], Transpose()),
        conv("conv", y, z, 4),
        Node("out", "Transpose", [z, home], [back], Transpose()),
    ]
    emitter = Listing()
    lowering = lower_kernels(kernels, [x], emitter)
    lowering.in_order(lowering.value(back))
    assert emitter.ops == ["Conv"]


def test_a_convolution_on_integers_lies_between_dequantize_and_quantize() -> None:
    x = variable("x", 1, 6, 6, 4, dtype=DataType.INT8, scale=0.5)
    y = variable("y", 1, 6, 6, 2, dtype=DataType.INT8, scale=0.25)
    weight = constant("w", RNG.integers(-9, 9, (2, 1, 1, 4)).astype(np.int8), scale=0.1)
    bias = constant("b", np.array([5, -5], np.int32))
    node = Node("conv", "Conv2DFusion", [x, weight, bias], [y], Conv2DFusion(kernel_size=(1, 1), stride=(1, 1)))
    node.quant_type = QuantType.QUANT_ALL
    emitter = Listing()
    lower_kernels([node], [x], emitter)
    assert emitter.ops == ["Transpose", *["DequantizeLinear"] * 3, "Conv", "QuantizeLinear"]
