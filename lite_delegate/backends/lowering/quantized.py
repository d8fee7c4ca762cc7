"""Kernels on quantized integers: real numbers between DequantizeLinear and QuantizeLinear, which runtimes fuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...basics.counted import counted
from ...delegate import Kernel, RejectCode
from ...errors import DelegateBuildError, DelegateExecuteError
from ...ir import DataType, Primitive, to_numpy
from ...ir.primitives import (
    AddFusion,
    AvgPoolFusion,
    Conv2DFusion,
    Conv2dTransposeFusion,
    FullConnection,
    MatMulFusion,
    MaxPoolFusion,
    MulFusion,
    SubFusion,
)
from ...ir.traits import operators_with, traits_of
from ...ir.types.enums import ActivationType
from ...semantics.operands import op_type_of
from ...semantics.quantization import STORED, Parameters, params_of, per_channel, per_tensor
from ...tensors.tensor import Tensor
from .families.fused import fused, fused_or_none
from .integers import FLOAT32, dequantized, dequantized_term, has_doubles, quantized, rounded
from .lowering import Lowering, constant_value, wanted
from .not_lowered import NotLowered
from .term import Axes, Lowered, identity

AS_NUMBERS = Parameters(1.0, 0)
"""Integers that stand for themselves."""
NCHW = (0, 3, 1, 2)
ORDERS = {"Conv2DFusion": NCHW, "Conv2dTransposeFusion": NCHW, "FullConnection": (0, 1)}
"""The order of axes in which a runtime takes the constant weights of an operator; other weights stay as they are."""
SPATIAL = ("Conv2DFusion", "Conv2dTransposeFusion", "MaxPoolFusion", "AvgPoolFusion")
"""Operators that take images in that order: integers are brought into it, so that nothing is between them and these."""
ACTIVATED = (
    Conv2DFusion,
    Conv2dTransposeFusion,
    FullConnection,
    MatMulFusion,
    AddFusion,
    SubFusion,
    MulFusion,
    AvgPoolFusion,
)
CLAMPS = (ActivationType.RELU, ActivationType.RELU6)
PICKING = frozenset({"ArgMaxFusion", "ArgMinFusion", "MaxPoolFusion", "TopKFusion"})
"""Operators that compare and give elements of their inputs, or their places."""
MOVING = operators_with(lambda traits: traits.moves) - {"Concat"} | PICKING
"""Operators that move integers: exact, also where they are to mean the same in other parameters. Concat moves integers
of several parameters."""
NORMS = frozenset({"LayerNormFusion", "InstanceNorm", "GroupNormFusion"})
"""Operators that runtimes have on real numbers alone: so are their constant parameters, also where they are int32."""
STEPPING = frozenset({"Floor", "Ceil", "Round"})
"""Operators that may turn a rounding error beside 0 into 1."""
UNDEFINED = frozenset({"Sqrt", "Rsqrt", "Log", "Log1p", "PowFusion", "DivFusion", "RealDiv"})
"""Operators that make NaN of finite numbers, for which the integers have the zero point; runtimes have the lowest."""


class RealForm(Kernel):
    """A kernel on real numbers in place of one on integers: it is lowered, never run."""

    def execute(self) -> None:
        """Fails: it is never run."""
        raise DelegateExecuteError(f"Kernel '{self.name}' stands for one on integers and cannot be run.")


def lower_quantized(kernel: Kernel, lowering: Lowering, lower_real: Callable[[Kernel, Lowering], None]) -> None:
    """Writes a kernel on integers as one on the real numbers that they stand for.

    Raises:
        NotLowered: parameters are absent or not sound, or the real form cannot be lowered.
    """
    wanted(kernel.inputs[0].dtype in STORED, RejectCode.DTYPE, "integers that stand for real numbers have 8 bits")
    held = all(0 not in tensor.shape for tensor in kernel.inputs)
    wanted(held, RejectCode.SHAPE, "kernels on integers take no tensors without elements")
    _check_rounding(kernel)
    steady = op_type_of(kernel) not in STEPPING or has_doubles(lowering)
    wanted(steady, RejectCode.DTYPE, "Floor, Ceil and Round of integers' meanings take float64")
    if isinstance(kernel.primitive, AvgPoolFusion) and _one(kernel.inputs[0]) != _one(kernel.outputs[0]):
        return _lower_mean_anew(kernel, kernel.primitive, lowering, lower_real)
    operands = [_real_operand(kernel, lowering, position) for position in range(len(kernel.operands))]
    outputs = [_real_tensor(tensor) if _is_stored(tensor) else tensor for tensor in kernel.outputs]
    primitive, activation = _without_activation(kernel)
    form = RealForm(kernel.name, kernel.type, operands, outputs, primitive)
    lower_real(form, lowering)
    for tensor, real in zip(kernel.outputs, outputs, strict=True):
        if real is not tensor:
            store = rounded if _is_scaled_anew(kernel, tensor) else quantized
            value = lowering.value(real)
            number = _or_0(lowering, value) if op_type_of(kernel) in UNDEFINED else value
            made = store(lowering, number, [_one(tensor)], to_numpy(tensor.dtype))
            lowering.define(tensor, _activated(lowering, made, _one(tensor), activation))


def _or_0(lowering: Lowering, value: Lowered) -> Lowered:
    """Real numbers with 0 in the place of NaN."""
    y = lowering.in_order(value, value.order)
    strange = lowering.emit("IsNaN", [y], np.dtype(bool), y.shape)
    number = lowering.emit("Where", [strange, lowering.scalar(0, y.dtype), y], y.dtype, y.shape)
    return Lowered(value.shape, value.dtype, value.order, number)


def _lower_mean_anew(
    kernel: Kernel, primitive: AvgPoolFusion, lowering: Lowering, lower_real: Callable[[Kernel, Lowering], None]
) -> None:
    """Means of integers, rounded to integers, which are then rescaled to the output's parameters."""
    (x,), (y,) = kernel.inputs, kernel.outputs
    plain = replace(primitive, activation_type=ActivationType.NO_ACTIVATION)
    number = _defined(lowering, x, dequantized(lowering, lowering.value(x), [AS_NUMBERS], 0))
    real, dtype = _real_tensor(y), to_numpy(y.dtype)
    lower_real(RealForm(kernel.name, kernel.type, [number], [real], plain), lowering)
    mean = dequantized(lowering, rounded(lowering, lowering.value(real), [AS_NUMBERS], dtype), [_one(x)], 0)
    term = fused_or_none(lowering, lowering.in_order(mean, mean.order), primitive.activation_type)
    lowering.define(y, rounded(lowering, Lowered(mean.shape, mean.dtype, mean.order, term), [_one(y)], dtype))


