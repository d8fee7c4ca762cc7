"""Loops and choices as OpenVINO's Loop and If, whose bodies are models that see no value from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ...lowering import Attributes, Dtype, Emitter, Inner, Shape, Term
from ...lowering.inner import inner_graphs
from ..around import write_around
from .guard import Guard, Moved

GIVEN = frozenset({"Parameter", "Constant"})
"""Nodes that compute nothing."""
ENDLESS = -1
"""A number of rounds that only the condition ends."""


@dataclass(frozen=True, slots=True, eq=False)
class _GraphBody:
    """A graph inside of an operator.

    Attributes:
        given: parameters for the values that the operator gives it.
        outside: parameters for operands of the operator that it reads, by their positions.
        outputs: its outputs.
        moved: the flag whether places in it were outside; None where no place is checked.
    """

    given: Sequence[Any]
    outside: Mapping[int, Any]
    outputs: Sequence[Any]
    moved: Moved | None = None

    @property
    def layers(self) -> tuple[str, ...]:
        """The kernels in it whose places may be outside."""
        return () if self.moved is None else self.moved.layers

    def flags(self) -> list[Any]:
        """The flags of places that had to be moved inside, in a list of one; an empty list where none is checked."""
        return [] if self.moved is None else [self.moved.flags]

    def model(self, name: str) -> Any:
        """OpenVINO's model of the graph, with a result for each output."""
        from openvino import Model, opset16

        results = [opset16.result(output) for output in self.outputs]
        model = Model(results, [*self.given, *self.outside.values()], name)
        write_around(model, is_body=True)
        return model


def write_with_graphs(
    emitter: Emitter, guard: Guard, op: str, operands: Sequence[Term | None], attributes: Attributes
) -> Sequence[Any]:
    """The outputs of a loop or a choice.

    Args:
        emitter: writes the graphs in it.
        guard: the emitter's, of places.
        op: Loop or If.
        operands, attributes: as ONNX has them, and behind its own operands the outside tensors of the graphs.
    """
    layer = emitter.layer
    bodies = {name: _body(emitter, guard, inner, operands) for name, inner in inner_graphs(attributes).items()}
    emitter.layer = layer
    made, flags = _choice(operands, bodies) if op == "If" else _loop(operands, bodies["body"])
    if flags is not None:
        guard.found_inside(flags, tuple(layer for body in bodies.values() for layer in body.layers))
    return made


def _body(emitter: Emitter, guard: Guard, inner: Inner, operands: Sequence[Term | None]) -> _GraphBody:
    given = [_parameter(*spec) for spec in inner.inputs]
    outside = {
        place: _parameter(term.dtype, term.shape)
        for place, term in enumerate(operands)
        if term is not None and term.constant is None
    }
    inside = [
        Term(outside[place].output(0), term.dtype, term.shape) if place in outside and term is not None else term
        for place, term in enumerate(operands)
    ]
    terms = [Term(each.output(0), *spec) for each, spec in zip(given, inner.inputs, strict=True)]
    for term, own in zip(operands, inside, strict=True):
        if term is not None and own is not None:
            guard.see_same(own.handle, term.handle, is_run=bool(given))
    if given and operands[0] is not None and operands[0].constant is not None:
        guard.see_range(terms[0].handle, 0, int(operands[0].constant.item()) - 1)
    guard.begin()
    outputs: list[Any] = []
    for term in inner.write(emitter, terms, inside):
        is_own = term.handle.get_node().get_type_name() not in GIVEN and term.handle not in outputs
        outputs.append(term.handle if is_own else _own(term.handle))
    read = {place: each for place, each in outside.items() if each.output(0).get_target_inputs()}
    return _GraphBody(given, read, outputs, guard.end())


def _parameter(dtype: Dtype, shape: Shape) -> Any:
    from openvino import Type, opset16

    return opset16.parameter(list(shape), Type(dtype))


def _own(handle: Any) -> Any:
    """A copy of a result, made by a node of the body's own: two results may be one tensor, an input or a constant."""
    from openvino import opset16

    return opset16.convert(handle, handle.get_element_type()).output(0)


def _choice(operands: Sequence[Term | None], bodies: Mapping[str, _GraphBody]) -> tuple[Sequence[Any], Any]:
    """The outputs, and the flags of places of both branches: the branch that does not run sets no flag."""
    from openvino import opset16

    condition, then, other = operands[0], bodies["then_branch"], bodies["else_branch"]
    assert condition is not None
    node = opset16.if_op(condition.handle)
    is_guarded = bool(then.layers or other.layers)
    if is_guarded:
        flags = [*then.flags(), *_no_flags(len(other.layers))], [*_no_flags(len(then.layers)), *other.flags()]
        then, other = (
            _GraphBody(body.given, body.outside, [*body.outputs, opset16.concat(each, 0).output(0)])
            for body, each in zip((then, other), flags, strict=True)
        )
    models = then.model("then_branch"), other.model("else_branch")
    node.set_then_body(models[0])
    node.set_else_body(models[1])
    for place in sorted({*then.outside, *other.outside}):
        term = operands[place]
        assert term is not None
        node.set_input(term.handle, then.outside.get(place), other.outside.get(place))
    made = [node.set_output(*pair) for pair in zip(models[0].get_results(), models[1].get_results(), strict=True)]
    return (made[:-1], made[-1]) if is_guarded else (made, None)


def _no_flags(count: int) -> list[Any]:
    from openvino import opset16

    return [opset16.constant(np.zeros(count, bool)).output(0)] if count else []


def _loop(operands: Sequence[Term | None], body: _GraphBody) -> tuple[Sequence[Any], Any]:
    """The outputs, and the flags of places of all rounds together."""
    from openvino import Type, opset16

    rounds, first = operands[0], operands[1]
    trips = opset16.constant(np.array(ENDLESS, np.int64)).output(0) if rounds is None else rounds.handle
    goes = opset16.constant(np.array(True)).output(0) if first is None else first.handle
    carried = len(body.given) - 2
    front = opset16.constant(np.array([0], np.int64))
    items = [opset16.unsqueeze(item, front).output(0) for item in body.outputs[1 + carried :]]
    outputs = [*body.outputs[: 1 + carried], *items]
    before = [opset16.parameter([len(body.layers)], Type.boolean)] if body.moved else []
    behind = [opset16.logical_or(each, flags).output(0) for each, flags in zip(before, body.flags(), strict=True)]
    node = opset16.loop(trips, goes)
    node.set_function(_GraphBody([*body.given, *before], body.outside, [*outputs, *behind]).model("body"))
    node.set_special_body_ports([0, 0])
    node.set_merged_input(body.given[1], goes, outputs[0])
    for parameter, start, result in zip(body.given[2:], operands[2:], outputs[1:], strict=False):
        assert start is not None
        node.set_merged_input(parameter, start.handle, result)
    for parameter, start, result in zip(before, _no_flags(len(body.layers)), behind, strict=True):
        node.set_merged_input(parameter, start, result)
    for place, parameter in body.outside.items():
        term = operands[place]
        assert term is not None
        node.set_invariant_input(parameter, term.handle)
    last = [node.get_iter_value(output, -1) for output in outputs[1 : 1 + carried]]
    made = [*last, *(node.get_concatenated_slices(item, 0, 1, 1, -1, 0) for item in items)]
    return made, node.get_iter_value(behind[0], -1) if behind else None
