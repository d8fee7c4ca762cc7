"""Operators without integer arithmetic: dequantized, computed on real numbers, and quantized again.

In between the device keeps float32 whatever its precision, so a result is off by half a step of the output's scale, and
by the error of the float32 instructions.
"""

from __future__ import annotations

from dataclasses import replace

from ....delegate import Kernel, Rejected
from ....ir.types.data_type import DataType
from ....semantics.quantization import params_of, per_tensor
from ....tensors.tensor import Tensor
from ...device.instructions.quantized_conversion import Dequantize, Quantize
from ...device.programs.program import ElementType
from ...ir.builder import Builder
from ...profiles import Profile
from ...semantics.kernel_view import as_reals, is_stored
from ..record import Check, Form, Lower
from .gate import check_dtypes, check_per_tensor, check_scales, stored_tensors


def through_reals(check: Check, lower: Lower) -> Form:
    """The quantized form of an operator that runs in float32 on the numbers that its integers stand for.

    Inputs with quantization parameters become real numbers; results that are no real numbers (indices) stay integers.
    """

    def check_quantized(kernel: Kernel, profile: Profile) -> Rejected | None:
        floats = profile.dtypes | {DataType.FLOAT32}
        return (
            check_dtypes(kernel, profile)
            or _check_parameters(kernel)
            or check(as_reals(kernel), replace(profile, dtypes=floats, storage=DataType.FLOAT32))
        )

    def lower_quantized(kernel: Kernel, builder: Builder) -> None:
        view = as_reals(kernel)
        with builder.reals_as(ElementType.FLOAT32):
            for stored, real in _changed(kernel.operands, view.operands):
                if not stored.is_const:
                    builder.alias(real, _dequantized(stored, builder))
            lower(view, builder)
            for stored, real in _changed(kernel.outputs, view.outputs):
                builder.define(stored, _quantize(stored, builder), [builder.read(real)])

    return Form(check_quantized, lower_quantized)


def _check_parameters(kernel: Kernel) -> Rejected | None:
    """Variables of 8-bit integers have one scale; constants one, or one for each index along a dimension."""
    constants = [(f"input {i}", t) for i, t in enumerate(kernel.operands) if t is not None and t.is_const]
    per_channel = [t for _, t in constants if is_stored(t)]
    variables = [(name, t) for name, t in stored_tensors(kernel) if t not in per_channel]
    rejected = check_per_tensor(variables)
    for name, tensor in constants:
        if rejected is None and tensor in per_channel:
            most = len(params_of(tensor))
            rejected = check_scales(name, tensor, most if most in tensor.shape else 1)
    return rejected


def _changed(before: tuple[Tensor | None, ...], after: tuple[Tensor | None, ...]) -> list[tuple[Tensor, Tensor]]:
    """The pairs of tensors that differ, each once."""
    pairs = {a: b for a, b in zip(before, after, strict=True) if a is not None and b is not None and a is not b}
    return list(pairs.items())


def _dequantized(tensor: Tensor, builder: Builder) -> int:
    parameters = per_tensor(tensor)
    instruction = Dequantize((parameters.scale,), (parameters.zero_point,))
    return builder.emit(instruction, [builder.read(tensor)], tuple(tensor.shape), ElementType.FLOAT32)


def _quantize(tensor: Tensor, builder: Builder) -> Quantize:
    parameters = per_tensor(tensor)
    return Quantize((parameters.scale,), (parameters.zero_point,), builder.element(tensor.dtype))
