"""Network: a graph without its transposes, as values that nodes make and read in some order of axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from ...basics.data_class import dataclass
from ...ir import Graph, Node, Value, topological_order
from ...ir.axes import Axes, compose, identity
from ..framework.specs import infer_specs
from .contract import Contract, Facts, Label, normalized
from .table import contract_of

Labels = Mapping[Node, Label]
"""The labels of nodes that run in another order than in the graph."""


@dataclass(frozen=True, slots=True)
class Use:
    """A place where a value is read.

    Attributes:
        node: the reader; None for an output of the graph.
        axes: the permutation in which the reader needs the value when it has no label.
    """

    node: Node | None
    axes: Axes


@dataclass(frozen=True, slots=True)
class Flow:
    """The value that one node makes (or an input), in any order of axes, and all places where it is read.

    Attributes:
        root: the value as the node gives it.
        maker: the node; None for an input.
        elements: the number of elements that a transpose moves, and 1 for the transpose itself.
        uses: the places where it is read.
    """

    root: Value
    maker: Node | None
    elements: int
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """A graph without its transposes.

    Attributes:
        graph: the graph.
        facts: the facts about its values.
        nodes: the nodes that are no transposes, in an executable order.
        origin: for each value of known rank, the root that it is a permutation of, and the permutation.
        contracts: the contracts of the nodes that may run in other orders.
        flows: the flows of values that are no constants, by root.
    """

    graph: Graph
    facts: Facts
    nodes: tuple[Node, ...]
    origin: Mapping[Value, tuple[Value, Axes]]
    contracts: Mapping[Node, Contract]
    flows: Mapping[Value, Flow]

    def made(self, flow: Flow, labels: Labels) -> Axes:
        """The order in which the node makes a value, as a permutation of the root."""
        label = labels.get(flow.maker) if flow.maker is not None else None
        return identity(len(self.origin[flow.root][1])) if label is None else label.results

    def orders(self, flow: Flow, labels: Labels) -> dict[Axes, None]:
        """The orders in which a value is made and read, each once, the order of its maker first."""
        found = {self.made(flow, labels): None}
        for use in flow.uses:
            found[read_as(use, labels)] = None
        return found

    def cost(self, flow: Flow, labels: Labels) -> int:
        """The elements that transposes of one value move: all elements for each further order."""
        return flow.elements * (len(self.orders(flow, labels)) - 1)

    def operands(self, node: Node) -> Iterator[tuple[Value, Axes]]:
        """The roots, and their permutations, that a node with a contract reads permuted by its label."""
        for position in self.contracts[node].moving:
            value = node.inputs[position]
            assert value is not None
            yield self.origin[value]

    def around(self, node: Node) -> list[Flow]:
        """The flows of a node with a contract: its moving operands and its results."""
        roots = dict.fromkeys([*(root for root, _ in self.operands(node)), *node.outputs])
        return [self.flows[root] for root in roots if root in self.flows]


def read_as(use: Use, labels: Labels) -> Axes:
    """The order in which a use reads its value, as a permutation of the root."""
    label = labels.get(use.node) if use.node is not None else None
    return use.axes if label is None else compose(use.axes, label.operands)


def permutation(node: Node, facts: Facts) -> Axes | None:
    """The permutation of a Transpose with constant axes, for each dimension; None for any other node."""
    if node.op_type != "Transpose" or len(node.inputs) != 2:
        return None
    rank, perm = facts.rank(node.inputs[0]), facts.ints(node, 1)
    if rank is None or perm is None or len(perm) != rank:
        return None
    axes = tuple(normalized(axis, rank) for axis in perm)
    values = [v for v in (*node.inputs[:1], *node.outputs) if v is not None]
    is_free = all(v not in facts.variables and not v.is_parameter and len(v.quant_params) <= 1 for v in values)
    return axes if is_free and sorted(axes) == list(range(rank)) else None


def network_of(graph: Graph, variables: frozenset[Value]) -> Network:
    """Takes a graph apart."""
    facts = Facts(infer_specs(graph, variables), infer_specs(graph, variables, for_any_shape=True), variables)
    origin: dict[Value, tuple[Value, Axes]] = {}
    for value in graph.values():
        rank = facts.rank(value)
        if rank is not None:
            origin[value] = value, identity(rank)
    nodes: list[Node] = []
    for node in topological_order(graph):
        axes = permutation(node, facts)
        if axes is None:
            nodes.append(node)
        else:
            root, before = origin[node.inputs[0]]  # type: ignore[index]
            origin[node.outputs[0]] = root, compose(before, axes)
    contracts = {n: c for n in nodes if (c := contract_of(n, facts)) is not None}
    return Network(graph, facts, tuple(nodes), origin, contracts, _flows(graph, facts, nodes, origin))


def _flows(
    graph: Graph, facts: Facts, nodes: list[Node], origin: Mapping[Value, tuple[Value, Axes]]
) -> dict[Value, Flow]:
    uses: dict[Value, list[Use]] = {}
    for node in nodes:
        for value in node.inputs:
            if value is not None and value in origin:
                root, axes = origin[value]
                uses.setdefault(root, []).append(Use(node, axes))
    for value in graph.outputs:
        if value in origin:
            root, axes = origin[value]
            uses.setdefault(root, []).append(Use(None, axes))
    makers: dict[Value, Node | None] = dict.fromkeys(graph.inputs)
    makers.update({value: node for node in nodes for value in node.outputs})
    return {
        root: Flow(root, maker, 1 + _elements(root, facts), tuple(uses.get(root, ())))
        for root, maker in makers.items()
        if root in origin
    }


def _elements(value: Value, facts: Facts) -> int:
    """The number of elements; unknown dimensions, which a transpose does not change, count as 1."""
    return prod(abs(d) for d in facts.specs[value].shape or ())
