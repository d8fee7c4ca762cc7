"""What claiming operators that only change the shape has in common."""

from __future__ import annotations

import math
from collections.abc import Collection

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.data_type import DataType
from ..profiles import Profile
from .gate import check_tensors


def check_view(kernel: Kernel, profile: Profile, more_dtypes: Collection[DataType] = ()) -> Rejected | None:
    """Input 0 and the output hold the same number of elements; other inputs stay on the host."""
    return check_tensors(kernel, profile, positions=(0,), more_dtypes=more_dtypes) or _check_count(kernel)


def _check_count(kernel: Kernel) -> Rejected | None:
    given, made = kernel.inputs[0].shape, kernel.outputs[0].shape
    if math.prod(given) == math.prod(made):
        return None
    return Rejected(RejectCode.SHAPE, f"output must have as many elements as input 0, {given}, has shape {made}")