def _without_activation(kernel: Kernel) -> tuple[Primitive | None, ActivationType]:
    """A kernel's attributes without the activation that is done on integers, and this one.

    A convolution with an activation between it and its integers is none of integers for runtimes.
    """
    primitive = kernel.primitive
    if not isinstance(primitive, ACTIVATED) or primitive.activation_type not in CLAMPS:
        return primitive, ActivationType.NO_ACTIVATION
    return replace(primitive, activation_type=ActivationType.NO_ACTIVATION), primitive.activation_type


def _activated(lowering: Lowering, made: Lowered, meaning: Parameters, activation: ActivationType) -> Lowered:
    """Integers after an activation; most often the range of their type already equals the activation's."""
    if activation == ActivationType.NO_ACTIVATION:
        return made
    limits, high = np.iinfo(made.dtype.name), 6 / meaning.scale + meaning.zero_point
    is_low = meaning.zero_point <= limits.min
    if is_low and (activation == ActivationType.RELU or high >= limits.max - 0.5):
        return made
    real = dequantized(lowering, made, [meaning], 0)
    term = fused(lowering, lowering.in_order(real, real.order), activation)
    return quantized(lowering, Lowered(real.shape, real.dtype, real.order, term), [meaning], made.dtype)


def _is_scaled_anew(kernel: Kernel, output: Tensor) -> bool:
    """Whether integers are moved and then have other quantization parameters, or stand for the results of an
    activation.
    """
    if op_type_of(kernel) not in MOVING:
        return False
    if isinstance(kernel.primitive, MaxPoolFusion) and kernel.primitive.activation_type in CLAMPS:
        return True
    return any(_one(tensor) != _one(output) for tensor in kernel.inputs if _is_stored(tensor))


def _check_rounding(kernel: Kernel) -> None:
    """Rejects a kernel whose results on integers differ from its results on real numbers."""
    first = kernel.inputs[0]
    halves_away = all(each.round_type == 1 for each in params_of(first))
    wanted(halves_away, RejectCode.ATTRIBUTE, "integers are rounded half away from zero")
    wanted(kernel.type != "BiasAdd", RejectCode.DTYPE, "a bias of integers goes to integers of another meaning")


def _is_stored(tensor: Tensor) -> bool:
    return tensor.dtype in STORED and bool(params_of(tensor))


