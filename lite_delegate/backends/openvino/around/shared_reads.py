"""Values read in place by several nodes: behind some Transposes, OpenVINO's CPU reads them at the wrong place."""

from __future__ import annotations

from typing import Any

from .copies import copied
from .sequences import LAYERS

CHANNELS_SECOND = frozenset({(0, 2, 1), (0, 3, 1, 2), (0, 4, 1, 2, 3)})
"""Orders of the Transposes before convolutions and interpolations."""
IN_PLACE = frozenset({"Concat", "Reshape", "Squeeze", "Unsqueeze", "Einsum"})
"""Operators that OpenVINO runs by placing their operands in their results; it makes Reshapes of an Einsum."""


def copy_shared_reads(model: Any) -> None:
    """Lets Transposes that OpenVINO turns into views read a copy of values that other nodes may read in place.

    OpenVINO 2026.4 drops a Transpose before an operator that can read the axes in the other order: convolutions,
    interpolations, recurrent layers. The operator then reads the Transpose's operand at its first place, and not in the
    output of the model, or the part of a concatenation, where a Reshape or Concat beside it had the operand put. It
    reads memory that was never written.

    Args:
        model: OpenVINO's, or the body of one of its operators; it is changed in place.
    """
    for node in [node for node in model.get_ordered_ops() if _is_no_work(node)]:
        value = node.input_value(0)
        reads = [read.get_node() for read in value.get_target_inputs()]
        if any(read.get_type_name() in IN_PLACE for read in reads):
            copy = copied(value)
            for read in [node, *filter(_is_no_work, reads)]:
                read.input(0).replace_source_output(copy)


def _is_no_work(node: Any) -> bool:
    if node.get_type_name() != "Transpose":
        return False
    order = node.input_value(1).get_node()
    if order.get_type_name() != "Constant":
        return False
    return tuple(order.get_data()) in CHANNELS_SECOND or any(
        read.get_node().get_type_name() in LAYERS for read in node.output(0).get_target_inputs()
    )
