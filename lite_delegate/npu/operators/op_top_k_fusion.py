"""TopKFusion: the largest elements along an axis, and where they lie."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import TopKFusion
from ...ir.types.data_type import DataType
from ...semantics.operands import int_values, normalized, primitive_of, required
from ..device.instructions.selection import TopPlaces, TopValues
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import INTEGERS, check_axis, check_constants, check_fits, check_operands, check_range, check_tensors
from .quantized.reals import through_reals
from .record import NpuOperator


def check_top_k_fusion(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Real numbers are compared as the device holds them: of two that float16 cannot tell apart the first wins."""
    return (
        check_operands(kernel, 2, 2, outputs=2)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=INTEGERS, mixed=True)
        or check_constants(kernel, {1: "k"})
        or check_axis("axis", primitive_of(kernel, TopKFusion).axis, len(required(kernel, 0).shape))
        or _check_count(kernel)
        or check_fits(kernel, lambda: [_top_shape(kernel)] * 2)
        or _check_places(kernel)
        or check_range(kernel, profile)
    )


def _check_count(kernel: Kernel) -> Rejected | None:
    numbers = int_values(required(kernel, 1))
    size = required(kernel, 0).shape[primitive_of(kernel, TopKFusion).axis]
    if len(numbers) == 1 and 1 <= numbers[0] <= size:
        return None
    reason = f"k must be one number from 1 to {size}, is {list(numbers)}"
    return Rejected(RejectCode.ATTRIBUTE, reason, "k must be 1 to the size of the axis")


def _check_places(kernel: Kernel) -> Rejected | None:
    values, places = (out.dtype for out in kernel.outputs)
    if places == DataType.INT32 and (values in INTEGERS) == (required(kernel, 0).dtype in INTEGERS):
        return None
    rule = "values must be of the kind of input 0, places INT32"
    return Rejected.by_rule(RejectCode.DTYPE, rule, f"are {values.name} and {places.name}", places)


def _top_shape(kernel: Kernel) -> tuple[int, ...]:
    shape = list(required(kernel, 0).shape)
    (shape[primitive_of(kernel, TopKFusion).axis],) = int_values(required(kernel, 1))
    return tuple(shape)


def lower_top_k_fusion(kernel: Kernel, builder: Builder) -> None:
    """Emits one instruction for each output."""
    x, (count,) = required(kernel, 0), int_values(required(kernel, 1))
    axis = normalized(primitive_of(kernel, TopKFusion).axis, len(x.shape))
    values, places = kernel.outputs
    builder.define(values, TopValues(axis, count), [builder.read(x)])
    builder.define(places, TopPlaces(axis, count), [builder.read(x)])


OPERATOR = NpuOperator(
    "TopKFusion",
    check_top_k_fusion,
    lower_top_k_fusion,
    takes="real, int32",
    condition="with a constant k from 1 to the dimension",
    quantized=through_reals(check_top_k_fusion, lower_top_k_fusion),
)
