"""FullConnection: claimed with a constant weight."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import FullConnection
from ..profiles import Profile
from ..semantics.operands import normalized, operand, primitive_of, required
from ._check import SupportCheck
from .gate import (
    check_axis,
    check_constants,
    check_operands,
    check_output_shape,
    check_range,
    check_rank,
    check_tensors,
)


def check_full_connection(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel. Fused activations other than RELU and RELU6 count as none, on the CPU as here."""
    primitive = primitive_of(kernel, FullConnection)
    return (
        check_operands(kernel, 3 if primitive.has_bias else 2, 3 if primitive.has_bias else 2)
        or check_tensors(kernel, profile)
        or check_rank(kernel, 1, {2})
        or check_constants(kernel, {1: "weight"})
        or (check_axis("axis", primitive.axis, len(kernel.inputs[0].shape)) if primitive.use_axis else None)
        or check_output_shape(kernel, _output_shape(kernel, primitive))
        or _check_bias(kernel)
        or check_range(kernel, profile)
        or Supported()
    )


def _output_shape(kernel: Kernel, primitive: FullConnection) -> tuple[int, ...] | None:
    x, (units, terms) = required(kernel, 0).shape, required(kernel, 1).shape
    if not primitive.use_axis:
        return (math.prod(x) // terms, units) if math.prod(x) % terms == 0 else None
    axis = normalized(primitive.axis, len(x))
    return (*x[:axis], units) if math.prod(x[axis:]) == terms else None


def _check_bias(kernel: Kernel) -> Rejected | None:
    bias, units = operand(kernel, 2), required(kernel, 1).shape[0]
    if bias is None or bias.shape == [units]:
        return None
    return Rejected(RejectCode.SHAPE, f"bias must have shape [{units}], has {bias.shape}")


CHECK = SupportCheck("FullConnection", check_full_connection)
