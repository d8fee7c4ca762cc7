"""Cast: a change of element type; nothing at all between floating types, which are all float16 on the device."""

from __future__ import annotations

from ...delegate import Kernel
from ..device.cast import ConvertElements
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import required


def lower_cast(kernel: Kernel, builder: Builder) -> None:
    """Emits the conversion; none where both types are one on the device."""
    x, out = required(kernel, 0), kernel.outputs[0]
    source, element = builder.read(x), builder.element(out.dtype)
    if builder.element(x.dtype) is element:
        return builder.alias(out, source)
    return builder.define(out, ConvertElements(element), [source])


LOWERING = Lowering("Cast", lower_cast)
