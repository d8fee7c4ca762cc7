"""Nodes of more dimensions than a delegate takes, computed over fewer axes."""

from __future__ import annotations

from collections.abc import Iterator

from ...delegate import RejectCode
from ...ir import Node, Value, constant, index_array, make_primitive
from .facts import RewriteFacts
from .low_forms import LOW_FORMS, LowForm
from .movement import Shape
from .rewrite import Rewrite, rewrite_of

AXES = "fewer-axes"
"""The rule that these rewrites name."""
_OF_SHAPES = frozenset({RejectCode.LIMIT, RejectCode.RANK, RejectCode.SHAPE})
"""Codes of rejections that other axes may avoid: a dimension may be too long for a stack of matrices only."""


def rewrite_axes(facts: RewriteFacts) -> Iterator[Rewrite]:
    """Rewrites each node that the delegate takes over fewer axes alone; reshapes stand before and behind it.

    Only the reshapes still have the large number of dimensions. Where they meet, nothing is left of them once chains
    are rewritten.
    """
    most = facts.limits.max_rank
    if most is None:
        return
    for node in facts.draft.nodes():
        rejection = facts.ask(node) if node.op_type in LOW_FORMS and not _reads_variables(node, facts) else None
        if rejection is None or rejection.code not in _OF_SHAPES:
            continue
        made = _accepted(node, facts, most)
        if made is not None:
            nodes, middle = made
            facts.draft.replace([node], nodes)
            yield rewrite_of(AXES, [node], [middle], [rejection])


def _reads_variables(node: Node, facts: RewriteFacts) -> bool:
    return any(v in facts.draft.variables or v.packed is not None for v in node.inputs if v is not None)


def _accepted(node: Node, facts: RewriteFacts, most: int) -> tuple[list[Node], Node] | None:
    """The nodes of the form of most axes that the delegate takes, and the one of them that computes; None: of none."""
    for count in range(most, 0, -1):
        form = LOW_FORMS[node.op_type](node, facts, count)
        if form is None:
            return None
        nodes, middle = _nodes_for(node, form, facts)
        if len(nodes) > 1 and facts.ask(middle) is None:
            return nodes, middle
    return None


def _nodes_for(node: Node, form: LowForm, facts: RewriteFacts) -> tuple[list[Node], Node]:
    before, inputs = list[Node](), list(node.inputs)
    for position, shape in form.inputs.items():
        value = node.inputs[position]
        if value is not None and facts.shape(value) != shape:
            inputs[position], maker = _reshaped(value, shape, f"{node.name}/reshape{position}", facts)
            before += maker
    for position, numbers in form.numbers.items():
        inputs[position] = constant(f"{node.name}/numbers{position}", index_array(numbers))
    outputs, behind = list(node.outputs), list[Node]()
    for position, shape in enumerate(form.outputs):
        value = node.outputs[position]
        if facts.shape(value) != shape:
            name = f"{node.name}/low{position or ''}"
            outputs[position] = Value(f"{name}:0", value.dtype, shape, quant_params=value.quant_params)
            back = constant(f"{name}/shape", index_array(facts.shape(value) or ()))
            behind.append(Node(f"{name}/reshape", make_primitive("Reshape"), [outputs[position], back], [value]))
    sources = node.sources
    middle = Node(node.name, form.primitive, inputs, outputs, node.quant_type, node.device_type, sources)
    return [*before, middle, *behind], middle


def _reshaped(value: Value, shape: Shape, name: str, facts: RewriteFacts) -> tuple[Value, list[Node]]:
    """A value of other dimensions, and the node that makes it; none for a constant."""
    data = facts.constant(value)
    if data is not None:
        made = constant(f"{value.name}/reshaped", data.reshape(shape))
        made.quant_params = value.quant_params
        return made, []
    result = Value(f"{name}:0", value.dtype, shape, quant_params=value.quant_params)
    wanted = constant(f"{name}/shape", index_array(shape))
    return result, [Node(name, make_primitive("Reshape"), [value, wanted], [result])]
