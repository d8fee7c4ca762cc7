"""HardSwishFusionPass: sigmoid and swish of straight lines."""

from __future__ import annotations

from typing import ClassVar

from ...ir import Node, Primitive, Value, make_primitive
from ..clamp import Clamp, clamp_of
from ..framework.patterns import is_activated, maker_of, scalar_of
from .forms.pattern import Scene, near
from .forms.pattern_pass import PatternPass
from .forms.polynomial import polynomial_of, values_behind


class HardSwishFusionPass(PatternPass):
    """Makes one Activation of the nodes that spell HSIGMOID and HSWISH out.

    1. ``min(max(x + 3, 0), 6) / 6``, the clamp as RELU6, as Clip, as Minimum and Maximum, or fused into the sum;
       multiplied by 1/6, or divided by 6: HSIGMOID.
    2. ``min(max(x / 6 + 0.5, 0), 1)``, or ``(x + 3) / 6`` in the place of the line: HSIGMOID.
    3. ``x`` times one of these, the factors in any order and grouping: HSWISH.
    """

    name: ClassVar[str] = "hard-swish-fusion"
    needs = frozenset({"DivFusion", "MulFusion"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """HSIGMOID or HSWISH of ``x``."""
        x = _from_unit_clamp(node, scene)
        if x is not None:
            return make_primitive("Activation", activation_type="HSIGMOID"), [x]
        if node.op_type not in ("MulFusion", "DivFusion") or is_activated(node):
            return None
        product = scene.product(node.outputs[0])
        if product is None:
            return None
        if len(product.factors) == 1 and near(product.number, 1 / 6):
            x = _shifted(product.factors[0], scene)
            return None if x is None else (make_primitive("Activation", activation_type="HSIGMOID"), [x])
        if len(product.factors) == 2:
            for x, gate in (product.factors, product.factors[::-1]):
                if _is_gate(gate, x, product.number, scene):
                    return make_primitive("Activation", activation_type="HSWISH"), [x]
        return None


def _is_gate(gate: Value, x: Value, number: float, scene: Scene) -> bool:
    if near(number, 1 / 6):
        return _shifted(gate, scene) is x
    hard = maker_of(scene.draft, gate, "Activation")
    is_hard = hard is not None and hard.primitive.attributes()["activation_type"] == "HSIGMOID"
    return number == 1.0 and is_hard and hard is not None and hard.inputs[0] is x


def _shifted(value: Value, scene: Scene) -> Value | None:
    """``x`` where a value is ``min(max(x + 3, 0), 6)``."""
    node = scene.draft.producer(value)
    clamp = _clamp(node, scene) if node is not None and scene.draft.is_plain(node) else None
    if clamp is None or (clamp.low, clamp.high) != (0.0, 6.0):
        return None
    total = scene.sum_with_number(clamp.source, clamp.inside)
    return total[0] if total is not None and near(total[1], 3.0) else None


def _from_unit_clamp(node: Node, scene: Scene) -> Value | None:
    """``x`` where a node gives ``min(max(x / 6 + 0.5, 0), 1)``."""
    clamp = _clamp(node, scene)
    if clamp is None or clamp.inside is not None or (clamp.low, clamp.high) != (0.0, 1.0):
        return None
    for x in values_behind(clamp.source, scene.draft, depth=3):
        line = polynomial_of(clamp.source, (x,), scene.draft)
        is_line = line is not None and line.keys() == {(), (x,)} and near(line[()], 0.5) and near(line[x,], 1 / 6)
        if is_line and scene.rank(x) == scene.rank(node.outputs[0]):
            return x
    return None


def _clamp(node: Node, scene: Scene) -> Clamp | None:
    """The clamp that a node is or ends with; Minimum and Maximum with a number each, in either order, are one, too."""
    if node.op_type not in ("Maximum", "Minimum"):
        return clamp_of(node, scene.draft)
    outer = _bound(node, scene)
    before = None if outer is None else scene.draft.producer(outer[0])
    inner = None if before is None or before.op_type == node.op_type else _bound(before, scene)
    if outer is None or inner is None or before is None or not scene.draft.is_plain(before):
        return None
    low, high = (inner[1], outer[1]) if node.op_type == "Minimum" else (outer[1], inner[1])
    return Clamp(low, high, inner[0]) if low < high else None


def _bound(node: Node, scene: Scene) -> tuple[Value, float] | None:
    """The operand and the number of a Minimum or Maximum."""
    if node.op_type not in ("Maximum", "Minimum"):
        return None
    for operand, other in (node.inputs, node.inputs[::-1]):
        number = scalar_of(scene.draft, other)
        if operand is not None and number is not None:
            return operand, number
    return None
