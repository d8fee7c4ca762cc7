"""Quantized kernels and tensors that the NPU tests share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite_delegate.ir import DataType, QuantParam
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import Array, HostKernel, const, node, node_with_outputs, out, variable
from tests.npu.quantized_loops import integers

INT8, UINT8 = DataType.INT8, DataType.UINT8
X, Y, W = (0.05, -7), (0.02, 11), (0.01, 0)
"""Parameters of an activation, of another, and of a weight."""
Params = tuple[float, int]
"""Scale and zero point."""


def with_params(tensor: Tensor, *params: Params, **marks: Any) -> Tensor:
    """``tensor`` with one parameter, or one per channel."""
    tensor.quant_params = tuple(QuantParam(s, z, inited=True, **marks) for s, z in params)
    return tensor


def stored(name: str, shape: Sequence[int], *params: Params, dtype: DataType = INT8, **marks: Any) -> Tensor:
    """A variable of 8-bit integers."""
    return with_params(variable(name, shape, dtype), *params, **marks)


def stored_const(name: str, data: Array, *params: Params) -> Tensor:
    """A constant of 8-bit integers."""
    return with_params(const(name, data), *params)


def on_integers(
    op_type: str,
    inputs: Sequence[Tensor | None],
    shape: Sequence[int],
    *params: Params,
    dtype: DataType = INT8,
    quant_type: QuantType = QuantType.QUANT_ALL,
    **attributes: Any,
) -> HostKernel:
    """A quantized kernel with one output of that shape and these parameters."""
    kernel = node(op_type, inputs, shape, dtype, **attributes)
    kernel.quant_type = quant_type
    with_params(kernel.outputs[0], *params)
    return kernel


def splitting(
    inputs: Sequence[Tensor | None], shapes: Sequence[Sequence[int]], *params: Params, **attributes: Any
) -> HostKernel:
    """A quantized Split, an output for each shape, each with its parameter."""
    kernel = node_with_outputs("Split", inputs, shapes, INT8, **attributes)
    kernel.quant_type = QuantType.QUANT_ALL
    for tensor, each in zip(kernel.outputs, params, strict=True):
        with_params(tensor, each)
    return kernel


def reals(q: Array, params: Params) -> Array:
    """What integers stand for, float64."""
    return np.asarray((q.astype(np.float64) - params[1]) * params[0])


def cast(x: Tensor, shape: Sequence[int], dtype: DataType, *params: Params, **attributes: Any) -> HostKernel:
    """A QuantDTypeCast; its node is not marked, as in files."""
    kernel = node("QuantDTypeCast", [x], shape, dtype, **attributes)
    with_params(out(kernel), *params)
    return kernel


def convolution(
    x: Tensor | None = None,
    weight: Array | None = None,
    bias: Tensor | None = None,
    params: Sequence[Params] = ((0.4, 3),),
    scales: Sequence[Params] = (W,),
    **attributes: Any,
) -> HostKernel:
    """A convolution of x (1, 5, 4, 2) by 3 x 3 to 3 channels."""
    x = stored("x", (1, 5, 4, 2), X) if x is None else x
    data = integers((3, 3, 3, 2), 2) if weight is None else weight
    more = [] if bias is None else [bias]
    return on_integers(
        "Conv2DFusion", [x, stored_const("w", data, *scales), *more], (1, 3, 2, 3), *params, group=1, **attributes
    )
