"""Gather: positions taken along an axis; known ones are part of the instruction."""

from __future__ import annotations

from ...delegate import Kernel
from ..device.gathering import Gather, Take
from ..device.movement import View
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import int_values, normalized, required, shape_of


def lower_gather(kernel: Kernel, builder: Builder) -> None:
    """Emits a take for constant indices, viewed with the axes of the indices, and a gather for computed ones."""
    x, indices, out = required(kernel, 0), required(kernel, 1), kernel.outputs[0]
    shape = shape_of(x)
    axis = normalized(int_values(required(kernel, 2))[0], len(shape))
    if not indices.is_const:
        return builder.define(out, Gather(axis), [builder.read(x), builder.read(indices)])
    positions = tuple(normalized(index, shape[axis]) for index in int_values(indices))
    taken = (*shape[:axis], len(positions), *shape[axis + 1 :])
    buffer = builder.emit(Take(axis, positions), [builder.read(x)], taken, builder.element(x.dtype))
    if taken != shape_of(out):
        buffer = builder.emit(View(shape_of(out)), [buffer], shape_of(out), builder.element(x.dtype))
    return builder.alias(out, buffer)


LOWERING = Lowering("Gather", lower_gather)
