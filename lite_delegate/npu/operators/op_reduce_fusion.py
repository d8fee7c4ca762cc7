"""ReduceFusion: one reduction over axes."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import ReduceFusion
from ...ir.types.data_type import DataType
from ...ir.types.enums import ReduceMode
from ...semantics.operands import int_values, normalized, operand, primitive_of, required, shape_of
from ..device.instructions.movement import View
from ..device.instructions.reduction import Reduce, ReductionFunction
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import (
    FLOATING,
    WHOLE,
    check_axis,
    check_constants,
    check_operands,
    check_output_shape,
    check_range,
    check_tensors,
)
from .quantized.reals import through_reals
from .record import NpuOperator

MODES: dict[ReduceMode, ReductionFunction] = {
    ReduceMode.ReduceMean: ReductionFunction.MEAN,
    ReduceMode.ReduceMax: ReductionFunction.MAX,
    ReduceMode.ReduceMin: ReductionFunction.MIN,
    ReduceMode.ReduceProd: ReductionFunction.PROD,
    ReduceMode.ReduceSum: ReductionFunction.SUM,
    ReduceMode.ReduceSumSquare: ReductionFunction.SUM_SQUARE,
    ReduceMode.ReduceASum: ReductionFunction.ABS_SUM,
    ReduceMode.ReduceAll: ReductionFunction.ALL,
    ReduceMode.ReduceL2: ReductionFunction.L2,
}
LEAST_COEFF = 1e-5
"""A ``coeff`` that is not larger than this counts as 1, as does any without ``reduce_to_end``."""


def check_reduce_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    primitive = primitive_of(kernel, ReduceFusion)
    return (
        check_operands(kernel, 1, 2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=WHOLE)
        or check_constants(kernel, {1: "axes"})
        or _check_mode(primitive, profile)
        or _check_dtype(primitive, kernel.inputs[0].dtype)
        or _check_axes(kernel, primitive)
        or check_output_shape(kernel, _reduced_shape(kernel, primitive))
        or check_range(kernel, profile)
    )


def _check_mode(primitive: ReduceFusion, profile: Profile) -> Rejected | None:
    modes = frozenset(MODES)
    if profile.limits.reduce_mean_and_sum_only:
        modes = frozenset({ReduceMode.ReduceMean, ReduceMode.ReduceSum})
        if primitive.reduce_to_end:
            return Rejected.by_rule(RejectCode.LIMIT, "reduce_to_end must be false", "is true")
    if primitive.mode in modes:
        return None
    names = " or ".join(mode.name for mode in sorted(modes))
    return Rejected.by_rule(RejectCode.LIMIT, f"mode must be {names}", f"is {primitive.mode.name}")


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
    return Rejected.by_rule(RejectCode.DTYPE, f"input 0 of {what} must be one of {names}", f"is {dtype.name}", dtype)


def _check_axes(kernel: Kernel, primitive: ReduceFusion) -> Rejected | None:
    axes, rank = operand(kernel, 1), len(required(kernel, 0).shape)
    given = () if axes is None else int_values(axes)
    if primitive.reduce_to_end and len(given) != 1:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "reduce_to_end needs one axis", f"has {list(given)}")
    rejections = (check_axis("each axis", axis, rank) for axis in given)
    return next((r for r in rejections if r is not None), None)


def _reduced_shape(kernel: Kernel, primitive: ReduceFusion) -> list[int]:
    shape = required(kernel, 0).shape
    axes = reduced_axes(kernel, len(shape))
    if primitive.keep_dims and not primitive.reduce_to_end:
        return [1 if axis in axes else dim for axis, dim in enumerate(shape)]
    return [dim for axis, dim in enumerate(shape) if axis not in axes]


def reduced_axes(kernel: Kernel, rank: int) -> tuple[int, ...]:
    """The model axes that are reduced, non-negative and ascending; all of them when none are given.

    With ``reduce_to_end`` the first one stands for itself and all after it.
    """
    axes = operand(kernel, 1)
    given = () if axes is None else int_values(axes)
    if primitive_of(kernel, ReduceFusion).reduce_to_end and given:
        return tuple(range(normalized(given[0], rank), rank))
    return tuple(sorted({normalized(axis, rank) for axis in given})) or tuple(range(rank))


def factor_of(primitive: ReduceFusion) -> float:
    """The factor of the result."""
    return primitive.coeff if primitive.reduce_to_end and abs(primitive.coeff) > LEAST_COEFF else 1.0


def lower_reduce_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits the reduction, and a view without the reduced axes where they go away."""
    primitive, x, out = primitive_of(kernel, ReduceFusion), required(kernel, 0), kernel.outputs[0]
    axes = reduced_axes(kernel, len(x.shape))
    if not axes:
        axes, source = (0,), builder.read_as(x, (1,))
    else:
        source = builder.read(x)
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape or [1]))
    instruction = Reduce(MODES[primitive.mode], axes, factor_of(primitive))
    if kept == shape_of(out):
        return builder.define(out, instruction, [source])
    reduced = builder.emit(instruction, [source], kept, builder.element(out.dtype))
    return builder.define(out, View(shape_of(out)), [reduced])


OPERATOR = NpuOperator(
    "ReduceFusion",
    check_reduce_fusion,
    lower_reduce_fusion,
    takes="real, int32, bool",
    condition=(
        "over constant axes: bool for ReduceAll alone, int32 without ReduceL2 and coeff; reduce_to_end with one axis"
    ),
    limits=("reduce_mean_and_sum_only",),
    quantized=through_reals(check_reduce_fusion, lower_reduce_fusion),
)
