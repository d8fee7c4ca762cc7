"""Models with variables as models without: the contents are further inputs, the next contents further outputs."""

from __future__ import annotations

from dataclasses import replace

from ..backends.tflite_file.states import State
from ..basics.data_class import dataclass
from ..errors import GraphError
from ..ir import Graph, Node, Value
from ..runtime.binding.host import find_variables, initial_contents


@dataclass(frozen=True, slots=True, eq=False)
class Stateless:
    """A graph without variables.

    Attributes:
        graph: whose last inputs are the contents of the variables, and whose last outputs are their next contents.
        states: the variables, in order.
    """

    graph: Graph
    states: tuple[State, ...]


def without_variables(graph: Graph) -> Stateless:
    """The graph with inputs and outputs in place of its variables; the given graph is not changed.

    Raises:
        GraphError: a subgraph has variables, a node adds to one, or its shape is open.
    """
    variables = find_variables(graph)
    if not variables:
        return Stateless(graph, ())
    inside = {value for each in graph.subgraphs for node in each.nodes for value in node.inputs}
    for variable in variables:
        if variable in inside:
            raise GraphError(f"Variable '{variable.name}' must be used in the main graph alone, a subgraph reads it.")
        if variable.shape is None or -1 in variable.shape:
            raise GraphError(f"Variable '{variable.name}' must have a known shape, has {variable.shape}.")
    first = {each: Value(each.name, each.dtype, each.shape, quant_params=each.quant_params) for each in variables}
    current, nodes = dict(first), []
    for node in graph.nodes:
        if node.op_type == "AssignAdd":
            raise GraphError(f"Node '{node.name}' (AssignAdd) cannot be written: TensorFlow Lite adds to no variable.")
        inputs = [None if value is None else current.get(value, value) for value in node.inputs]
        if node.op_type == "Assign":
            _assign(node, inputs, current)
        else:
            nodes.append(replace(node, inputs=inputs))
    states = tuple(
        State(graph.resources.get(each) or each.name or f"variable-{place}", initial_contents(each))
        for place, each in enumerate(variables)
    )
    outputs = [current.get(value, value) for value in graph.outputs]
    given = [*graph.inputs, *first.values()]
    return Stateless(
        replace(graph, inputs=given, outputs=[*outputs, *(current[each] for each in variables)], nodes=nodes), states
    )


def _assign(node: Node, inputs: list[Value | None], current: dict[Value, Value]) -> None:
    """Notes the new contents of a variable; a reader of the node's output reads them, too."""
    variable, given = node.inputs[0], inputs[1]
    assert variable is not None
    assert given is not None
    current[variable] = given
    for output in node.outputs:
        current[output] = given
