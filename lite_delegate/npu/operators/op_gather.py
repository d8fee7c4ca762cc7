"""Gather: positions taken along an axis; known ones are part of the instruction."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.data_type import DataType
from ...semantics.fitting import DoesNotFit, placed_axes
from ...semantics.operands import int_values, normalized, required, shape_of
from ..device.instructions.gathering import GatherAlong, Take
from ..device.instructions.movement import View
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import (
    MOVABLE,
    check_constants,
    check_driver,
    check_fits,
    check_operands,
    check_range,
    check_tensors,
    rank_rejection,
)
from .quantized.movement import by_movement
from .record import NpuOperator
from .rules import KNOWN_SHAPES

INTEGERS = frozenset(
    {DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64}
    | {DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64}
)


def check_gather(kernel: Kernel, profile: Profile) -> Rejected | None:
    """An index that the model computes may be outside: then the device stops the run with an error, as the reference
    kernel does. (MindSpore Lite writes zeros.)
    """
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {2: "axis"})
        or _check_indices(kernel, profile)
        or check_fits(kernel, lambda: [_gathered_shape(kernel)])
        or check_range(kernel, profile)
    )


def _check_indices(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Known shape, element type and rank; on the device indices are INT32, constants of other types are converted."""
    indices = required(kernel, 1)
    if not indices.has_known_shape:
        return Rejected(RejectCode.SHAPE, f"indices must have a known shape, have {indices.shape}", KNOWN_SHAPES)
    known = INTEGERS if indices.is_const and indices.has_data else {DataType.INT32}
    if indices.dtype not in known:
        names = ", ".join(d.name for d in sorted(known))
        return Rejected.by_rule(
            RejectCode.DTYPE, f"indices must be {names}", f"are {indices.dtype.name}", indices.dtype
        )
    if len(indices.shape) > profile.max_rank:
        return rank_rejection("indices", "have", indices.shape, profile.max_rank)
    if math.prod(indices.shape) == 1:
        return None
    return check_driver(profile, profile.limits.gather_many_since, f"Gather with {math.prod(indices.shape)} indices")


def _gathered_shape(kernel: Kernel) -> tuple[int, ...]:
    shape, indices = shape_of(required(kernel, 0)), required(kernel, 1)
    axes = int_values(required(kernel, 2))
    if len(axes) != 1:
        raise DoesNotFit(f"axis must hold one value, holds {list(axes)}")
    (axis,) = placed_axes(axes, len(shape), "axis")
    found = int_values(indices) if indices.is_const and indices.has_data else ()
    outside = [index for index in found if not -shape[axis] <= index < shape[axis]]
    if outside:
        raise DoesNotFit(f"indices must be in [{-shape[axis]}, {shape[axis] - 1}], one is {outside[0]}")
    return (*shape[:axis], *shape_of(indices), *shape[axis + 1 :])


def lower_gather(kernel: Kernel, builder: Builder) -> None:
    """Emits a take for constant indices, viewed with the axes of the indices, and a gather for computed ones."""
    x, indices, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    shape = shape_of(x)
    axis = normalized(int_values(required(kernel, 2))[0], len(shape))
    if not indices.is_const:
        return builder.define(out, GatherAlong(axis), [builder.read(x), builder.read(indices)])
    positions = tuple(normalized(index, shape[axis]) for index in int_values(indices))
    taken = (*shape[:axis], len(positions), *shape[axis + 1 :])
    buffer = builder.emit(Take(axis, positions), [builder.read(x)], taken, builder.element(x.dtype))
    if taken != shape_of(out):
        buffer = builder.emit(View(shape_of(out)), [buffer], shape_of(out), builder.element(x.dtype))
    return builder.alias(out, buffer)


OPERATOR = NpuOperator(
    "Gather",
    check_gather,
    lower_gather,
    takes="any; constant indices of any integer type, computed ones int32",
    condition="for a constant axis; constant indices are inside the dimension",
    limits=("gather_many_since",),
    quantized=by_movement(check_gather, lower_gather),
)
