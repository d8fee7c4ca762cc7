"""Checks that all quantized operators share. Each check gives a rejection, or None where it has none."""

from __future__ import annotations

from collections.abc import Iterable

from ....delegate import Kernel, RejectCode, Rejected
from ....ir.types.enums import ActivationType
from ....semantics.quantization import STORED, Parameters, is_sound, params_of
from ....tensors.tensor import Tensor
from ...profiles import Profile
from .bounds import BOUNDED


def check_dtypes(kernel: Kernel, profile: Profile) -> Rejected | None:
    """The 8-bit tensors are of one type, which the device takes."""
    dtypes = sorted({t.dtype for _, t in stored_tensors(kernel)})
    rejected = next((d for d in dtypes if d not in profile.quantized), None)
    if rejected is not None:
        known = " or ".join(d.name for d in sorted(profile.quantized))
        limit = f"quantized tensors must be {known}" if known else "the device takes no quantized tensors"
        return Rejected.by_rule(RejectCode.DTYPE, limit, f"one is {rejected.name}", rejected)
    if len(dtypes) > 1:
        return Rejected.by_rule(RejectCode.DTYPE, "quantized tensors must be of one type", "are INT8, UINT8")
    return None


def check_per_tensor(tensors: Iterable[tuple[str, Tensor]]) -> Rejected | None:
    """Each of these tensors, with their names, has one sound scale."""
    rejections = (check_scales(name, tensor, most=1) for name, tensor in tensors)
    return next((r for r in rejections if r is not None), None)


def check_scales(name: str, tensor: Tensor, most: int) -> Rejected | None:
    """A tensor has 1 or ``most`` scales, which are positive and finite."""
    params = params_of(tensor)
    if len(params) not in (1, most):
        wanted = "1 scale" if most == 1 else f"1 or {most} scales"
        reason = f"{name} must have {wanted} (quantization parameters), has {len(params)}"
        return Rejected(RejectCode.ATTRIBUTE, reason, f"1 scale{' or one per channel' * (most > 1)} for a tensor")
    unsound = next((p.scale for p in params if not is_sound(Parameters(p.scale, p.zero_point))), None)
    if unsound is not None:
        reason = f"{name} must have positive, finite scales, has {unsound:g}"
        return Rejected(RejectCode.ATTRIBUTE, reason, "scales must be positive and finite")
    return None


def stored_tensors(kernel: Kernel) -> list[tuple[str, Tensor]]:
    """The 8-bit tensors of a kernel, with their names for messages."""
    given = [(f"input {i}", t) for i, t in enumerate(kernel.operands) if t is not None]
    made = [(f"output {i}", t) for i, t in enumerate(kernel.outputs)]
    return [(name, t) for name, t in (*given, *made) if t.dtype in STORED]


def check_output_stored(kernel: Kernel) -> Rejected | None:
    """Every output is of 8-bit integers."""
    other = next((t.dtype for t in kernel.outputs if t.dtype not in STORED), None)
    if other is None:
        return None
    return Rejected.by_rule(RejectCode.DTYPE, "output must be INT8 or UINT8", f"is {other.name}", other)


def check_bounded(activation: ActivationType) -> Rejected | None:
    """The fused activation is one that bounds of integers express."""
    if activation in BOUNDED:
        return None
    names = ", ".join(a.name for a in sorted(BOUNDED))
    return Rejected.by_rule(RejectCode.ATTRIBUTE, f"activation_type must be one of {names}", f"is {activation.name}")
