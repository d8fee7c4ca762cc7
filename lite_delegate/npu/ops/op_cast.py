"""Cast: a change of element type; nothing at all between floating types, which are all float16 on the device."""

from __future__ import annotations

from ...delegate import Kernel
from ..compiler import Builder, LayoutRule, Lowering
from ..compiler.builder import ELEMENTS
from ..device.cast import ConvertElements
from ..operands import required


def lower_cast(kernel: Kernel, builder: Builder) -> None:
    """Emits the conversion in the layout of the input."""
    x, out = required(kernel, 0), kernel.outputs[0]
    layout = builder.follow([x], len(x.shape))
    source, element = builder.read(x, layout), ELEMENTS[out.dtype]
    if ELEMENTS[x.dtype] is element:
        return builder.alias(out, layout, source)
    return builder.define(out, layout, ConvertElements(element), [source])


LOWERING = Lowering("Cast", lower_cast, LayoutRule.FOLLOW)
