"""SwishFusionPass: sigmoids, and products with them."""

from __future__ import annotations

import math
from typing import ClassVar

from ...ir import Node, Primitive, Value, make_primitive
from ..framework.patterns import is_activated, maker_of
from .forms.pattern import Scene, near
from .forms.pattern_pass import PatternPass
from .forms.quotient import quotient_of


class SwishFusionPass(PatternPass):
    """Makes one Activation of ``x * sigmoid(x)`` and ``x * sigmoid(1.702 x)``.

    1. ``x * sigmoid(x)``, in either order: SWISH. The same bit for bit.
    2. ``x * sigmoid(1.702 * x)``: FAST_GELU. The same but for the order of the factors.
    3. ``1 / (1 + exp(-x))``, as a quotient or by Reciprocal: SIGMOID. A few roundings apart; ``x`` over ``1 +
       exp(-x)`` or ``1 + exp(-1.702 x)``: SWISH and FAST_GELU.
    4. A product with any other factor or number stays, and so does a product with a fused activation.
    """

    name: ClassVar[str] = "swish-fusion"
    needs = frozenset({"DivFusion", "MulFusion", "Reciprocal"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """SIGMOID, SWISH or FAST_GELU of ``x``."""
        if node.op_type in ("DivFusion", "Reciprocal"):
            return _over_exponential(node, scene)
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


def _over_exponential(node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
    """Case 3."""
    if is_activated(node) or any(v is None for v in node.inputs):
        return None
    whole = quotient_of(node.outputs[0], scene.draft, lambda value: value is not node.outputs[0])
    if whole.number != 1.0 or len(whole.under) != 1:
        return None
    total = scene.sum_with_number(whole.under[0])
    power = None if total is None or total[1] != 1.0 else exponent_of(total[0], scene)
    if power is None:
        return None
    factor, x = power
    if not whole.over and factor == -1.0 and scene.rank(x) == scene.rank(node.outputs[0]):
        return make_primitive("Activation", activation_type="SIGMOID"), [x]
    if whole.over != (x,) or not (factor == -1.0 or near(factor, -1.702)):
        return None
    return make_primitive("Activation", activation_type="SWISH" if factor == -1.0 else "FAST_GELU"), [x]


def exponent_of(value: Value, scene: Scene) -> tuple[float, Value] | None:
    """``(c, x)`` where a value is ``exp(c * x)``."""
    node = maker_of(scene.draft, value, "ExpFusion")
    if node is None or node.inputs[0] is None:
        return None
    attributes, inside = node.primitive.attributes(), node.inputs[0]
    if attributes["shift"] != 0.0 or attributes["base"] not in (-1.0, math.e):
        return None
    negated = maker_of(scene.draft, inside, "Neg")
    if negated is not None and negated.inputs[0] is not None:
        return -attributes["scale"], negated.inputs[0]
    product = scene.product(inside)
    if product is None or len(product.factors) != 1:
        return attributes["scale"], inside
    return attributes["scale"] * product.number, product.factors[0]
