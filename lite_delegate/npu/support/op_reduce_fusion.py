"""ReduceFusion: claimed for means and sums over constant axes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.primitives import ReduceFusion
from ..operands import int_values, operand, primitive_of, required
from ..ops.op_reduce_fusion import MODES, reduced_axes
from ..profiles import Profile
from ._check import SupportCheck
from .gate import check_axis, check_constants, check_operands, check_output_shape, check_range, check_tensors


def check_reduce_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    primitive = primitive_of(kernel, ReduceFusion)
    return (
        check_operands(kernel, 1, 2)
        or check_tensors(kernel, profile, positions=(0,))
        or check_constants(kernel, {1: "axes"})
        or _check_attributes(primitive)
        or _check_axes(kernel)
        or check_output_shape(kernel, _reduced_shape(kernel, primitive.keep_dims))
        or check_range(kernel, profile)
        or Supported()
    )


def _check_attributes(primitive: ReduceFusion) -> Rejected | None:
    if primitive.mode not in MODES:
        names = " or ".join(mode.name for mode in MODES)
        return Rejected(RejectCode.ATTRIBUTE, f"mode must be {names}, is {primitive.mode.name}")
    if primitive.reduce_to_end:
        return Rejected(RejectCode.ATTRIBUTE, "reduce_to_end must be false, is true")
    return None


def _check_axes(kernel: Kernel) -> Rejected | None:
    axes, rank = operand(kernel, 1), len(required(kernel, 0).shape)
    given = () if axes is None else int_values(axes)
    rejections = (check_axis("each axis", axis, rank) for axis in given)
    return next((r for r in rejections if r is not None), None)


def _reduced_shape(kernel: Kernel, keep_dims: bool) -> list[int]:
    shape = required(kernel, 0).shape
    axes = reduced_axes(kernel, len(shape))
    if keep_dims:
        return [1 if axis in axes else dim for axis, dim in enumerate(shape)]
    return [dim for axis, dim in enumerate(shape) if axis not in axes]


CHECK = SupportCheck("ReduceFusion", check_reduce_fusion)
