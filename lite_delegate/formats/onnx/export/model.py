"""ModelWriter: an ONNX model, written node by node. Field numbers: onnx.proto of the ONNX project."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....tensors.tensor import Array
from ....version import VERSION
from .types import Dtype, elem_type_of
from .wire import Pieces, content, integer, integers, message, shared, single, singles, text

IR_VERSION = 10
"""The release of the file format; 10 came with release 21 of the operators."""
PRODUCER = "lite_delegate"
_FLOAT, _INT, _STRING, _GRAPH, _FLOATS, _INTS, _STRINGS = 1, 2, 3, 5, 6, 7, 8
_EXTERNAL = 1
_INT64 = 7

AttributeValue = int | float | str | bytes | Sequence[int] | Sequence[float] | Sequence[str]
"""Bytes are a graph."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Where the bytes of an initializer are that is not in the model itself.

    Attributes:
        location: the file, relative to the model's.
        offset: of the first byte.
    """

    location: str
    offset: int


@dataclass(frozen=True, slots=True)
class NodeMessage:
    """A node.

    Attributes:
        op: its operator.
        inputs: names of values; "" for an absent one.
        outputs: names of values.
        attributes: of the operator.
        name: of the node.
        domain: of the operator, "" for ONNX's own.
        doc: text for people.
        facts: its metadata.
    """

    op: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, AttributeValue]
    name: str
    domain: str = ""
    doc: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


class ModelWriter:
    """A model with one graph, and functions beside it.

    Args:
        name: of the graph.
        opset: the release of ONNX's operators that the nodes are of.
    """

    def __init__(self, name: str, opset: int) -> None:
        self._name = name
        self._nodes: Pieces = []
        self._initializers: Pieces = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._given: set[str] = set()  # by nodes of the graph that is being written, and no output of it yet
        self._domains: dict[str, int] = {"": opset}
        self._functions: list[bytes] = []
        self._values: list[bytes] = []
        self._facts = b""

    def input(self, name: str, dtype: Dtype | int, shape: Sequence[int | str]) -> None:
        """An input; a dimension that is a word is open."""
        self._inputs.append(content(11, _value_info(name, dtype, shape)))

    def output(self, name: str, dtype: Dtype | int, shape: Sequence[int | str]) -> None:
        """An output, which a node has to give."""
        self._outputs.append(content(12, _value_info(name, dtype, shape)))

    def initializer(self, name: str, array: Array, outside: Outside | None = None) -> None:
        """A constant. The array is shared until the model is written, where its bytes are in C order."""
        element = elem_type_of(array.dtype)
        if outside is not None:
            self._initializers.append(initializer_in_file(name, element, array.shape, outside, array.nbytes))
            return
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        self._initializers += message(5, [_tensor_info(name, element, array.shape), *shared(9, data)])

    def left_out(self, name: str, element: int, dims: Sequence[int]) -> None:
        """A constant without its contents: a sparse tensor that has no elements.

        Args:
            name: of the constant.
            element: the number of its element type.
            dims: its dimensions, one or more, none of them 0: ONNX has no other sparse tensors.
        """
        values, indices = _tensor_info(name, element, [0]), _tensor_info(f"{name}/indices", _INT64, [0])
        shape = b"".join(integer(3, dim) for dim in dims)
        self._initializers.append(content(15, content(1, values) + content(2, indices) + shape))

    def value(self, name: str, element: int, shape: Sequence[int | str]) -> None:
        """The type of a value that is no input and no output; a dimension that is a word is open."""
        self._values.append(content(13, _value_info(name, element, shape)))

    def facts(self, facts: Mapping[str, str]) -> None:
        """The metadata of the model."""
        self._facts = b"".join(content(14, entry) for entry in _entries(facts))

    def function(self, domain: str, name: str, nodes: Sequence[NodeMessage]) -> None:
        """A function of the model. It takes what its nodes read and do not give, and gives what none of them reads.

        Args:
            domain: of the function.
            name: of the function, unlike all others of its domain.
            nodes: of the function, in execution order, all of domains of their own.
        """
        read = dict.fromkeys(each for node in nodes for each in node.inputs)
        made = dict.fromkeys(each for node in nodes for each in node.outputs)
        parts = [text(1, name), *(text(4, each) for each in read if each not in made)]
        parts += [text(5, each) for each in made if each not in read]
        parts += [content(7, _node(node)) for node in nodes]
        parts += [content(9, _release(used, 1)) for used in dict.fromkeys(node.domain for node in nodes)]
        self._functions.append(content(25, b"".join([*parts, text(10, domain)])))
        self._domains[domain] = 1

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: Mapping[str, AttributeValue],
        name: str = "",
        domain: str = "",
    ) -> None:
        """A node; an input that is "" is absent."""
        self.add(NodeMessage(op, inputs, outputs, attributes, name or f"{op}_{outputs[0]}", domain))

    def add(self, node: NodeMessage) -> None:
        """A node with all that ONNX can say of it."""
        if node.domain:
            self._domains[node.domain] = 1
        self._nodes.append(content(1, _node(node)))
        self._given.update(node.outputs)

    def graph(self, name: str, write: Callable[[], object]) -> bytes:
        """A graph for an attribute: inputs, nodes and outputs that ``write`` adds. The graph sees values outside of
        it.
        """
        outside = self._nodes, self._inputs, self._outputs, self._given
        self._nodes, self._inputs, self._outputs, self._given = [], [], [], set()
        try:
            write()
            return b"".join([*self._nodes, text(2, name), *self._inputs, *self._outputs])
        finally:
            self._nodes, self._inputs, self._outputs, self._given = outside

    def inner_output(self, name: str, copy: Callable[[], str], dtype: Dtype, shape: Sequence[int | str]) -> None:
        """An output of a graph for an attribute, which a node of that graph has to give, and give for it alone.

        Args:
            name: of what it is, which may also be outside of the graph, an input of it, or an output already.
            copy: gives the name of a copy where it is.
            dtype: its element type.
            shape: its dimensions.
        """
        if name not in self._given:
            given, name = name, copy()
            self.node("Identity", [given], [name], {}, name)
        self._given.discard(name)
        self.output(name, dtype, shape)

    def pieces(self) -> Pieces:
        """The model's bytes, in parts."""
        name = text(2, self._name)
        graph = [*self._nodes, name, *self._initializers, *self._inputs, *self._outputs, *self._values]
        head = integer(1, IR_VERSION) + text(2, PRODUCER) + text(3, VERSION)
        releases = [content(8, _release(domain, release)) for domain, release in self._domains.items()]
        return [head, *message(7, graph), *releases, self._facts, *self._functions]

    def content(self) -> bytes:
        """The model's bytes."""
        return b"".join(self.pieces())


