"""ONNX's sequences and optionals whose number of items is known: they are taken apart while the model is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....ir import Value
from ...rejection import Why
from ..builder import UNKNOWN
from ..control.sequences import NoElement, SequenceValue, is_sequence, no_element
from ..control.subgraphs import convert_graph
from ..conversion import Converter, OnnxNode, Outputs

MAX_ITEMS = 1024
"""Items of a sequence up to which nodes are added for each of them."""


def _sequence(node: OnnxNode, items: Sequence[Value], output: int = 0) -> SequenceValue:
    node.reject_unless(len(items) <= MAX_ITEMS, Why.SHAPE, f"sequences may have {MAX_ITEMS} items, found {len(items)}")
    return SequenceValue.of(f"{node.name}:{output}", items, node.builder)


def _items(node: OnnxNode) -> list[Value]:
    given = node.x(0)
    if not is_sequence(given):
        raise FormatProblem("input 0 must be a sequence, found a tensor", f"node '{node.name}'")
    return list(given.items)


def _position(node: OnnxNode, index: int, count: int) -> int:
    """A position that is known, of ``count``; negative ones count from the end."""
    place = int(node.constant_input(index, "position").reshape(()))
    node.reject_unless(-count <= place < count, Why.ATTRIBUTE, f"position {place} of {count}")
    return place % count


def _at(node: OnnxNode) -> Value:
    """Where the position is not known, a row of the items in one array; they must have one shape then."""
    items = _items(node)
    if node.known(node.x(1)) is not None:
        return items[_position(node, 1, len(items))]
    shapes = {node.spec(item).shape for item in items}
    alike = len(shapes) == 1 and UNKNOWN not in (next(iter(shapes)) or (UNKNOWN,))
    node.reject_unless(alike, Why.NOT_CONSTANT, "position must be a constant where items differ in shape")
    return node.emit("Gather", node.emit("Stack", *items, axis=0), node.x(1), node.axis_operand(0))


def _insert(node: OnnxNode) -> Value:
    items = _items(node)
    place = len(items)
    if node.optional(2) is not None:
        place = int(node.constant_input(2, "position").reshape(()))
        node.reject_unless(-len(items) <= place <= len(items), Why.ATTRIBUTE, f"position {place} of {len(items)}")
    return _sequence(node, [*items[:place], node.x(1), *items[place:]])


def _erase(node: OnnxNode) -> Value:
    items = _items(node)
    place = len(items) - 1 if node.optional(1) is None else _position(node, 1, len(items))
    node.reject_unless(place >= 0, Why.ATTRIBUTE, "nothing can be taken from an empty sequence")
    return _sequence(node, [*items[:place], *items[place + 1 :]])


def _length(node: OnnxNode) -> Value:
    return node.builder.small_constant(np.array(len(_items(node)), np.int64))


def _concat(node: OnnxNode) -> Value:
    items, axis = _items(node), node.attributes["axis"]
    node.reject_unless(items, Why.ATTRIBUTE, "an empty sequence of unknown type")
    if node.get("new_axis", 0):
        return node.emit("Stack", *items, axis=node.axis(axis, node.rank(items[0]) + 1))
    return node.emit("Concat", *items, axis=node.axis(axis, node.rank(items[0])))


def _split(node: OnnxNode) -> Value:
    x = node.x(0)
    axis = node.axis(node.get("axis", 0), node.rank(x))
    size, given = node.dims(x)[axis], node.optional(1)
    node.reject_unless(size != UNKNOWN, Why.SHAPE, f"dimension {axis} must be known")
    node.check_table(size)
    sizes = [1] * size
    if given is not None:
        numbers = node.constant_input(1, "split")
        each = int(numbers.reshape(-1)[0]) if numbers.ndim == 0 else 0
        node.reject_unless(numbers.ndim or each > 0, Why.ATTRIBUTE, f"split must be > 0, found {each}")
        sizes = [int(n) for n in numbers] if numbers.ndim else [min(each, size - i) for i in range(0, size, each)]
    node.reject_unless(0 < len(sizes) <= MAX_ITEMS, Why.SHAPE, f"1 to {MAX_ITEMS} parts, found {len(sizes)}")
    parts = node.emit_all("Split", len(sizes), x, output_num=len(sizes), size_splits=sizes, axis=axis)
    if given is None and not node.get("keepdims", 1):
        parts = [node.squeeze(part, [axis]) for part in parts]
    return _sequence(node, parts)


def _map(node: OnnxNode) -> Outputs:
    """The body's nodes once for each item."""
    body, count = node.attributes["body"], len(_items(node))
    results: list[list[Value]] = []
    for number in range(count):
        own = []
        for value in node.given():
            if is_sequence(value) and len(value.items) != count:
                raise FormatProblem(f"sequences of {count} and {len(value.items)} items", f"node '{node.name}'")
            own.append(value.items[number] if is_sequence(value) else value)
        scope = replace(
            node.inner_scope(),
            values=dict(node.scope.values),
            lost=set(node.scope.lost),
            prefix=f"{node.name}/{number}/",
        )
        results.append(convert_graph(replace(node, scope=scope), body, own))
    return [_sequence(node, [each[i] for each in results], i) for i in range(len(body.output))]


# Optionals.


def _optional(node: OnnxNode) -> Value:
    given = node.optional(0)
    return no_element(node.name, node.builder) if given is None else given


def _element(node: OnnxNode) -> Value:
    given = node.x(0)
    node.reject_unless(not isinstance(given, NoElement), Why.ATTRIBUTE, "the element of an empty optional")
    return given


def _has_element(node: OnnxNode) -> Value:
    given = node.optional(0)
    return node.builder.small_constant(np.array(given is not None and not isinstance(given, NoElement)))


CONVERTERS: dict[str, Converter] = {
    "ConcatFromSequence": _concat,
    "Optional": _optional,
    "OptionalGetElement": _element,
    "OptionalHasElement": _has_element,
    "SequenceAt": _at,
    "SequenceConstruct": lambda node: _sequence(node, node.given()),
    "SequenceEmpty": lambda node: _sequence(node, []),
    "SequenceErase": _erase,
    "SequenceInsert": _insert,
    "SequenceLength": _length,
    "SequenceMap": _map,
    "SplitToSequence": _split,
}
