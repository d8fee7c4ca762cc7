"""Shared by operators that only change the shape."""

from __future__ import annotations

import math

from ...delegate import Kernel, RejectCode, Rejected
from ...semantics.operands import required, shape_of
from ..device.instructions.movement import View
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import MOVABLE, check_tensors


def check_view(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Input 0 and the output hold the same number of elements, of any type; other inputs stay on the host."""
    return check_tensors(kernel, profile, positions=(0,), more_dtypes=MOVABLE) or _check_count(kernel)


def _check_count(kernel: Kernel) -> Rejected | None:
    given, made = kernel.inputs[0].shape, kernel.outputs[0].shape
    if math.prod(given) == math.prod(made):
        return None
    rule = "output must have as many elements as input 0"
    return Rejected(RejectCode.SHAPE, f"{rule}, {given}, has shape {made}", rule)


def lower_view(kernel: Kernel, builder: Builder) -> None:
    """The elements in model order under another shape."""
    out = kernel.outputs[0]
    builder.define(out, View(shape_of(out)), [builder.read(required(kernel, 0))])
