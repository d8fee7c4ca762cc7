"""Operators without integer arithmetic: to real numbers, the instructions of the operator on them, and back.

In between the device keeps float32 whatever else its precision is, so a result is off by half a step of the output's
scale, and by what the float32 instructions add.
"""

from __future__ import annotations

from ....delegate import Kernel
from ....tensor import Tensor
from ...device.program import ElementType
from ...device.quantized_conversion import Dequantize, Quantize
from ...ir.builder import Builder
from ...ir.lowering import Lowering
from ...semantics.kernel_view import as_reals
from ...semantics.quantization import per_tensor

THROUGH_REALS = (
    *("ArgMaxFusion", "ArgMinFusion", "BatchNorm", "BiasAdd", "DivFusion", "Eltwise", "Equal", "FusedBatchNorm"),
    *("Greater", "GreaterEqual", "InstanceNorm", "L2NormalizeFusion", "LayerNormFusion", "Less", "LessEqual"),
    *("LogSoftmax", "LRN", "Maximum", "Minimum", "NotEqual", "PadFusion", "PowFusion", "PReLUFusion", "RealDiv"),
    *("ReduceFusion", "Resize", "ScaleFusion", "Softmax", "SquaredDifference", "TopKFusion"),
)
"""Inputs with parameters are real numbers to them; results that are no real numbers (indices) stay as they are."""


def through_reals(lowering: Lowering) -> Lowering:
    """The quantized form of an operator of ``THROUGH_REALS``."""

    def lower(kernel: Kernel, builder: Builder) -> None:
        view = as_reals(kernel)
        with builder.reals_as(ElementType.FLOAT32):
            for stored, real in _changed(kernel.operands, view.operands):
                if not stored.is_const:
                    builder.alias(real, _dequantized(stored, builder))
            lowering.lower(view, builder)
            for stored, real in _changed(kernel.outputs, view.outputs):
                builder.define(stored, _quantize(stored, builder), [builder.read(real)])

    return Lowering(lowering.op_type, lower)


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
