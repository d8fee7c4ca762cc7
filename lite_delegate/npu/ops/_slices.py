"""What lowering operators that cut parts out of their input has in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...delegate import Kernel
from ..device.movement import View
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import required, shape_of
from ..semantics.slicing import Cut, whole


def slices(op_type: str, cuts_of: Callable[[Kernel], Sequence[Cut]]) -> Lowering:
    """The lowering of an operator whose outputs are what ``cuts_of`` says, in order: a slice each.

    A cut that is the whole input emits none; one of another shape than its slice is viewed.
    """

    def lower(kernel: Kernel, builder: Builder) -> None:
        x = required(kernel, 0)
        for tensor, cut in zip(kernel.outputs, cuts_of(kernel), strict=True):
            buffer, counts = builder.read(x), cut.positions.counts
            if cut.positions != whole(shape_of(x)):
                buffer = builder.emit(cut.positions, [buffer], counts, builder.element(x.dtype))
            if cut.shape != counts:
                buffer = builder.emit(View(cut.shape), [buffer], cut.shape, builder.element(x.dtype))
            builder.alias(tensor, buffer)

    return Lowering(op_type, lower)
