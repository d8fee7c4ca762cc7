"""The graphs that operators call, and the nodes that call them: PartialFusion, Switch and Call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from ...basics.data_class import dataclass
from ...ir import DataType, Graph, Node, Source, Value, make_primitive


@dataclass(slots=True)
class Subgraphs:
    """The graphs besides the main one, numbered as ``PartialFusion.sub_graph_index`` numbers them.

    Attributes:
        numbers: the numbers of the file's subgraphs that a node calls.
        pending: the subgraphs that are still to be converted.
        graphs: the graphs by number, from 1 on; None until a graph is converted.
        calls: the subgraphs that each subgraph of the file calls.
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


class CallNodes:
    """Nodes in the making that call graphs.

    Args:
        name: the beginning of the nodes' names.
        source: the operator that the nodes are made for.
    """

    def __init__(self, name: str, source: Source) -> None:
        self._name = name
        self._sources = (source,)
        self.made: list[Node] = []

    def partial(self, suffix: str, number: int, arguments: Sequence[Value]) -> Value:
        return self._handle(suffix, "PartialFusion", list(arguments), sub_graph_index=number)

    def choose(self, condition: Value, *branches: tuple[int, Sequence[Value]]) -> Value:
        handles = [self.partial(f"branch-{i}", *branch) for i, branch in enumerate(branches)]
        return self._handle("switch", "Switch", [condition, *handles])

    def call(self, target: Value, outputs: list[Value], *, is_tail: bool) -> None:
        name = f"{self._name}/call-{len(self.made)}"
        primitive = make_primitive("Call", is_tail_call=is_tail)
        self.made.append(Node(name, primitive, [target], outputs, sources=self._sources))

    def _handle(self, suffix: str, op_type: str, inputs: list[Value | None], **attributes: int) -> Value:
        """NOTE: the format has no type for a graph to call except numbers."""
        name = f"{self._name}/{suffix}"
        handle = Value(f"{name}:0", DataType.INT32, ())
        primitive = make_primitive(op_type, **attributes)
        self.made.append(Node(name, primitive, inputs, [handle], sources=self._sources))
        return handle
