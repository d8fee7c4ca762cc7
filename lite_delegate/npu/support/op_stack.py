"""Stack: claimed for inputs of one shape."""

from __future__ import annotations

from ...delegate import Kernel, Supported, SupportResult
from ...ir.primitives import Stack
from ..profiles import Profile
from ..semantics.fitting import DoesNotFit, placed_axes
from ..semantics.operands import primitive_of, shape_of
from ._check import SupportCheck
from .gate import MOVABLE, check_fits, check_operands, check_range, check_tensors


def check_stack(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_operands(kernel, max(1, len(kernel.operands)))
        or check_tensors(kernel, profile, more_dtypes=MOVABLE)
        or check_fits(kernel, lambda: [_stacked_shape(kernel)])
        or check_range(kernel, profile)
        or Supported()
    )


def _stacked_shape(kernel: Kernel) -> tuple[int, ...]:
    shapes = [shape_of(t) for t in kernel.inputs]
    if len(set(shapes)) != 1:
        raise DoesNotFit(f"inputs must have one shape, have {[list(shape) for shape in shapes]}")
    (axis,) = placed_axes([primitive_of(kernel, Stack).axis], len(shapes[0]) + 1, "axis")
    return (*shapes[0][:axis], len(shapes), *shapes[0][axis:])


CHECK = SupportCheck("Stack", check_stack)
