"""BroadcastTo: axes of 1 put before the input's, then repeated to the shape of the output."""

from __future__ import annotations

from ...delegate import Kernel
from ..device.repetition import Broadcast
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import required, shape_of


def lower_broadcast_to(kernel: Kernel, builder: Builder) -> None:
    """Emits the broadcast; nothing where the input has the shape already."""
    x, out = required(kernel, 0), kernel.outputs[0]
    if shape_of(x) == shape_of(out):
        return builder.alias(out, builder.read(x))
    return builder.define(out, Broadcast(shape_of(out)), [builder.read(x, len(out.shape))])


LOWERING = Lowering("BroadcastTo", lower_broadcast_to)
