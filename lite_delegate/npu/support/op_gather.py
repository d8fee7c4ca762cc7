"""Gather: claimed for a constant axis, and for INT32 indices or constant ones that are inside."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import DataType
from ..profiles import Profile
from ..semantics.fitting import DoesNotFit, placed_axes
from ..semantics.operands import int_values, required, shape_of
from ._check import SupportCheck
from .gate import MOVABLE, check_constants, check_driver, check_fits, check_operands, check_range, check_tensors

INTEGERS = frozenset(
    {DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64}
    | {DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64}
)


def check_gather(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel.

    An index that the model computes may be outside: then the device stops the run with an error, as the reference
    kernel does. (MindSpore Lite writes zeros.)
    """
    return (
        check_operands(kernel, 3, 3)
        or check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE)
        or check_constants(kernel, {2: "axis"})
        or _check_indices(kernel, profile)
        or check_fits(kernel, lambda: [_gathered_shape(kernel)])
        or check_range(kernel, profile)
        or Supported()
    )


def _check_indices(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Known shape, element type and rank; on the device indices are INT32, constants of other types are converted."""
    indices = required(kernel, 1)
    if not indices.has_known_shape:
        return Rejected(RejectCode.SHAPE, f"indices must have a known shape, have {indices.shape}")
    known = INTEGERS if indices.is_const and indices.has_data else {DataType.INT32}
    if indices.dtype not in known:
        names = ", ".join(d.name for d in sorted(known))
        return Rejected(RejectCode.DTYPE, f"indices must be {names}, are {indices.dtype.name}")
    if len(indices.shape) > profile.max_rank:
        limit, found = profile.max_rank, indices.shape
        return Rejected(RejectCode.RANK, f"indices may have {limit} dimensions at most, have shape {found}")
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


CHECK = SupportCheck("Gather", check_gather)
