"""PowFusion: one lookup, (shift + scale * x) ** exponent."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import PowFusion
from ...semantics.operands import primitive_of, required
from ..device.instructions.lookup import Function, Lookup
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import FLOATING, check_constants, check_operands, check_output_shape, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator


def check_pow_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile, positions=(0,))
        or check_constants(kernel, {1: "exponent"})
        or _check_exponent(kernel)
        or check_output_shape(kernel, required(kernel, 0).shape)
    )


def _check_exponent(kernel: Kernel) -> Rejected | None:
    exponent, rank = required(kernel, 1), len(required(kernel, 0).shape)
    if exponent.dtype not in FLOATING:
        rule = "exponent (input 1) must be FLOAT32 or FLOAT16"
        return Rejected.by_rule(RejectCode.DTYPE, rule, f"is {exponent.dtype.name}", exponent.dtype)
    if exponent.data.size == 1 and len(exponent.shape) <= rank:
        return None
    return Rejected.by_rule(RejectCode.SHAPE, "exponent (input 1) must be one number", f"has shape {exponent.shape}")


def lower_pow_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the lookup of the exponent."""
    primitive, x, exponent = primitive_of(kernel, PowFusion), required(kernel, 0), required(kernel, 1)
    lookup = Lookup(Function.POWER, (float(exponent.data.item()), primitive.scale, primitive.shift))
    builder.define(kernel.outputs[0], lookup, [builder.read(x)])


OPERATOR = NpuOperator(
    "PowFusion",
    check_pow_fusion,
    lower_pow_fusion,
    takes="real",
    condition="for a constant exponent of one number",
    quantized=through_reals(check_pow_fusion, lower_pow_fusion),
)