def _release(domain: str, release: int) -> bytes:
    return text(1, domain) + integer(2, release)


def _entries(facts: Mapping[str, str]) -> list[bytes]:
    return [text(1, key) + text(2, value) for key, value in facts.items()]


def _node(node: NodeMessage) -> bytes:
    parts = [text(1, each) for each in node.inputs] + [text(2, each) for each in node.outputs]
    parts += [text(3, node.name), text(4, node.op)]
    parts += [content(5, _attribute(key, value)) for key, value in node.attributes.items()]
    parts += [text(6, node.doc)] if node.doc else []
    parts += [text(7, node.domain)] if node.domain else []
    return b"".join([*parts, *(content(9, entry) for entry in _entries(node.facts))])


def initializer_in_file(name: str, element: int, dims: Sequence[int], outside: Outside, length: int) -> bytes:
    """A constant of a graph whose bytes are in a file.

    Args:
        name: of the constant.
        element: the number of its element type.
        dims: its dimensions.
        outside: where the bytes are.
        length: how many.
    """
    place = {"location": outside.location, "offset": str(outside.offset), "length": str(length)}
    entries = [content(13, entry) for entry in _entries(place)]
    return content(5, b"".join([_tensor_info(name, element, dims), *entries, integer(14, _EXTERNAL)]))


def _tensor_info(name: str, element: int, dims: Sequence[int]) -> bytes:
    return b"".join(integer(1, dim) for dim in dims) + integer(2, element) + text(8, name)


def _value_info(name: str, dtype: Dtype | int, shape: Sequence[int | str]) -> bytes:
    """The type of a value.

    Args:
        name: of the value.
        dtype: numpy's element type, or ONNX's number of one.
        shape: its dimensions; a word is open.
    """
    element = dtype if isinstance(dtype, int) else elem_type_of(dtype)
    dims = b"".join(content(1, text(2, dim) if isinstance(dim, str) else integer(1, dim)) for dim in shape)
    return text(1, name) + content(2, content(1, integer(1, element) + content(2, dims)))


def _attribute(name: str, value: AttributeValue) -> bytes:
    head = text(1, name)
    if isinstance(value, bytes):
        return head + content(6, value) + integer(20, _GRAPH)
    if isinstance(value, str):
        return head + text(4, value) + integer(20, _STRING)
    if isinstance(value, int | np.integer):
        return head + integer(3, int(value)) + integer(20, _INT)
    if isinstance(value, float):
        return head + single(2, value) + integer(20, _FLOAT)
    values: list[Any] = list(value)
    if any(isinstance(each, str) for each in values):
        return head + b"".join(text(9, str(each)) for each in values) + integer(20, _STRINGS)
    if any(isinstance(each, float) for each in values):
        return head + singles(7, values) + integer(20, _FLOATS)
    return head + integers(8, [int(each) for each in values]) + integer(20, _INTS)
