"""Windows of convolutions and pools: padding and output size from the attributes.

The formulas are MindSpore Lite's: SAME gives ceil(in / stride) windows and recomputes the padding; PAD and VALID
both add the explicit padding.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..basics.data_class import dataclass
from ..ir.primitives import AdderFusion, AvgPoolFusion, Conv2DFusion, MaxPoolFusion
from ..ir.types.enums import PadMode, RoundMode

Pair = tuple[int, int]
Pool = MaxPoolFusion | AvgPoolFusion
NO_PADDING = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Sliding:
    """Attributes of a sliding operator, defaults filled in, vertical before horizontal.

    Attributes:
        pads: (above, below, left, right) the input.
        same: the padding is recomputed so that there are ceil(in / stride) windows.
        round_up: a window that overhangs the padded input counts.
    """

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    same: bool
    round_up: bool = False


@dataclass(frozen=True, slots=True)
class WindowPlaces:
    """The places of a window. What lies below and right of the input follows from the output's size.

    Attributes:
        size: taps (vertical, horizontal).
        strides: steps between windows.
        dilations: steps between taps.
        before: padding (above, left of) the input.
        output: number of windows.
    """

    size: Pair
    strides: Pair
    dilations: Pair
    before: Pair
    output: Pair

    def after(self, height: int, width: int) -> Pair:
        """The reach of the windows beyond an input (below, right of it); negative where they leave some of it out."""
        below, right = (
            (out - 1) * stride + (size - 1) * dilation + 1 - before - dim
            for out, stride, size, dilation, before, dim in zip(
                self.output, self.strides, self.size, self.dilations, self.before, (height, width), strict=True
            )
        )
        return below, right


def conv_sliding(primitive: Conv2DFusion | AdderFusion, weight_shape: Sequence[int]) -> Sliding:
    """Attributes of a convolution with a weight (Cout, Kh, Kw, Cin/group).

    Absent kernel sizes come from the weight; a padding list of fewer than four entries is none.
    """
    pads = primitive.pad_list or ()
    return Sliding(
        size=tuple(weight_shape[1:3]) if primitive.kernel_size is None else primitive.kernel_size,
        strides=(1, 1) if primitive.stride is None else primitive.stride,
        dilations=(1, 1) if primitive.dilation is None else primitive.dilation,
        pads=pads if len(pads) >= len(NO_PADDING) else NO_PADDING,
        same=primitive.pad_mode == PadMode.SAME,
    )


def pool_sliding(primitive: Pool, x_shape: Sequence[int]) -> Sliding:
    """Attributes of a pool over x (N, H, W, C); a global one has a single window, the whole input."""
    if primitive.global_:
        return Sliding(tuple(x_shape[1:3]), (1, 1), (1, 1), NO_PADDING, same=False)
    return Sliding(
        size=primitive.kernel_size or (),
        strides=(1, 1) if primitive.strides is None else primitive.strides,
        dilations=(1, 1),
        pads=primitive.pad or NO_PADDING,
        same=primitive.pad_mode == PadMode.SAME,
        round_up=primitive.round_mode == RoundMode.CEIL,
    )


def places_of(sliding: Sliding, x_shape: Sequence[int]) -> WindowPlaces:
    """The windows over x (N, H, W, C). The number of windows may come out below 1: the caller rejects that."""
    (top, rows), (left, columns) = _along(sliding, 0, x_shape[1]), _along(sliding, 1, x_shape[2])
    return WindowPlaces(
        size=_pair(sliding.size),
        strides=_pair(sliding.strides),
        dilations=_pair(sliding.dilations),
        before=(top, left),
        output=(rows, columns),
    )


def _along(sliding: Sliding, axis: int, size: int) -> tuple[int, int]:
    """Padding before, and number of windows, along one axis."""
    stride = sliding.strides[axis]
    extent = (sliding.size[axis] - 1) * sliding.dilations[axis] + 1
    if sliding.same:
        windows = -(-size // stride)
        return max(0, (windows - 1) * stride + extent - size) // 2, windows
    before, after = sliding.pads[2 * axis : 2 * axis + 2]
    room = size + before + after - extent
    return before, (-(-room // stride) if sliding.round_up else room // stride) + 1


def _pair(values: Sequence[int]) -> Pair:
    vertical, horizontal = values
    return vertical, horizontal
