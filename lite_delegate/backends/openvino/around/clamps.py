"""Clamps of quantized numbers: OpenVINO brings them before the scale, where their bounds become whole numbers."""

from __future__ import annotations

from typing import Any

from .copies import copied

INTEGERS = frozenset({"i8", "u8"})
MOVING = frozenset(
    {
        *("Reshape", "Squeeze", "Unsqueeze", "Transpose", "Concat", "Split", "VariadicSplit", "StridedSlice", "Slice"),
        *("Gather", "MaxPool", "ReduceMax", "ReduceMin", "DepthToSpace", "SpaceToDepth", "Tile", "Broadcast", "Pad"),
        *("ShuffleChannels", "BatchToSpace", "SpaceToBatch", "Relu"),
    }
)
"""Operators whose results are some of the numbers that they read, so that they may stay integers."""


def clamp_real_numbers(model: Any) -> None:
    """Lets each Clamp of 8-bit integers that were made real read a copy, which keeps it where it is.

    A minimum of a maximum would not: OpenVINO makes a Clamp of both.

    Args:
        model: OpenVINO's, or the body of one of its operators; it is changed in place.
    """
    for node in [node for node in model.get_ordered_ops() if node.get_type_name() == "Clamp"]:
        if _may_stay_integers(node.input_value(0)):
            node.input(0).replace_source_output(copied(node.input_value(0)))


def _may_stay_integers(value: Any) -> bool:
    """Whether numbers are integers times a scale, moved maybe."""
    node = value.get_node()
    while node.get_type_name() in MOVING:
        node = node.input_value(0).get_node()
    if node.get_type_name() != "Multiply":
        return False
    node = node.input_value(0).get_node()
    if node.get_type_name() == "Subtract":
        node = node.input_value(0).get_node()
    return node.get_type_name() == "Convert" and node.get_input_element_type(0).get_type_name() in INTEGERS
