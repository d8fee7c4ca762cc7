"""SwishFusionPass: products with sigmoids."""

from __future__ import annotations

from typing import ClassVar

from ...ir import Node, Primitive, Value, make_primitive
from ..patterns import maker_of
from .pattern import Scene
from .pattern_pass import PatternPass


class SwishFusionPass(PatternPass):
    """Makes one Activation of ``x * sigmoid(x)`` and ``x * sigmoid(1.702 x)``.

    1. ``x * sigmoid(x)``, in either order: SWISH. The same bit for bit.
    2. ``x * sigmoid(1.702 * x)``: FAST_GELU. The same but for the order of the factors.
    3. A product with any other factor or number stays, and so does one with a fused activation.
    """

    name: ClassVar[str] = "swish-fusion"
    needs = frozenset({"MulFusion"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """SWISH or FAST_GELU of ``x``."""
        if node.op_type != "MulFusion":
            return None
        product = scene.product(node.outputs[0])
        if product is None or product.number != 1.0 or len(product.factors) != 2:
            return None
        for x, gate in (product.factors, product.factors[::-1]):
            kind = _kind(x, gate, scene)
            if kind is not None:
                return make_primitive("Activation", activation_type=kind), [x]
        return None


def _kind(x: Value, gate: Value, scene: Scene) -> str | None:
    sigmoid = maker_of(scene.draft, gate, "Activation")
    if sigmoid is None or sigmoid.primitive.attributes()["activation_type"] != "SIGMOID":
        return None
    if sigmoid.inputs[0] is x:
        return "SWISH"
    inside = scene.product(sigmoid.inputs[0])
    return "FAST_GELU" if inside is not None and inside.is_number_times(1.702, x) else None
