"""ArgMaxFusion: the positions of the largest elements along an axis, or their values, or both."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import ArgMaxFusion
from ...ir.types.data_type import DataType
from ...semantics.operands import normalized, primitive_of, required, shape_of
from ..device.instructions.movement import View
from ..device.instructions.selection import TopPlaces, TopValues
from ..device.programs.instruction import Instruction
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import FLOATING, INTEGERS, check_axis, check_operands, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator
from .rules import SHAPE_OF_RESULT


def check_arg_max_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Real numbers are compared as the device holds them: of two that float16 cannot tell apart the first wins."""
    primitive = primitive_of(kernel, ArgMaxFusion)
    return (
        check_operands(kernel, 1, 1, outputs=2 if len(kernel.outputs) == 2 else 1)
        or check_tensors(kernel, profile, more_dtypes=INTEGERS, mixed=True)
        or check_axis("axis", primitive.axis, len(kernel.inputs[0].shape))
        or _check_count(kernel, primitive)
        or _check_outputs(kernel, primitive)
        or check_range(kernel, profile)
    )


def _check_count(kernel: Kernel, primitive: ArgMaxFusion) -> Rejected | None:
    size = required(kernel, 0).shape[primitive.axis]
    if 1 <= primitive.top_k <= size:
        return None
    reason = f"top_k must be 1 to {size}, is {primitive.top_k}"
    return Rejected(RejectCode.ATTRIBUTE, reason, "top_k must be 1 to the size of the axis")


def _check_outputs(kernel: Kernel, primitive: ArgMaxFusion) -> Rejected | None:
    x = required(kernel, 0)
    axis = normalized(primitive.axis, len(x.shape))
    kept = [] if primitive.top_k == 1 and not primitive.keep_dims else [primitive.top_k]
    shape = [*x.shape[:axis], *kept, *x.shape[axis + 1 :]]
    of_x = FLOATING if x.dtype in FLOATING else INTEGERS
    wanted: tuple[frozenset[DataType], ...] = (of_x,) if primitive.out_max_value else (INTEGERS,)
    if len(kernel.outputs) == 2:
        wanted = (INTEGERS, of_x)
    for position, (out, dtypes) in enumerate(zip(kernel.outputs, wanted, strict=True)):
        if out.shape != shape:
            return Rejected(
                RejectCode.SHAPE, f"output {position} must have shape {shape}, has {out.shape}", SHAPE_OF_RESULT
            )
        if out.dtype not in dtypes:
            names = " or ".join(DataType(d).name for d in sorted(dtypes))
            return Rejected.by_rule(
                RejectCode.DTYPE, f"output {position} must be {names}", f"is {out.dtype.name}", out.dtype
            )
    return None


def lower_arg_max_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits one instruction for each output, and a view where the axis goes away."""
    primitive, x = primitive_of(kernel, ArgMaxFusion), required(kernel, 0)
    axis = normalized(primitive.axis, len(x.shape))
    kept = (*x.shape[:axis], primitive.top_k, *x.shape[axis + 1 :])
    places, values = TopPlaces(axis, primitive.top_k), TopValues(axis, primitive.top_k)
    instructions: tuple[Instruction, ...] = (values,) if primitive.out_max_value else (places,)
    if len(kernel.outputs) == 2:
        instructions = (places, values)
    for out, instruction in zip(kernel.outputs, instructions, strict=True):
        found = builder.emit(instruction, [builder.read(x)], kept, builder.element(out.dtype))
        if kept == shape_of(out):
            builder.alias(out, found)
        else:
            builder.define(out, View(shape_of(out)), [found])


OPERATOR = NpuOperator(
    "ArgMaxFusion",
    check_arg_max_fusion,
    lower_arg_max_fusion,
    takes="real, int32",
    condition="with top_k from 1 to the dimension; one output (int32 indices, or values with out_max_value) or both",
    quantized=through_reals(check_arg_max_fusion, lower_arg_max_fusion),
)
