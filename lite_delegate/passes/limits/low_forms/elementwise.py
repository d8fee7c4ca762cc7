"""Low forms of operators that compute each element by itself."""

from __future__ import annotations

from ....ir import Node
from ....ir.traits import ELEMENTWISE as PATTERNS
from ....ir.traits import ElementPattern, of_pattern, traits_of
from ..facts import RewriteFacts
from ..grouping import FREE, grouped, merged_shape
from ..movement import Shape
from .form import LowForm, LowFormRule


def _spread(node: Node, facts: RewriteFacts, most: int) -> LowForm | None:
    """Axes merged along which the same operands are spread."""
    traits = traits_of(node.op_type)
    if not traits.is_elementwise(len(node.inputs)):
        return None
    count = 1 if traits.pattern is ElementPattern.UNARY else len(node.inputs)
    result = facts.shape(node.outputs[0])
    shapes = [shape for value in node.inputs[:count] if (shape := facts.shape(value)) is not None]
    if result is None or len(shapes) != count or len(node.outputs) != 1 or _has_channels(node):
        return None
    wide = [(1,) * (len(result) - len(shape)) + shape for shape in shapes]
    if not all(_fits(shape, result) for shape in wide):
        return None
    patterns = [tuple(shape[axis] == 1 for shape in wide) for axis in range(len(result))]
    groups = grouped([FREE if n == 1 else p for n, p in zip(result, patterns, strict=True)], most)
    if groups is None:
        return None
    low = [merged_shape(shape, groups) for shape in wide]
    inputs = {i: low[i] for i, shape in enumerate(shapes) if len(shape) > most or _without_ones(shape, low[i])}
    return LowForm(node.primitive, inputs, (merged_shape(result, groups),))


def _has_channels(node: Node) -> bool:
    return any(v is not None and len(v.quant_params) > 1 for v in (*node.inputs, *node.outputs))


def _fits(shape: Shape, result: Shape) -> bool:
    return len(shape) == len(result) and all(n in (1, m) for n, m in zip(shape, result, strict=True))


def _without_ones(shape: Shape, low: Shape) -> bool:
    """True where an operand is spread otherwise over the merged axes than it was."""
    first = next((axis for axis, size in enumerate(low) if size != 1), len(low))
    return shape != () and (1,) * (len(shape) - len(low[first:])) + low[first:] != shape


ELEMENTWISE: dict[str, LowFormRule] = dict.fromkeys(of_pattern(*PATTERNS), _spread)
"""By operator."""
