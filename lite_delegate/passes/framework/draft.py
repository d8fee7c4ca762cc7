"""Draft: a graph while a pass rewrites it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...basics.words.one_line import OneLine
from ...ir import Graph, Node, Value, topological_order
from ...ir.traits import SIDE_EFFECTS
from ...ir.types.enums import QuantType
from .provenance import hand_down

Array = np.ndarray[Any, Any]


class Draft(OneLine):
    """A graph while a pass rewrites it: the maker and the readers of each value, kept up to date.

    Nodes and values of the given graph are never changed; nodes are replaced by new nodes. The graph's outputs stay the
    same objects, so names and order of inputs and outputs stay.

    A node that replaces several nodes stands in the slot of the last of them. Each node of the given graph has a slot,
    so that no edit has to renumber the other nodes.

    Attributes:
        graph: the graph to start from.
        variables: values that are no constants although they have contents, see ``variables_of``.
    """

    def __init__(self, graph: Graph, variables: frozenset[Value] = frozenset()) -> None:
        self.graph = graph
        self.variables = variables
        nodes = topological_order(graph)
        self._slots = [[node] for node in nodes]
        self._slot_of = {node: slot for slot, node in enumerate(nodes)}
        self._outputs = frozenset(graph.outputs)
        self._producers = graph.producers()
        self._readers: dict[Value, dict[Node, None]] = {}
        self._modified = False
        for node in nodes:
            self._add_reader(node)

    def nodes(self) -> list[Node]:
        """The nodes as they are now, in an executable order."""
        return [node for slot in self._slots for node in slot]

    def __contains__(self, node: Node) -> bool:
        return any(self._producers.get(v) is node for v in node.outputs)

    def producer(self, value: Value | None) -> Node | None:
        """The node that gives a value; None for inputs, constants and absent values."""
        return None if value is None else self._producers.get(value)

    def readers(self, value: Value) -> list[Node]:
        """The nodes that read a value, each once."""
        return list(self._readers.get(value, ()))

    def is_output(self, value: Value) -> bool:
        """True for an output of the graph."""
        return value in self._outputs

    def only_reader(self, value: Value) -> Node | None:
        """The node that alone reads a value, in one place; None where other nodes read it, or it is an output."""
        readers = self._readers.get(value, {})
        if len(readers) != 1 or self.is_output(value):
            return None
        (reader,) = readers
        return reader if reader.inputs.count(value) == 1 else None

    def constant(self, value: Value | None) -> Array | None:
        """The elements of a constant; None for everything else, variables and packed constants among them."""
        return None if value is None or value in self.variables or value.is_parameter else value.data

    def is_plain(self, node: Node) -> bool:
        """True for a node that computes floats or whole numbers as they are and may be moved.

        False for quantized nodes, nodes with effects, and nodes that read a variable or a packed constant.
        """
        if node.quant_type != QuantType.QUANT_NONE or node.op_type in SIDE_EFFECTS:
            return False
        return not any(v is not None and (v in self.variables or v.packed is not None) for v in node.inputs)

    def replace(self, old: Sequence[Node], new: Sequence[Node]) -> None:
        """Puts new nodes at the slot of the last of the old nodes. Takes no longer in a longer graph.

        The new nodes get the sources of the old nodes, see ``hand_down``, and also the sources of nodes whose results
        the old nodes read and no new node reads: these belong to the pattern, even where other nodes read them, too.

        Args:
            old: nodes of the draft; ``new`` must give all their outputs that are still read.
            new: nodes in an executable order.
        """
        hand_down([*self._bypassed(old, new), *old], new)
        self._put(old, new)

    def merge(self, node: Node, same: Node) -> Node:
        """Takes out a node and lets everybody read another one, which gives the same.

        Args:
            node: none of its results is an output of the graph.
            same: a node before it, with as many outputs.

        Returns:
            What takes the place of ``same``, since it stands for both nodes of the file.
        """
        made = replace(same)
        hand_down([node], [made])
        self._put([same], [made])
        self._put([node], [])
        for old, new in zip(node.outputs, same.outputs, strict=True):
            self.redirect(old, new)
        return made

    def _bypassed(self, old: Sequence[Node], new: Sequence[Node]) -> list[Node]:
        """The nodes whose results ``old`` reads and ``new`` does not, and the nodes that only these have read."""
        read = {value for node in new for value in node.inputs}
        gone, found = set(old), dict[Node, None]()
        waiting = [value for node in old for value in node.inputs] if new else []
        while waiting:
            value = waiting.pop()
            maker = None if value in read else self.producer(value)
            if maker is None or maker in gone:
                continue
            found[maker] = None
            if not any(self._is_read_beyond(gone, v) or v in read for v in maker.outputs):
                gone.add(maker)
                waiting += maker.inputs
        return list(found)

    def _is_read_beyond(self, nodes: set[Node], value: Value) -> bool:
        return self.is_output(value) or any(reader not in nodes for reader in self._readers.get(value, ()))

    def _put(self, old: Sequence[Node], new: Sequence[Node]) -> None:
        place, behind = max((self._slot_of[node], self._slots[self._slot_of[node]].index(node)) for node in old)
        self._slots[place][behind + 1 : behind + 1] = new
        for node in old:
            self._slots[self._slot_of.pop(node)].remove(node)
            self._drop_reader(node)
            for value in node.outputs:
                self._producers.pop(value, None)
        for node in new:
            self._slot_of[node] = place
            self._add_reader(node)
            self._producers.update(dict.fromkeys(node.outputs, node))
        self._modified = True

    def redirect(self, old: Value, new: Value) -> None:
        """Lets every node that reads ``old`` read ``new``. The graph's outputs stay."""
        for node in self.readers(old):
            self._put([node], [replace(node, inputs=[new if v is old else v for v in node.inputs])])

    def drop_identity(self, node: Node, source: Value) -> bool:
        """Takes out a node whose first output equals ``source`` in dtype, shape and elements.

        Returns False where the node must stay: its output is an output of the graph, and ``source`` is an input, a
        constant or another output of the graph.
        """
        result = node.outputs[0]
        if not self.is_output(result):
            self.replace([node], [])
            self.redirect(result, source)
            return True
        maker = self.producer(source)
        if maker is None or self.is_output(source):
            return False
        outputs = [result if v is source else v for v in maker.outputs]
        self.replace([node], [])
        self.replace([maker], [replace(maker, outputs=outputs)])
        self.redirect(source, result)
        return True

    def result(self) -> Graph:
        """The graph rewritten; the given one when nothing was changed."""
        return replace(self.graph, nodes=self.nodes()) if self._modified else self.graph

    def _add_reader(self, node: Node) -> None:
        for value in _read(node):
            self._readers.setdefault(value, {})[node] = None

    def _drop_reader(self, node: Node) -> None:
        for value in _read(node):
            self._readers[value].pop(node, None)

    def _line(self) -> str:
        return f"of {self.graph!r}"


def _read(node: Node) -> Iterable[Value]:
    return dict.fromkeys([v for v in node.inputs if v is not None])
