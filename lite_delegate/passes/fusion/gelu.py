"""GeluFusionPass: the Gaussian error linear unit, exact and approximate."""

from __future__ import annotations

import math
from typing import ClassVar

from ...ir import Node, Primitive, Value, make_primitive
from ..patterns import maker_of
from .pattern import Product, Scene, near
from .pattern_pass import PatternPass

CUBIC = 0.044715
"""The coefficient of the approximation by tanh (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016)."""


class GeluFusionPass(PatternPass):
    """Makes one Activation GELU of the nodes that spell it out.

    1. ``0.5 * x * (1 + erf(x / sqrt(2)))``, the factors in any order and grouping, dividing or multiplying.
    2. ``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``, the cube as a power or as products: GELU with
       ``approximate``. Also with ``x`` taken out: ``tanh(sqrt(2 / pi) * x * (1 + 0.044715 * x**2))``.
    3. Numbers count as those of the formula when they are within rounding of six digits, or the same in float16.
    """

    name: ClassVar[str] = "gelu-fusion"
    needs = frozenset({"DivFusion", "MulFusion"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """GELU of ``x``."""
        if node.op_type not in ("MulFusion", "DivFusion"):
            return None
        product = scene.product(node.outputs[0])
        if product is None or not near(product.number, 0.5) or len(product.factors) != 2:
            return None
        for x, gate in (product.factors, product.factors[::-1]):
            shifted = scene.sum_with_number(gate)
            if shifted is not None and near(shifted[1], 1.0):
                if _is_erf(shifted[0], x, scene):
                    return make_primitive("Activation", activation_type="GELU"), [x]
                if _is_tanh(shifted[0], x, scene):
                    return make_primitive("Activation", activation_type="GELU", approximate=True), [x]
        return None


def _is_erf(value: Value, x: Value, scene: Scene) -> bool:
    erf = maker_of(scene.draft, value, "Erf")
    inside = None if erf is None else scene.product(erf.inputs[0])
    return inside is not None and inside.is_number_times(math.sqrt(0.5), x)


def _is_tanh(value: Value, x: Value, scene: Scene) -> bool:
    tanh = maker_of(scene.draft, value, "Activation")
    if tanh is None or tanh.primitive.attributes()["activation_type"] != "TANH":
        return False
    inside = scene.product(tanh.inputs[0])
    if inside is None or not near(inside.number, math.sqrt(2 / math.pi)):
        return False
    if len(inside.factors) == 1:
        return _is_cubic_sum(inside.factors[0], x, scene)
    rest = inside.without(x)
    return rest is not None and len(rest) == 1 and _is_square_sum(rest[0], x, scene)


def _is_cubic_sum(value: Value, x: Value, scene: Scene) -> bool:
    """``x + 0.044715 * x**3``."""
    total = maker_of(scene.draft, value, "AddFusion")
    if total is None:
        return False
    others = [v for v in total.inputs if v is not x]
    return len(others) == 1 and _is_power(scene.product(others[0]), x, 3, scene)


def _is_square_sum(value: Value, x: Value, scene: Scene) -> bool:
    """``1 + 0.044715 * x**2``."""
    found = scene.sum_with_number(value)
    return found is not None and near(found[1], 1.0) and _is_power(scene.product(found[0]), x, 2, scene)


def _is_power(product: Product | None, x: Value, exponent: int, scene: Scene) -> bool:
    return product is not None and scene.expanded(product).is_number_times(CUBIC, *(x,) * exponent)
