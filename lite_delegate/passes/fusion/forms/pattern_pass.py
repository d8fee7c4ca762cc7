"""PatternPass: looks for a pattern behind each node, and puts its operator there."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from ....ir import Graph, Node, Primitive, Value
from ...framework.base import PassResult
from ...framework.draft import Draft
from ...framework.graph_pass import GraphPass
from ...framework.patterns import FLOATS
from ...framework.rewriting import rewrite_drafts
from ...framework.specs import Specs, infer_specs
from .pattern import SAME_ELEMENTS, Scene

_OF_THE_FIRST = SAME_ELEMENTS | {"Cast", "ReduceFusion", "Transpose"}
"""Operators that compute with their first input alone; their other inputs are positions or shapes."""


class PatternPass(GraphPass):
    """Looks at each node as the last one of a pattern, and puts the pattern's operator in its place.

    A pattern stays where another node reads one of its inner values, or an inner value is an output of the graph.

    Args:
        specs: the specs of the values in the shapes of a plan; None: the specs that follow from the shapes that the
            graph declares.

    Attributes:
        needs: operators of which every graph with the pattern has one: a graph without them is not searched.
        outermost_first: whether the largest of nested patterns is wanted.
        shares: whether other nodes may read inner values all the same; the values stay for these nodes.
    """

    needs: ClassVar[frozenset[str]]
    outermost_first: ClassVar[bool] = False
    shares: ClassVar[bool] = False

    def __init__(self, specs: Specs | None = None) -> None:
        self._specs = specs

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with the pattern's operator in its places; idempotent."""
        if not any(node.op_type in self.needs for each in graph.all_graphs() for node in each.nodes):
            return PassResult(graph, modified=False)
        return rewrite_drafts(graph, self._fuse)

    def _fuse(self, draft: Draft) -> None:
        specs = infer_specs(draft.graph, draft.variables) if self._specs is None else self._specs
        scene = Scene(draft, specs)
        while self._fuse_once(draft, scene):
            pass

    def _fuse_once(self, draft: Draft, scene: Scene) -> bool:
        """Puts the operator wherever the pattern is; False where it is nowhere."""
        found, nodes = False, draft.nodes()
        for node in reversed(nodes) if self.outermost_first else nodes:
            current = draft.producer(node.outputs[0]) if len(node.outputs) == 1 else None
            if current is None or not draft.is_plain(current) or current.outputs[0].dtype not in FLOATS:
                continue
            made = self.replacement(current, scene)
            if made and (self.shares or _is_closed(draft, current, made)):
                draft.replace([current], made)
                drop_unread(draft, current)
                found = True
        return found

    def replacement(self, node: Node, scene: Scene) -> list[Node] | None:
        """The nodes in the place of a pattern that ends with a node; None where none does."""
        found = self.match(node, scene)
        if found is None:
            return None
        primitive, inputs = found
        return [Node(node.name, primitive, inputs, list(node.outputs))]

    @abstractmethod
    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """The one operator for a pattern that ends with a node, and its inputs; None where none does."""


def _is_closed(draft: Draft, last: Node, made: list[Node]) -> bool:
    """True where no other node reads a value between the inputs of the new nodes and the last node of the pattern."""
    ends = {v for node in made for v in node.inputs}
    inside = {last: None}
    waiting = _data_of(last)
    while waiting:
        value = waiting.pop()
        maker = None if value in ends else draft.producer(value)
        if maker is None or maker in inside:
            continue
        inside[maker] = None
        waiting += _data_of(maker)
    inner = [v for node in inside if node is not last for v in node.outputs]
    return not any(draft.is_output(v) or any(r not in inside for r in draft.readers(v)) for v in inner)


def _data_of(node: Node) -> list[Value]:
    """The inputs that a node computes with."""
    inputs = node.inputs[:1] if node.op_type in _OF_THE_FIRST else node.inputs
    return [v for v in inputs if v is not None]


def drop_unread(draft: Draft, node: Node) -> None:
    """Takes out the nodes that only a removed node has read, and the nodes that only these have read."""
    waiting = [v for v in node.inputs if v is not None]
    while waiting:
        maker = draft.producer(waiting.pop())
        if maker is None or not draft.is_plain(maker):
            continue
        if not any(draft.readers(v) or draft.is_output(v) for v in maker.outputs):
            draft.replace([maker], [])
            waiting.extend(v for v in maker.inputs if v is not None)
