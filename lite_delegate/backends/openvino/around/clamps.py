"""Clamps of quantized numbers: OpenVINO moves a clamp before the scale, where its bounds are rounded to whole
numbers.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import Any

from .copies import copied
from .integers import makes_real, upwards

MOVING = frozenset(
    {
        *("Reshape", "Squeeze", "Unsqueeze", "Transpose", "Concat", "Split", "VariadicSplit", "StridedSlice", "Slice"),
        *("Gather", "MaxPool", "ReduceMax", "ReduceMin", "DepthToSpace", "SpaceToDepth", "Tile", "Broadcast", "Pad"),
        *("ShuffleChannels", "BatchToSpace", "SpaceToBatch", "Relu"),
    }
)
"""Operators whose results are some of the numbers that they read, so that they may stay integers."""


def clamp_real_numbers(model: Any) -> None:
    """Lets each Clamp of 8-bit integers that were made real read a copy, which keeps the Clamp in its place.

    A minimum of a maximum would not keep its place: OpenVINO makes a Clamp of both.

    Args:
        model: OpenVINO's, or the body of one of its operators; it is changed in place.
    """
    for node in [node for node in model.get_ordered_ops() if node.get_type_name() == "Clamp"]:
        if _may_stay_integers(node.input_value(0)):
            node.input(0).replace_source_output(copied(node.input_value(0)))


def _may_stay_integers(value: Any) -> bool:
    """Whether real numbers are integers times a scale, possibly moved."""
    above = dropwhile(lambda node: node.get_type_name() in MOVING, upwards(value))
    if next(above).get_type_name() != "Multiply":
        return False
    node = next(above)
    return makes_real(next(above) if node.get_type_name() == "Subtract" else node)
