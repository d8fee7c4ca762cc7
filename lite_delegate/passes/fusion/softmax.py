"""SoftmaxFusionPass: softmax and its logarithm, spelled out."""

from __future__ import annotations

import math
from typing import ClassVar

from ...ir import Node, Primitive, Value, make_primitive
from ..framework.patterns import is_activated, maker_of, scalar_of
from .forms.pattern import Scene
from .forms.pattern_pass import PatternPass
from .forms.quotient import quotient_of, terms_of
from .forms.statistics import Statistic, reduced
from .swish import exponent_of


class SoftmaxFusionPass(PatternPass):
    """Makes one Softmax or LogSoftmax of exponentials, their sums, and the largest element that is taken off before.

    1. ``e / sum(e)`` with ``e = exp(x - max(x))``, also times one over the sum: Softmax.
    2. ``x - max(x) - log(sum(e))``, its terms in any order and grouping: LogSoftmax.
    3. Sum and largest element are taken over one axis, the same for both; it stays as an axis of one element, or is
       put back by a Reshape or the like. The larger of the largest element and minus infinity is the former.
    4. Exponentials of ``x`` as it is stay: they may overflow where Softmax does not.
    """

    name: ClassVar[str] = "softmax-fusion"
    needs = frozenset({"ExpFusion"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """Softmax or LogSoftmax of ``x``."""
        if is_activated(node):
            return None
        if node.op_type in ("DivFusion", "MulFusion"):
            return _softmax(node, scene)
        return _log_softmax(node, scene) if node.op_type == "SubFusion" else None


def _softmax(node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
    whole = quotient_of(node.outputs[0], scene.draft, lambda value: False, depth=2)
    if whole.number != 1.0 or len(whole.over) != 1 or len(whole.under) != 1:
        return None
    power, total = whole.over[0], _reduced(whole.under[0], "ReduceSum", scene)
    inside = exponent_of(power, scene)
    if total is None or total.source is not power or inside is None or inside[0] != 1.0:
        return None
    most = _less_its_largest(inside[1], scene)
    if most is None or most.axes != total.axes:
        return None
    return make_primitive("Softmax", axis=most.axes), [most.source]


def _log_softmax(node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
    terms = list(terms_of(node.outputs[0], scene.draft, lambda value: False))
    largest = [found for sign, value in terms if sign < 0 and (found := _reduced(value, "ReduceMax", scene))]
    if len(largest) != 1:
        return None
    (most,) = largest
    rest = [
        (sign, value)
        for sign, value in terms_of(node.outputs[0], scene.draft, lambda value: value is most.source)
        if value is not most.source and _reduced(value, "ReduceMax", scene) is None
    ]
    log = scene.draft.producer(scene.behind_views(rest[0][1])) if len(rest) == 1 and rest[0][0] < 0 else None
    if log is None or log.op_type != "Log" or not scene.draft.is_plain(log) or log.inputs[0] is None:
        return None
    total = _reduced(log.inputs[0], "ReduceSum", scene, shown=rest[0][1])
    inside = None if total is None else exponent_of(total.source, scene)
    below = None if inside is None or inside[0] != 1.0 else _less_its_largest(inside[1], scene)
    if total is None or below is None or (below.source, below.axes) != (most.source, most.axes):
        return None
    return (make_primitive("LogSoftmax", axis=most.axes[0]), [most.source]) if total.axes == most.axes else None


def _less_its_largest(value: Value, scene: Scene) -> Statistic | None:
    """The largest element along one axis that a value has been made smaller by."""
    node = maker_of(scene.draft, value, "SubFusion")
    if node is None or is_activated(node) or node.inputs[1] is None:
        return None
    most = _reduced(node.inputs[1], "ReduceMax", scene)
    return most if most is not None and most.source is node.inputs[0] else None


def _reduced(value: Value, mode: str, scene: Scene, shown: Value | None = None) -> Statistic | None:
    """The statistic along one axis that a value is, where it broadcasts against its source; else None.

    Args:
        value: the sum or the largest element.
        mode: "ReduceSum" or "ReduceMax".
        scene: the graph.
        shown: the value that broadcasts, where it is another value of as many elements.
    """
    inside = scene.behind_views(value)
    node = scene.draft.producer(inside)
    if node is not None and node.op_type == "Maximum" and mode == "ReduceMax":
        others = [a for a, b in (node.inputs, node.inputs[::-1]) if scalar_of(scene.draft, b) == -math.inf]
        inside = scene.behind_views(others[0]) if others and others[0] is not None else inside
    reduce = maker_of(scene.draft, inside, "ReduceFusion")
    found = None if reduce is None or reduce.primitive.attributes()["mode"] != mode else reduced(reduce, scene)
    return found if found is not None and len(found.axes) == 1 and found.has_shape_of(shown or value, scene) else None
