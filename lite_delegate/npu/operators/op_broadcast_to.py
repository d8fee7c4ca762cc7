"""BroadcastTo: axes of 1 put before the input's, then repeated to the shape of the output."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel, Rejected
from ...ir.primitives import BroadcastTo
from ...semantics.fitting import DoesNotFit
from ...semantics.operands import int_values, operand, primitive_of, required, shape_of
from ..device.instructions.repetition import Broadcast
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_constants, check_driver, check_fits, check_operands, check_range, check_tensors
from .quantized.movement import by_movement
from .record import NpuOperator


def check_broadcast_to(kernel: Kernel, profile: Profile) -> Rejected | None:
    return (
        check_driver(profile, profile.limits.broadcast_to_since, "BroadcastTo")
        or check_operands(kernel, 1, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "target"})
        or check_fits(kernel, lambda: [_target_shape(kernel)])
        or check_range(kernel, profile)
    )


def _target_shape(kernel: Kernel) -> tuple[int, ...]:
    """The second input, in which -1 keeps a dimension, or else the attribute, which holds sizes only."""
    source, given = shape_of(required(kernel, 0)), operand(kernel, 1)
    target = (primitive_of(kernel, BroadcastTo).shape or ()) if given is None else int_values(given)
    added = len(target) - len(source)
    reason = f"a tensor of shape {list(source)} cannot be broadcast to {list(target)}"
    if added < 0 or min(target, default=0) < (0 if given is None else -1) or -1 in target[:added]:
        raise DoesNotFit(reason)
    return (*target[:added], *_aligned(source, target[added:], reason))


def _aligned(source: Sequence[int], target: Sequence[int], reason: str) -> list[int]:
    result = [have if want == -1 else want for have, want in zip(source, target, strict=True)]
    if any(have not in (1, want) for have, want in zip(source, result, strict=True)):
        raise DoesNotFit(reason)
    return result


def lower_broadcast_to(kernel: Kernel, builder: Builder) -> None:
    """Emits the broadcast; nothing where the input has the shape already."""
    x, out = required(kernel, 0), kernel.outputs[0]
    if shape_of(x) == shape_of(out):
        return builder.alias(out, builder.read(x))
    return builder.define(out, Broadcast(shape_of(out)), [builder.read(x, len(out.shape))])


OPERATOR = NpuOperator(
    "BroadcastTo",
    check_broadcast_to,
    lower_broadcast_to,
    takes="any",
    condition="for a target in the attribute, or a constant one in which -1 keeps a dimension",
    limits=("broadcast_to_since",),
    quantized=by_movement(check_broadcast_to, lower_broadcast_to),
)
