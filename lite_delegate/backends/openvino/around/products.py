"""Products of 8-bit integers in a row: OpenVINO's CPU takes small ones into one kernel, whose numbers are wrong."""

from __future__ import annotations

from typing import Any

from .copies import copied

INTEGERS = frozenset({"i8", "u8"})
JOINED_RANK = 2
"""Of the products that OpenVINO takes into one kernel."""


def part_products(model: Any) -> None:
    """Keeps OpenVINO from taking a product of quantized numbers into one kernel with a product before it.

    OpenVINO 2026.4 does so with products of matrices by constants, elementwise operators between them, that fit its
    caches. Where no bias is added to a product whose result is quantized, that kernel gives sums that are neither
    scaled nor clipped. What such a product reads is copied here, as 8-bit integers, and is no elementwise operator
    then; the products stay those of integers.

    Args:
        model: OpenVINO's, or the body of one of its operators; it is changed in place.
    """
    for product in [node for node in model.get_ordered_ops() if _is_product(node)]:
        integers = _integers_of(product.input_value(0))
        if integers is not None and _product_above(integers):
            integers.replace_source_output(copied(integers.get_source_output()))


def _is_product(node: Any) -> bool:
    return bool(node.get_type_name() == "MatMul" and node.get_output_partial_shape(0).rank == JOINED_RANK)


def _integers_of(value: Any) -> Any:
    """The input of the conversion to real numbers that a value comes from, by its first operands; None: of none."""
    node = value.get_node()
    while node.get_input_size() and not _is_product(node):
        if node.get_type_name() == "Convert" and node.get_input_element_type(0).get_type_name() in INTEGERS:
            return node.input(0)
        node = node.input_value(0).get_node()
    return None


def _product_above(read: Any) -> bool:
    node = read.get_source_output().get_node()
    while node.get_input_size():
        if _is_product(node):
            return True
        node = node.input_value(0).get_node()
    return False
