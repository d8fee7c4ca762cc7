"""The names that nodes of one graph or function body can see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass
from ...ir import Source, Value
from .builder import GraphBuilder
from .operators import name_of, qualified

if TYPE_CHECKING:
    import onnx


@dataclass
class Scope:
    """The names that nodes of one graph or function body can see.

    Attributes:
        builder: where their nodes go.
        opsets: the version of each domain.
        values: by ONNX name. An output of a node that was rejected is among ``lost`` instead.
        lost: names without a value, because what gives them was rejected.
        function: the attributes of the function whose body this is.
        prefix: what names of values and nodes start with, for function bodies.
        depth: how many functions and graphs of nodes this is inside of.
        path: the names of the nodes, and of their graphs, that this is inside of; outermost first.
        place: the positions of these nodes, each in its own graph.
        owner: the node of the file that all nodes here stand for, when ONNX itself defines the function.
        declared: the types that the graph or function states of its values.
        nodes: all nodes of the graph or function.
    """

    builder: GraphBuilder
    opsets: Mapping[str, int]
    values: dict[str, Value] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    function: Mapping[str, onnx.AttributeProto] = field(default_factory=dict)
    prefix: str = ""
    depth: int = 0
    path: tuple[str, ...] = ()
    place: tuple[int, ...] = ()
    owner: Source | None = None
    declared: Mapping[str, onnx.TypeProto] = field(default_factory=dict)
    nodes: Sequence[onnx.NodeProto] = ()
    _readers: dict[str, list[onnx.NodeProto]] = field(default_factory=dict)

    def enter(self, nodes: Sequence[onnx.NodeProto]) -> None:
        """Says which nodes the graph or function has."""
        self.nodes, self._readers = nodes, {}

    def readers(self, name: str) -> Sequence[onnx.NodeProto]:
        """The nodes of the graph or function that read a name."""
        if not self._readers:
            for node in self.nodes:
                for each in dict.fromkeys(node.input):
                    self._readers.setdefault(each, []).append(node)
        return self._readers.get(name, ())

    def known(self, names: Iterable[str]) -> tuple[Value, ...]:
        """The values of these names, without names that have none."""
        return tuple(self.values[name] for name in names if name in self.values)

    def source(self, node: onnx.NodeProto, position: int) -> Source:
        """The node as the file has it.

        Args:
            node: the node of this graph or function.
            position: among its nodes.
        """
        return self.owner or Source(name_of(node), qualified(node), self.path, (*self.place, position))

    def inside(self, node: onnx.NodeProto, source: Source, *labels: str) -> Scope:
        """The scope of a graph or function body that belongs to a node here.

        Args:
            node: the node of this graph or function.
            source: the node of the file.
            labels: the words that tell the graph from other graphs of the node.
        """
        names = (name_of(node), *labels)
        prefix = self.prefix + "".join(f"{name}/" for name in names)
        return replace(self, prefix=prefix, path=(*self.path, *names), place=source.place)


def declared_types(*infos: Iterable[onnx.ValueInfoProto]) -> dict[str, onnx.TypeProto]:
    """The types that a graph or a function states of its values."""
    return {info.name: info.type for each in infos for info in each if info.type.WhichOneof("value") is not None}
