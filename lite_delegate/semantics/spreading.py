"""Windows of transposed convolutions: padding and output size from the attributes.

The formulas are MindSpore Lite's: SAME gives ``size * stride`` elements, VALID ``(size - 1) * stride + kernel`` without
the dilation, PAD everything that the taps reach less the explicit padding. ``output_paddings`` is added at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.primitives import Conv2dTransposeFusion
from ..ir.types.enums import PadMode
from .geometry import NO_PADDING, Sliding, WindowPlaces

NO_OUTPUT_PADDING = (0, 0)


def spread_sliding(primitive: Conv2dTransposeFusion, weight_shape: Sequence[int]) -> Sliding:
    """Attributes with a weight (Cin, Kh, Kw, Cout/group); a padding list of fewer than four entries is none."""
    pads = primitive.pad_list or ()
    return Sliding(
        size=tuple(weight_shape[1:3]) if primitive.kernel_size is None else primitive.kernel_size,
        strides=(1, 1) if primitive.stride is None else primitive.stride,
        dilations=(1, 1) if primitive.dilation is None else primitive.dilation,
        pads=pads[:4] if len(pads) >= len(NO_PADDING) else NO_PADDING,
        same=primitive.pad_mode == PadMode.SAME,
    )


def spread_places(
    primitive: Conv2dTransposeFusion, weight_shape: Sequence[int], x_shape: Sequence[int]
) -> WindowPlaces:
    """The windows for x (N, H, W, C). The output's size may come out below 1: the caller rejects that."""
    sliding = spread_sliding(primitive, weight_shape)
    (top, rows), (left, columns) = (_along(primitive, sliding, axis, x_shape[1 + axis]) for axis in (0, 1))
    return WindowPlaces(
        size=(sliding.size[0], sliding.size[1]),
        strides=(sliding.strides[0], sliding.strides[1]),
        dilations=(sliding.dilations[0], sliding.dilations[1]),
        before=(top, left),
        output=(rows, columns),
    )


def _along(primitive: Conv2dTransposeFusion, sliding: Sliding, axis: int, size: int) -> tuple[int, int]:
    """The elements cut off before the output, and the output's size, along one axis."""
    stride, taps = sliding.strides[axis], sliding.size[axis]
    more = (primitive.output_paddings or NO_OUTPUT_PADDING)[axis]
    reach = (size - 1) * stride + (taps - 1) * sliding.dilations[axis] + 1
    if sliding.same:
        return int((reach - size * stride) / 2), size * stride + more
    if primitive.pad_mode == PadMode.VALID:
        return 0, (size - 1) * stride + taps + more
    before, after = sliding.pads[2 * axis : 2 * axis + 2]
    return before, reach - before - after + more
