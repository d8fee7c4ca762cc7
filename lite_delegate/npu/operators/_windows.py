"""Shared by convolutions and pools: checks of their windows."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import RejectCode, Rejected
from ...semantics.geometry import Sliding
from ..semantics.windows import window_of


def check_sliding(sliding: Sliding) -> Rejected | None:
    """Two positive values for size, strides and dilations, and four paddings that are not negative."""
    for name, values in (("kernel_size", sliding.size), ("stride", sliding.strides), ("dilation", sliding.dilations)):
        if len(values) != 2 or min(values) < 1:
            return Rejected.by_rule(RejectCode.ATTRIBUTE, f"{name} must be two positive numbers", f"is {list(values)}")
    if len(sliding.pads) != 4 or min(sliding.pads) < 0:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "padding must be four numbers >= 0", f"is {list(sliding.pads)}")
    return None


def check_windows(sliding: Sliding, x_shape: Sequence[int]) -> Rejected | None:
    """There is a window."""
    output = window_of(sliding, x_shape).output
    if min(output) >= 1:
        return None
    size, pads = list(sliding.size), list(sliding.pads)
    reason = f"a window of {size} must fit input {list(x_shape)} with padding {pads}"
    return Rejected(RejectCode.SHAPE, reason, "a window must fit the input")
