"""Reductions and normalizations over axes."""

from __future__ import annotations

import math
from typing import Any

from .call import OperatorCall
from .operator import BOOLS, FLOATS, INDICES, NARROW, NUMBERS, OnnxOperator, Types, Write
from .reducing import reduced

MATRIX = 2
"""Its number of dimensions."""


def _reduction(name: str, squared: bool = False) -> Write:
    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        x = call.inputs[0]
        if squared:
            x = opset16.multiply(x, x).output(0)
        return [_reduced(call, name, x)]

    return write


def _reduced(call: OperatorCall, name: str, x: Any) -> Any:
    """A reduction of a tensor of the first operand's shape, over the axes that the second one says."""
    from openvino import opset16

    rank, keeps = len(call.term(0).shape), bool(call.integer("keepdims", 1))
    if not call.has(1):
        return reduced(name, x, range(rank), keeps=keeps)
    axes = call.term(1).constant
    if axes is None or not axes.size or not rank:
        return getattr(opset16, name)(x, call.inputs[1], keeps).output(0)
    return reduced(name, x, sorted({int(axis) % rank for axis in axes.reshape(-1)}), keeps=keeps)


def _along(name: str) -> Write:
    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        axis = call.integer("axis", -1)
        return [getattr(opset16, name)(call.inputs[0], axis % max(len(call.shape), 1)).output(0)]

    return write


def write_layer_normalization(call: OperatorCall) -> list[Any]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + shift`` over the axes from ``axis`` on.

    Matrices have one more axis meanwhile: OpenVINO takes their columns for channels where it fuses that with what
    becomes integers.
    """
    from openvino import opset16

    rank, x = len(call.shape), call.inputs[0]
    more = 1 if rank == MATRIX else 0
    if more:
        x = opset16.unsqueeze(x, call.positions([0])).output(0)
    axes = opset16.constant(call.positions(range(call.integer("axis", -1) % rank + more, rank + more)))
    y = opset16.mvn(x, axes, True, call.number("epsilon", 1e-5), "inside_sqrt").output(0)
    y = opset16.multiply(y, call.term(1).handle).output(0)
    if call.has(2):
        y = opset16.add(y, call.term(2).handle).output(0)
    return [opset16.squeeze(y, call.positions([0])).output(0) if more else y]


def write_cumsum(call: OperatorCall) -> list[Any]:
    """Sums of all elements before, along an axis."""
    from openvino import opset16

    x, axis = call.inputs
    flags = [bool(call.integer(name, 0)) for name in ("exclusive", "reverse")]
    return [opset16.cum_sum(x, axis, *flags).output(0)]


def _over(write: Write, types: Types) -> OnnxOperator:
    return OnnxOperator(write, types, None, {1: INDICES})


def write_instance_normalization(call: OperatorCall) -> list[Any]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + shift`` over the axes behind the second."""
    from openvino import opset16

    rank = len(call.shape)
    axes = opset16.constant(call.positions(range(2, rank)))
    y = opset16.mvn(call.inputs[0], axes, True, call.number("epsilon", 1e-5), "inside_sqrt").output(0)
    shape = call.positions((1, -1, *[1] * (rank - 2)))
    scale, shift = (opset16.reshape(handle, shape, False).output(0) for handle in call.inputs[1:])
    return [opset16.add(opset16.multiply(y, scale).output(0), shift).output(0)]


def _extreme(numbers: str, bools: str, beyond: str, infinity: float) -> Write:
    """The largest or smallest number, or the same of truth values.

    OpenVINO starts at the largest finite number: ``infinity`` is given where nothing is ``beyond`` it.
    """
    of_numbers, of_bools = _reduction(numbers), _reduction(bools)

    def write(call: OperatorCall) -> list[Any]:
        from openvino import opset16

        if call.dtype == bool:
            return of_bools(call)
        (y,) = of_numbers(call)
        if call.dtype.kind != "f":
            return [y]
        limit = call.constant(call.scalar(infinity))
        inside = getattr(opset16, beyond)(call.inputs[0], limit).output(0)
        any_inside = _reduced(call, "reduce_logical_or", inside)
        return [opset16.select(any_inside, y, limit).output(0)]

    return write


def write_lrn(call: OperatorCall) -> list[Any]:
    """``x / (bias + alpha / size * sum of squares of the channels around) ** beta``."""
    from openvino import opset16

    numbers = call.number("alpha", 1e-4), call.number("beta", 0.75), call.number("bias", 1.0)
    return [opset16.lrn(call.inputs[0], call.positions([1]), *numbers, call.integer("size", 1)).output(0)]


EXTREME = FLOATS | BOOLS | NARROW
"""OpenVINO reduces integers as float32, which holds these."""
OPERATORS = {
    "LRN": OnnxOperator(write_lrn),
    "InstanceNormalization": OnnxOperator(write_instance_normalization),
    "ReduceMean": _over(_reduction("reduce_mean"), FLOATS),
    "ReduceSum": _over(_reduction("reduce_sum"), FLOATS),
    "ReduceMax": _over(_extreme("reduce_max", "reduce_logical_or", "greater", -math.inf), EXTREME),
    "ReduceMin": _over(_extreme("reduce_min", "reduce_logical_and", "less", math.inf), EXTREME),
    "ReduceProd": _over(_reduction("reduce_prod"), FLOATS),
    "ReduceL1": _over(_reduction("reduce_l1"), FLOATS),
    "ReduceL2": _over(_reduction("reduce_l2"), FLOATS),
    "ReduceSumSquare": _over(_reduction("reduce_sum", squared=True), FLOATS),
    "Softmax": OnnxOperator(_along("softmax")),
    "LogSoftmax": OnnxOperator(_along("log_softmax")),
    "LayerNormalization": OnnxOperator(write_layer_normalization),
    "CumSum": _over(write_cumsum, NUMBERS),
}
