"""The reference kernel of a node: by its operator, or by the type of a Custom node."""

from __future__ import annotations

from functools import cache
from typing import Any

from lite_delegate_kernels import KernelRegistry, ReferenceKernel

from ..ir import Node, custom_attributes, custom_type
from ..ir.custom import INPUTS, NO_KERNEL


def kernel_for(registry: KernelRegistry, node: Node, quantized: bool = False) -> ReferenceKernel | None:
    """The kernel of a node, None where there is none.

    A Custom node has one where its type is an operator with its domain; kernels take the operands in the places that
    they have in the file.
    """
    if node.op_type != "Custom":
        return registry.find(node.op_type, quantized=quantized)
    name = custom_type(node.primitive)
    kernel = registry.find(name) if "." in name else None
    if kernel is None:
        return None
    found = custom_attributes(node.primitive)
    places = found.get(INPUTS)
    if NO_KERNEL in found or places is None:
        return None if NO_KERNEL in found else kernel
    return _spread(kernel, tuple(places)) if _are_places(places, len(node.inputs)) else None


def _are_places(found: Any, count: int) -> bool:
    """Whether they say for each operand, in order, which of the file's it is; a file may say anything."""
    if not isinstance(found, list) or len(found) != count or not all(isinstance(i, int) for i in found):
        return False
    return sorted(set(found)) == found and all(0 <= i < 2 * count + 8 for i in found)


@cache
def _spread(kernel: ReferenceKernel, places: tuple[int, ...]) -> ReferenceKernel:
    """The kernel with operands at these places, None at the others."""

    def at(given: tuple[Any, ...]) -> list[Any]:
        operands: list[Any] = [None] * (max(places, default=-1) + 1)
        for place, operand in zip(places, given, strict=True):
            operands[place] = operand
        return operands

    return ReferenceKernel(
        kernel.op_type,
        lambda *given, **keywords: kernel.run(*at(given), **keywords),
        lambda *given, **keywords: kernel.infer(*at(given), **keywords),
        kernel.dtypes,
        kernel.needs_output_count,
    )
