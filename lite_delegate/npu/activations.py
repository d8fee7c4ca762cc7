"""Which activation functions the device has, fused or on their own."""

from __future__ import annotations

from collections.abc import Callable

from ..ir.enums import ActivationType
from ..ir.primitives import Activation
from .device.functions import RELU, RELU6, UNFUSED, Fused
from .device.lookup import Function, Lookup

FUSED: dict[ActivationType, Fused] = {
    ActivationType.NO_ACTIVATION: UNFUSED,
    ActivationType.RELU: RELU,
    ActivationType.RELU6: RELU6,
}
"""NOTE: MindSpore Lite's NPU fuses more functions, which its CPU kernels ignore or reject, so that the answer depends
on where a node runs; here others stay on the CPU."""

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
}
"""NOTE: HSWISH is not in MindSpore Lite's NPU table; a lookup does it as well as any other."""