def _real_tensor(tensor: Tensor) -> Tensor:
    return Tensor.describe(f"{tensor.name}.real", DataType.FLOAT32, tuple(tensor.shape), tensor.format)


def _real_operand(kernel: Kernel, lowering: Lowering, position: int) -> Tensor | None:
    tensor = kernel.operands[position]
    if tensor is None:
        return None
    axis = traits_of(op_type_of(kernel)).weight_axis
    if axis is not None and position == 2 and tensor.dtype == DataType.INT32:
        return _defined(lowering, tensor, _bias(kernel, lowering, tensor))
    if op_type_of(kernel) in NORMS and position > 0 and tensor.is_const and params_of(tensor):
        return _defined(lowering, tensor, _real_constant(tensor))
    if not _is_stored(tensor):
        return tensor
    value = lowering.value(tensor)
    if axis is not None and position == 1:
        if isinstance(kernel.primitive, MatMulFusion) and kernel.primitive.transpose_b:
            axis = -2
        return _defined(lowering, tensor, _weight(lowering, tensor, value, ORDERS.get(op_type_of(kernel)), axis))
    if op_type_of(kernel) in SPATIAL and value.rank == len(NCHW) and not value.is_constant:
        value = Lowered(value.shape, value.dtype, NCHW, lowering.in_order(value, NCHW))
    return _defined(lowering, tensor, dequantized(lowering, value, (_one(tensor),), 0))


def _defined(lowering: Lowering, tensor: Tensor, value: Lowered) -> Tensor:
    real = _real_tensor(tensor)
    lowering.define(real, value)
    return real


def _one(tensor: Tensor) -> Parameters:
    try:
        return per_tensor(tensor)
    except DelegateBuildError as e:
        raise NotLowered(RejectCode.DTYPE, "quantized tensors have one scale", str(e), tensor.dtype) from e


def _many(tensor: Tensor) -> tuple[Parameters, ...]:
    try:
        return per_channel(tensor)
    except DelegateBuildError as e:
        raise NotLowered(RejectCode.DTYPE, "quantized tensors have scales", str(e), tensor.dtype) from e


def _real_constant(tensor: Tensor) -> Lowered:
    """A constant's real numbers; several scales lie along the last axis of as many elements."""
    parameters, shape = _many(tensor), tuple(tensor.shape)
    count = len(parameters)
    axis = next((axis for axis in reversed(range(len(shape))) if shape[axis] == count), 0)
    spread = [count if place == axis else 1 for place in range(len(shape))]
    wanted(count in (1, *shape), RejectCode.SHAPE, "one scale for each element of a dimension", f"are {count}")
    zeros = np.array([each.zero_point for each in parameters], np.int64).reshape(spread)
    scales = np.array([each.scale for each in parameters], np.float32).reshape(spread)
    return constant_value((tensor.data - zeros).astype(np.float32) * scales)


def _weight(lowering: Lowering, tensor: Tensor, value: Lowered, order: Axes | None, axis: int) -> Lowered:
    is_product = order is None
    wanted(is_product or value.is_constant, RejectCode.NOT_CONSTANT, "weights on integers must be constant")
    if not value.is_constant:
        return dequantized(lowering, value, (_one(tensor),), 0)
    parameters, rank = _many(tensor), value.rank
    single = len(parameters) == 1 or order is not None or rank == 2
    wanted(single, RejectCode.DTYPE, "one scale for a stack of matrices", f"are {len(parameters)}")
    chosen = identity(rank) if order is None else order
    wanted(len(chosen) == rank, RejectCode.RANK, f"a weight of {counted(len(chosen), 'dimension')}", f"has {rank}")
    axis %= rank
    fits = len(parameters) in (1, value.shape[axis])
    wanted(fits, RejectCode.SHAPE, "one scale for each channel of the weight", f"are {len(parameters)}")
    term = lowering.in_order(value, chosen)
    return Lowered(value.shape, FLOAT32, chosen, dequantized_term(lowering, term, parameters, chosen.index(axis)))


def _bias(kernel: Kernel, lowering: Lowering, tensor: Tensor) -> Lowered:
    """The bias in int32, with the scale of the input times the scale of the weight."""
    x, weight = kernel.operands[0], kernel.operands[1]
    assert x is not None
    assert weight is not None
    scale = _one(x).scale
    parameters = tuple(Parameters(scale * each.scale, 0) for each in _many(weight))
    return dequantized(lowering, lowering.value(tensor), parameters, 0)
