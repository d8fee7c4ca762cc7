"""ReduceFusion: claimed for means and sums over constant axes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ...ir.enums import ReduceMode
from ...ir.primitives import ReduceFusion
from ..ops.op_reduce_fusion import MODES, factor_of, reduced_axes
from ..profiles import Profile
from ..semantics.operands import int_values, operand, primitive_of, required
from ._check import SupportCheck
from ._elementwise import ANY
from .gate import FLOATING, check_axis, check_constants, check_operands, check_output_shape, check_range, check_tensors


def check_reduce_fusion(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    primitive = primitive_of(kernel, ReduceFusion)
    return (
        check_operands(kernel, 1, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=ANY)
        or check_constants(kernel, {1: "axes"})
        or _check_mode(primitive, profile)
        or _check_dtype(primitive, kernel.inputs[0].dtype)
        or _check_axes(kernel, primitive)
        or check_output_shape(kernel, _reduced_shape(kernel, primitive))
        or check_range(kernel, profile)
        or Supported()
    )


def _check_mode(primitive: ReduceFusion, profile: Profile) -> Rejected | None:
    modes = frozenset(MODES)
    if profile.limits.reduce_mean_and_sum_only:
        modes = frozenset({ReduceMode.ReduceMean, ReduceMode.ReduceSum})
        if primitive.reduce_to_end:
            return Rejected(RejectCode.LIMIT, "reduce_to_end must be false, is true")
    if primitive.mode in modes:
        return None
    names = " or ".join(mode.name for mode in sorted(modes))
    return Rejected(RejectCode.LIMIT, f"mode must be {names}, is {primitive.mode.name}")


def _check_dtype(primitive: ReduceFusion, dtype: DataType) -> Rejected | None:
    known = FLOATING | {DataType.INT32}
    if primitive.mode == ReduceMode.ReduceAll:
        known = frozenset({DataType.BOOL})
    elif primitive.mode == ReduceMode.ReduceL2 or factor_of(primitive) != 1.0:
        known = FLOATING
    if dtype in known:
        return None
    what = f"{primitive.mode.name} with coeff {factor_of(primitive):g}"
    names = ", ".join(d.name for d in sorted(known))
    return Rejected(RejectCode.DTYPE, f"input 0 of {what} must be one of {names}, is {dtype.name}")


def _check_axes(kernel: Kernel, primitive: ReduceFusion) -> Rejected | None:
    axes, rank = operand(kernel, 1), len(required(kernel, 0).shape)
    given = () if axes is None else int_values(axes)
    if primitive.reduce_to_end and len(given) != 1:
        return Rejected(RejectCode.ATTRIBUTE, f"reduce_to_end needs one axis, has {list(given)}")
    rejections = (check_axis("each axis", axis, rank) for axis in given)
    return next((r for r in rejections if r is not None), None)


def _reduced_shape(kernel: Kernel, primitive: ReduceFusion) -> list[int]:
    shape = required(kernel, 0).shape
    axes = reduced_axes(kernel, len(shape))
    if primitive.keep_dims and not primitive.reduce_to_end:
        return [1 if axis in axes else dim for axis, dim in enumerate(shape)]
    return [dim for axis, dim in enumerate(shape) if axis not in axes]


CHECK = SupportCheck("ReduceFusion", check_reduce_fusion)
