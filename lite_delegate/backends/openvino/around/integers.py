"""8-bit integers in OpenVINO's models: the nodes that make real numbers of them, and the origin of a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

INTEGERS = frozenset({"i8", "u8"})


def makes_real(node: Any) -> bool:
    """Whether a node makes real numbers of 8-bit integers, before their scale is applied."""
    return bool(node.get_type_name() == "Convert" and node.get_input_element_type(0).get_type_name() in INTEGERS)


def upwards(value: Any) -> Iterator[Any]:
    """The node that gives a value, and on from each the node that gives its first operand."""
    node = value.get_node()
    yield node
    while node.get_input_size():
        node = node.input_value(0).get_node()
        yield node
