"""GeluFusionPass: the Gaussian error linear unit, exact and approximate."""

from __future__ import annotations

import math
from itertools import product
from typing import ClassVar

import numpy as np

from ...ir import Node, Primitive, Value, make_primitive
from ..framework.patterns import is_activated
from .forms.pattern import Scene, near
from .forms.pattern_pass import PatternPass
from .forms.polynomial import Polynomial, monomial, polynomial_of, values_behind

CUBIC = 0.044715
"""The coefficient of the approximation by tanh (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016)."""
ROOT = math.sqrt(2 / math.pi)
ENDS = ("AddFusion", "DivFusion", "MulFusion", "SubFusion")
"""Operators that the pattern may end with."""


class GeluFusionPass(PatternPass):
    """Makes one Activation GELU of the nodes that spell it out, in any order and grouping.

    1. ``0.5 x + 0.5 x erf(x / sqrt(2))``.
    2. ``0.5 x + 0.5 x tanh(sqrt(2 / pi) (x + 0.044715 x^3))``: GELU with ``approximate``. The cube as a power or as
       products, the coefficients multiplied out or not.
    3. ``x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))``: the same.
    4. Numbers count as the formula's numbers when they agree to six digits, or are the same in float16.
    """

    name: ClassVar[str] = "gelu-fusion"
    needs = frozenset({"Activation", "Erf"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """GELU of ``x``."""
        if node.op_type not in ENDS or is_activated(node):
            return None
        for gate in values_behind(node.outputs[0], scene.draft, depth=4):
            kind = _gate_of(gate, scene)
            for x in () if kind is None else _operands(gate, scene):
                if kind is not None and _is_gelu(node.outputs[0], gate, x, kind, scene):
                    return make_primitive("Activation", activation_type="GELU", approximate=kind != "ERF"), [x]
        return None


def _gate_of(value: Value, scene: Scene) -> str | None:
    """ERF, TANH or SIGMOID where a value is the result of this function; else None."""
    node = scene.draft.producer(value)
    if node is None or len(node.inputs) != 1 or not scene.draft.is_plain(node):
        return None
    if node.op_type == "Erf":
        return "ERF"
    kind = node.primitive.attributes()["activation_type"] if node.op_type == "Activation" else ""
    return kind if kind in ("SIGMOID", "TANH") else None


def _operands(gate: Value, scene: Scene) -> list[Value]:
    """The values inside a gate that may be the formula's ``x``."""
    maker = scene.draft.producer(gate)
    inside = None if maker is None else maker.inputs[0]
    return [] if inside is None else list(values_behind(inside, scene.draft, depth=5))


def _is_gelu(value: Value, gate: Value, x: Value, kind: str, scene: Scene) -> bool:
    maker = scene.draft.producer(gate)
    if maker is None or maker.inputs[0] is None or scene.rank(x) is None or scene.rank(x) != scene.rank(value):
        return False
    inside = polynomial_of(maker.inputs[0], (x,), scene.draft)
    if inside is None or not _is_argument(inside, x, kind):
        return False
    outside = polynomial_of(value, (x, gate), scene.draft)
    wanted = {monomial(x, gate): 1.0} if kind == "SIGMOID" else {(x,): 0.5, monomial(x, gate): 0.5}
    return outside == wanted


def _is_argument(inside: Polynomial, x: Value, kind: str) -> bool:
    """Whether a polynomial is the formula's argument of a gate of this kind."""
    if kind == "ERF":
        return inside.keys() == {(x,)} and near(inside[x,], math.sqrt(0.5))
    scale, cube = 2.0 if kind == "SIGMOID" else 1.0, (x, x, x)
    if inside.keys() != {(x,), cube} or not near(inside[x,] / scale, ROOT):
        return False
    pairs = product((ROOT, float(np.float16(ROOT))), (CUBIC, float(np.float16(CUBIC))))
    return any(near(inside[cube] / scale, root * cubic) for root, cubic in pairs)
