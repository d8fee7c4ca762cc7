"""BroadcastTo: claimed for a constant target, with a driver that has it."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel, Supported, SupportResult
from ...ir.primitives import BroadcastTo
from ..profiles import Profile
from ..semantics.fitting import DoesNotFit
from ..semantics.operands import int_values, operand, primitive_of, required, shape_of
from ._check import SupportCheck
from .gate import MOVABLE, check_constants, check_driver, check_fits, check_operands, check_range, check_tensors


def check_broadcast_to(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_driver(profile, profile.limits.broadcast_to_since, "BroadcastTo")
        or check_operands(kernel, 1, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {1: "target"})
        or check_fits(kernel, lambda: [_target_shape(kernel)])
        or check_range(kernel, profile)
        or Supported()
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


CHECK = SupportCheck("BroadcastTo", check_broadcast_to)
