"""Activation functions of the device, fused or alone; the runtime defines their meaning."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...ir.primitives import Activation
from ...ir.types.enums import ActivationType
from ..device.instructions.functions import RELU, RELU6, UNFUSED, Fused
from ..device.instructions.integer import IntegerFunction, IntegerUnary
from ..device.instructions.lookup import Function, Lookup

FLT_MIN = 2.0**-126
"""The smallest normal float32: as lower bound of a hard tanh it means none."""
FLT_MAX = 2.0**128 - 2.0**104
"""The largest float32: as upper bound of a hard tanh it means none."""
INT32_MAX = 2**31 - 1

FUSED: dict[ActivationType, Fused] = {
    ActivationType.NO_ACTIVATION: UNFUSED,
    ActivationType.RELU: RELU,
    ActivationType.RELU6: RELU6,
}
"""For operators that may have no other themselves: convolutions, matrix products, arithmetic, scale. Shape inference
rejects a model with any other one, wherever it runs.

NOTE: MindSpore Lite's NPU fuses more functions, which its CPU kernels ignore or reject, so that the answer depends
on where a node runs."""


def fused_or_none(activation: ActivationType) -> Fused:
    """The function fused into an operator that leaves all but RELU and RELU6 out: pools, full connection, L2 norm."""
    return FUSED.get(activation, UNFUSED)


IDENTITIES = frozenset({ActivationType.NO_ACTIVATION, ActivationType.LINEAR})
"""An Activation of these types is its input."""


LOOKUPS: dict[ActivationType, Callable[[Activation], Lookup]] = {
    ActivationType.RELU: lambda _: Lookup(Function.RELU),
    ActivationType.RELU6: lambda _: Lookup(Function.RELU6),
    ActivationType.SIGMOID: lambda _: Lookup(Function.SIGMOID),
    ActivationType.TANH: lambda _: Lookup(Function.TANH),
    ActivationType.HSIGMOID: lambda _: Lookup(Function.HSIGMOID),
    ActivationType.HSWISH: lambda _: Lookup(Function.HSWISH),
    ActivationType.SWISH: lambda _: Lookup(Function.SWISH),
    ActivationType.LEAKY_RELU: lambda a: Lookup(Function.LEAKY_RELU, (a.alpha,)),
    ActivationType.ELU: lambda a: Lookup(Function.ELU, (a.alpha,)),
    ActivationType.GELU: lambda a: Lookup(Function.GELU_TANH if a.approximate else Function.GELU),
    ActivationType.FAST_GELU: lambda _: Lookup(Function.FAST_GELU),
    ActivationType.ABS: lambda _: Lookup(Function.ABS),
    ActivationType.SIGN: lambda _: Lookup(Function.SIGN),
    ActivationType.SELU: lambda _: Lookup(Function.SELU),
    ActivationType.SOFTPLUS: lambda _: Lookup(Function.SOFTPLUS),
    ActivationType.SOFTSIGN: lambda _: Lookup(Function.SOFTSIGN),
    ActivationType.RELU1: lambda _: Lookup(Function.CLAMP, (-1.0, 1.0)),
    ActivationType.HARD_TANH: lambda a: Lookup(Function.CLAMP, hard_tanh_bounds(a)),
    ActivationType.THRESHOLDRELU: lambda a: Lookup(Function.THRESHOLD_RELU, (a.alpha,)),
}
"""The lookup of each activation. NOTE: MindSpore Lite's NPU has only the first ten, without HSWISH."""

OF_INTEGERS: dict[ActivationType, IntegerUnary] = {
    ActivationType.RELU: IntegerUnary(IntegerFunction.CLAMP, (0, INT32_MAX)),
    ActivationType.RELU6: IntegerUnary(IntegerFunction.CLAMP, (0, 6)),
    ActivationType.RELU1: IntegerUnary(IntegerFunction.CLAMP, (-1, 1)),
    ActivationType.ABS: IntegerUnary(IntegerFunction.ABS),
    ActivationType.SIGN: IntegerUnary(IntegerFunction.SIGN),
}
"""Activations of int32, whose result is a whole number when x is."""


def hard_tanh_bounds(primitive: Activation) -> tuple[float, float]:
    """(lowest, highest); infinite where the attribute stands for no bound."""
    low, high = primitive.min_val, primitive.max_val
    return -math.inf if low == FLT_MIN else low, math.inf if high == FLT_MAX else high
