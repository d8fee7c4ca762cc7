"""Consecutive products of 8-bit integers: OpenVINO's CPU fuses small ones into one kernel, which gives wrong
numbers.
"""

from __future__ import annotations

from typing import Any

from .copies import copied
from .integers import makes_real, upwards

JOINED_RANK = 2
"""Of the products that OpenVINO takes into one kernel."""


def part_products(model: Any) -> None:
    """Keeps OpenVINO from taking a product of quantized numbers into one kernel with a product before it.

    OpenVINO 2026.4 does so with products of matrices by constants, elementwise operators between them, that fit its
    caches. Where no bias is added to a product whose result is quantized, that kernel gives sums that are neither
    scaled nor clipped. The operand of such a product is copied here, as 8-bit integers, and is no elementwise operator
    then; the products stay products of integers.

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
    found = next((node for node in upwards(value) if _is_product(node) or makes_real(node)), None)
    return None if found is None or _is_product(found) else found.input(0)


def _product_above(read: Any) -> bool:
    return any(_is_product(node) for node in upwards(read.get_source_output()))
