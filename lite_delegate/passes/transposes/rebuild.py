"""Rebuild: a graph again from a network and its labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ir import Graph, Node, Value, constant, make_primitive
from ...ir.axes import Axes, compose, identity, inverse
from .contract import Label, changed
from .network import Labels, Network


def rebuilt(network: Network, labels: Labels) -> Graph:
    """The graph in which nodes run under their labels, with one transpose for each order that a value needs."""
    return _Rebuild(network, labels).graph()


class _Rebuild:
    """Makes nodes one after another, and transposes where the first reader needs them.

    Attributes:
        places: for each root, the values that hold it, by permutation.
        sources: the former node of each value; a transpose that gives the value now has the same sources in the file.
    """

    def __init__(self, network: Network, labels: Labels) -> None:
        self._network = network
        self._labels = labels
        self._nodes: list[Node] = []
        self._names: dict[tuple[Value, Axes], Value] = {}
        self.places: dict[Value, dict[Axes, Value]] = {}
        self.sources = {value: node.sources for value, node in network.graph.producers().items()}
        for value, key in network.origin.items():
            self._names.setdefault(key, value)
        for value in network.graph.outputs:
            if value in network.origin:
                self._names[network.origin[value]] = value
        for value in network.graph.inputs:
            if value in network.origin:
                self.places[value] = {network.origin[value][1]: value}

    def graph(self) -> Graph:
        """The graph; its inputs and outputs are the values that they were."""
        for node in self._network.nodes:
            self._node(node)
        for value in self._network.graph.outputs:
            if value in self._network.origin:
                self._give_out(value)
        return replace(self._network.graph, nodes=self._nodes)

    def _node(self, node: Node) -> None:
        label, contract = self._labels.get(node), self._network.contracts.get(node)
        inputs: list[Value | None] = list(node.inputs)
        for position, value in enumerate(node.inputs):
            if value is not None and value in self._network.origin:
                inputs[position] = self._read(node, position, value, label)
        primitive = node.primitive
        if contract is not None and label is not None and label != _nothing(label):
            primitive, parameters = contract.rewritten(label)
            for position, value in parameters.items():
                inputs[position : position + 1] = [value]
        outputs = self._outputs(node, label)
        if primitive is node.primitive and inputs == node.inputs and outputs == node.outputs:
            self._nodes.append(node)
        else:
            self._nodes.append(replace(node, primitive=primitive, inputs=inputs, outputs=outputs))

    def _read(self, node: Node, position: int, value: Value, label: Label | None) -> Value:
        """The value that a node reads in a place; constants that do not move are read as they are."""
        root, axes = self._network.origin[value]
        contract = self._network.contracts.get(node)
        moves = contract is not None and position in contract.moving
        if not moves and root is value and value.is_constant:
            return value
        return self._presented(root, compose(axes, label.operands) if moves and label is not None else axes)

    def _outputs(self, node: Node, label: Label | None) -> list[Value]:
        made: list[Value] = []
        for value in node.outputs:
            if value not in self._network.origin:
                made.append(value)
                continue
            axes = identity(len(self._network.origin[value][1])) if label is None else label.results
            made.append(self._value(value, axes))
            self.places[value] = {axes: made[-1]}
        return made

    def _value(self, root: Value, axes: Axes) -> Value:
        """The value that holds a root in some order: the graph's own where it has one, which keeps its name."""
        known = self._names.get((root, axes))
        if known is not None:
            return known
        shape = None if root.shape is None else tuple(root.shape[a] for a in axes)
        self._names[root, axes] = made = replace(root, shape=shape)
        return made

    def _presented(self, root: Value, axes: Axes) -> Value:
        places = self.places.setdefault(root, {identity(len(axes)): root})
        if axes not in places:
            if _is_fixed(self._network, root):
                places[axes] = changed(root, np.transpose(root.data, axes))  # type: ignore[arg-type]
            else:
                places[axes] = self._value(root, axes)
                self._transpose(root, axes, places[axes])
        return places[axes]

    def _transpose(self, root: Value, axes: Axes, result: Value) -> None:
        known, source = next(iter(self.places[root].items()))
        perm = np.array(compose(inverse(known), axes), np.int32)
        name = f"{result.name}/transpose"
        inputs: list[Value | None] = [source, constant(f"{name}/perm", perm)]
        self._append_transpose(name, inputs, result)

    def _give_out(self, value: Value) -> None:
        """Makes an output of the graph, unless a node gives it already."""
        root, axes = self._network.origin[value]
        places = self.places.setdefault(root, {identity(len(axes)): root})
        if value in places.values():
            return
        if axes in places:
            self._transpose_again(root, axes, value)
        else:
            self._transpose(root, axes, value)
            places[axes] = value

    def _transpose_again(self, root: Value, axes: Axes, value: Value) -> None:
        """Adds a transpose for a second output with the same contents as another value, under its own name."""
        source = self.places[root][axes]
        inputs: list[Value | None] = [source, constant(f"{value.name}/perm", np.arange(len(axes), dtype=np.int32))]
        self._append_transpose(f"{value.name}/transpose", inputs, value)

    def _append_transpose(self, name: str, inputs: list[Value | None], result: Value) -> None:
        sources = self.sources.get(result, ())
        self._nodes.append(Node(name, make_primitive("Transpose"), inputs, [result], sources=sources))


def _nothing(label: Label) -> Label:
    return Label(identity(len(label.operands)), identity(len(label.results)))


def _is_fixed(network: Network, value: Value) -> bool:
    facts = network.facts
    return value.data is not None and value not in facts.variables and not value.is_parameter and value.packed is None
