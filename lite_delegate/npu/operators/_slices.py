"""Shared by operators that cut parts out of their input."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel
from ...semantics.operands import required, shape_of
from ...semantics.slicing import SlicedPart, whole
from ..device.instructions.movement import View
from ..device.instructions.slicing import Slice
from ..ir.builder import Builder


def lower_cuts(kernel: Kernel, builder: Builder, cuts: Sequence[SlicedPart]) -> None:
    """A slice for each output, in order.

    A cut of the whole input emits no slice; a cut with another shape than its slice is a view of the slice.
    """
    x = required(kernel, 0)
    for tensor, cut in zip(kernel.outputs, cuts, strict=True):
        buffer, counts = builder.read(x), cut.positions.counts
        if cut.positions != whole(shape_of(x)):
            slicing = Slice(cut.positions.starts, counts, cut.positions.strides)
            buffer = builder.emit(slicing, [buffer], counts, builder.element(x.dtype))
        if cut.shape != counts:
            buffer = builder.emit(View(cut.shape), [buffer], cut.shape, builder.element(x.dtype))
        builder.alias(tensor, buffer)
