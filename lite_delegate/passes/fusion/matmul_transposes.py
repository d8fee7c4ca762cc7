"""MatMulTransposesPass: transposes of matrices as attributes of their product."""

from __future__ import annotations

from typing import Any, ClassVar

from ...ir import Node, Primitive, Value
from ..framework.patterns import maker_of
from .forms.pattern import Scene
from .forms.pattern_pass import PatternPass


class MatMulTransposesPass(PatternPass):
    """Lets MatMulFusion read its operands as they are before a Transpose. The same bit for bit.

    1. ``transpose_a`` or ``transpose_b`` takes over a Transpose of the operand that swaps the last two dimensions and
       leaves the others, also several such transposes behind each other.
    2. A Transpose that other nodes read stays for these nodes.
    3. Other permutations, and permutations that are no constants, stay.
    """

    name: ClassVar[str] = "matmul-transposes"
    needs = frozenset({"MatMulFusion"})
    shares: ClassVar[bool] = True

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """The product of the values before the transposes."""
        if node.op_type != "MatMulFusion":
            return None
        inputs, taken = list(node.inputs), dict[str, Any]()
        for position, name in enumerate(("transpose_a", "transpose_b")):
            source, swaps = _before_swaps(inputs[position], scene)
            if swaps:
                inputs[position] = source
                taken[name] = node.primitive.attributes()[name] ^ bool(swaps % 2)
        return (node.primitive.replace(**taken), inputs) if taken else None


def _before_swaps(value: Value | None, scene: Scene) -> tuple[Value | None, int]:
    """The value before its last two dimensions are swapped, and how often they are."""
    swaps = 0
    while (node := maker_of(scene.draft, value, "Transpose")) is not None and _swaps_the_last_two(node, scene):
        value, swaps = node.inputs[0], swaps + 1
    return value, swaps


def _swaps_the_last_two(transpose: Node, scene: Scene) -> bool:
    order = scene.draft.constant(transpose.inputs[1]) if len(transpose.inputs) > 1 else None
    if order is None or order.size < 2:
        return False
    kept, swapped = [*range(order.size - 2)], [order.size - 1, order.size - 2]
    return bool(order.reshape(-1).tolist() == kept + swapped)
