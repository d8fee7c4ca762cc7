"""IF and WHILE as PartialFusion, Switch and Call.

A subgraph of the file becomes one graph, whoever calls it. A loop adds three small graphs around its condition and
its body, which call each other until the condition fails:

    loop(state):  c = condition(state);  go(state) if c else stop(state)
    go(state):    loop(body(state))
    stop(state):  state
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ....ir import DataType, Graph, Node, Value, make_primitive
from ..conversion import Conversion, Converter


@dataclass(slots=True)
class Subgraphs:
    """The graphs besides the main one, numbered as ``PartialFusion.sub_graph_index`` numbers them.

    Attributes:
        numbers: of the file's subgraphs that something calls.
        pending: those that are still to be converted.
        graphs: by number, from 1 on; None until they are there.
        calls: which subgraphs each subgraph of the file calls.
    """

    numbers: dict[int, int] = field(default_factory=dict)
    pending: list[int] = field(default_factory=list)
    graphs: list[Graph | None] = field(default_factory=list)
    calls: dict[int, set[int]] = field(default_factory=dict)

    def number(self, subgraph: int, caller: int) -> int:
        """The number of a subgraph of the file, which is converted once."""
        self.calls.setdefault(caller, set()).add(subgraph)
        if subgraph not in self.numbers:
            self.pending.append(subgraph)
            self.numbers[subgraph] = self.reserve()
        return self.numbers[subgraph]

    def reserve(self) -> int:
        """A new number."""
        self.graphs.append(None)
        return len(self.graphs)

    def put(self, number: int, graph: Graph) -> None:
        """The graph of a number."""
        self.graphs[number - 1] = graph


def if_(subgraphs: Subgraphs, caller: int) -> Converter:
    """The converter of IF for operators of one subgraph."""

    def convert(c: Conversion) -> None:
        options, arguments = c.option("IfOptions"), c.given()[1:]
        branches = [subgraphs.number(options[f"{name}_subgraph_index"], caller) for name in ("then", "else")]
        nodes = _Nodes(c.operator.name)
        chosen = nodes.choose(c.x(), *((number, arguments) for number in branches))
        nodes.call(chosen, list(c.operator.outputs), is_tail=False)
        c.nodes.extend(nodes.made)

    return convert


def while_(subgraphs: Subgraphs, caller: int) -> Converter:
    """The converter of WHILE for operators of one subgraph."""

    def convert(c: Conversion) -> None:
        options, state = c.option("WhileOptions"), c.given()
        condition = subgraphs.number(options["cond_subgraph_index"], caller)
        body = subgraphs.number(options["body_subgraph_index"], caller)
        loop, go, stop = (subgraphs.reserve() for _ in range(3))
        name = f"{c.operator.name}@{caller}"
        subgraphs.put(loop, _loop(f"{name}/loop", state, condition, go, stop))
        subgraphs.put(go, _go(f"{name}/go", state, body, loop))
        inside = _copies(f"{name}/stop", state)
        subgraphs.put(stop, Graph(f"{name}/stop", inside, list(inside), []))
        nodes = _Nodes(c.operator.name)
        nodes.call(nodes.partial("start", loop, state), list(c.operator.outputs), is_tail=False)
        c.nodes.extend(nodes.made)

    return convert


def _loop(name: str, state: Sequence[Value], condition: int, go: int, stop: int) -> Graph:
    inside = _copies(name, state)
    nodes = _Nodes(name)
    goes_on = Value(f"{name}/condition", DataType.BOOL, None)
    nodes.call(nodes.partial("condition", condition, inside), [goes_on], is_tail=False)
    results = _copies(f"{name}/result", state)
    nodes.call(nodes.choose(goes_on, (go, inside), (stop, inside)), results, is_tail=True)
    return Graph(name, inside, results, nodes.made)


def _go(name: str, state: Sequence[Value], body: int, loop: int) -> Graph:
    inside = _copies(name, state)
    nodes = _Nodes(name)
    after = _copies(f"{name}/after", state)
    nodes.call(nodes.partial("body", body, inside), after, is_tail=False)
    results = _copies(f"{name}/result", state)
    nodes.call(nodes.partial("again", loop, after), results, is_tail=True)
    return Graph(name, inside, results, nodes.made)


def _copies(name: str, values: Sequence[Value]) -> list[Value]:
    """Values like others, of unknown shape: it may change from one turn to the next."""
    return [replace(v, name=f"{name}/{i}", shape=None, data=None) for i, v in enumerate(values)]


class _Nodes:
    """Nodes in the making that call graphs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.made: list[Node] = []

    def partial(self, suffix: str, number: int, arguments: Sequence[Value]) -> Value:
        return self._handle(suffix, "PartialFusion", list(arguments), sub_graph_index=number)

    def choose(self, condition: Value, *branches: tuple[int, Sequence[Value]]) -> Value:
        handles = [self.partial(f"branch-{i}", *branch) for i, branch in enumerate(branches)]
        return self._handle("switch", "Switch", [condition, *handles])

    def call(self, target: Value, outputs: list[Value], *, is_tail: bool) -> None:
        name = f"{self._name}/call-{len(self.made)}"
        self.made.append(Node(name, make_primitive("Call", is_tail_call=is_tail), [target], outputs))

    def _handle(self, suffix: str, op_type: str, inputs: list[Value], **attributes: int) -> Value:
        """NOTE: the format knows no type for a graph to call but that of numbers."""
        name = f"{self._name}/{suffix}"
        handle = Value(f"{name}:0", DataType.INT32, ())
        self.made.append(Node(name, make_primitive(op_type, **attributes), list(inputs), [handle]))
        return handle


CONTROL: dict[str, Callable[[Subgraphs, int], Converter]] = {"IF": if_, "WHILE": while_}
"""Makers of converters by the schema's names; each takes the graphs and the subgraph that the operator is in."""
