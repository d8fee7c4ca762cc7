"""L2NormalizeFusion: normalization to length one along some axes."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import L2NormalizeFusion
from ..device.length import NormalizeLength
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.activations import fused_or_none
from ..semantics.operands import normalized, primitive_of, required

LEAST_EPSILON = 1e-6
"""A smaller ``epsilon`` counts as this."""


def length_axes(primitive: L2NormalizeFusion, rank: int) -> tuple[int, ...]:
    """The axes along which squares are summed, non-negative and ascending; all when none are given."""
    return tuple(sorted(normalized(axis, rank) for axis in primitive.axis or ())) or tuple(range(rank))


def lower_l2_normalize_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction."""
    primitive, x = primitive_of(kernel, L2NormalizeFusion), required(kernel, 0)
    least, fused = max(primitive.epsilon, LEAST_EPSILON), fused_or_none(primitive.activation_type)
    instruction = NormalizeLength(length_axes(primitive, len(x.shape)), least, fused)
    builder.define(kernel.outputs[0], instruction, [builder.read(x)])


LOWERING = Lowering("L2NormalizeFusion", lower_l2_normalize_fusion)
