"""Chain: a few nodes with their inputs and constants, known to no runtime; a conformance case is a chain of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from lite_delegate_kernels import NodeQuantization, Quantization

from ...basics.data_class import dataclass
from ...ir import Graph, Node, QuantParam, Value, constant, from_numpy, make_primitive
from ...ir.types.enums import QuantType
from .case import Array, ConformanceCase

Arrays = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class ChainNode:
    """A node of a chain.

    Attributes:
        name: unique within the chain.
        op_type: the schema's name of the operator.
        inputs: names of what it reads, in the schema's order; None for an absent optional input.
        outputs: names of what it gives.
        attributes: as those of ``ConformanceCase``.
        quantization: as that of ``ConformanceCase``.
    """

    name: str
    op_type: str
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    quantization: NodeQuantization | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Nodes in an order in which they can run, and the arrays that they start from.

    Attributes:
        name: says what is exercised.
        nodes: the nodes.
        inputs: the arrays of the inputs by name, in order.
        constants: those of the constants.
        outputs: names of the outputs, in order.
    """

    name: str
    nodes: tuple[ChainNode, ...]
    inputs: Arrays
    constants: Arrays
    outputs: tuple[str, ...]

    def with_arrays(self, arrays: Arrays) -> Chain:
        """The chain with other arrays for some of its inputs and constants."""
        return replace(
            self,
            inputs={name: arrays.get(name, x) for name, x in self.inputs.items()},
            constants={name: arrays.get(name, x) for name, x in self.constants.items()},
        )

    @property
    def arrays(self) -> Arrays:
        """The arrays of inputs and constants by name."""
        return {**self.inputs, **self.constants}

    @property
    def operators(self) -> str:
        """The operator types, in order."""
        return " + ".join(node.op_type for node in self.nodes)


def chain_of(case: ConformanceCase) -> Chain:
    """A case's one node as a chain: inputs are named ``input_0``, ..., outputs ``output_0``, ..."""
    names = tuple(None if x is None else f"input_{i}" for i, x in enumerate(case.inputs))
    outputs = tuple(f"output_{i}" for i in range(len(case.outputs)))
    node = ChainNode(case.name, case.op_type, names, outputs, case.attributes, case.quantization)
    named = [(i, name, x) for i, (name, x) in enumerate(zip(names, case.inputs, strict=True)) if x is not None]
    inputs = {name: x for i, name, x in named if name and i not in case.constants}
    constants = {name: x for i, name, x in named if name and i in case.constants}
    return Chain(f"{case.op_type}_{case.name}", (node,), inputs, constants, outputs)


def case_of(chain: Chain, case: ConformanceCase, outputs: Sequence[Array]) -> ConformanceCase:
    """A case with the arrays of a chain made from the case, and other outputs."""
    arrays = chain.arrays
    inputs = tuple(None if name is None else arrays[name] for name in chain.nodes[0].inputs)
    return replace(case, inputs=inputs, outputs=tuple(outputs))


def chain_graph(chain: Chain, outputs: Sequence[Array | None] = ()) -> Graph:
    """The graph of a chain.

    Args:
        chain: the chain.
        outputs: arrays like its outputs, to declare element types and shapes; without them they are left open.
    """
    values = {name: Value(name, from_numpy(x.dtype), x.shape) for name, x in chain.inputs.items()}
    inputs = list(values.values())
    values.update({name: constant(name, x) for name, x in chain.constants.items()})
    declared = dict(zip(chain.outputs, outputs, strict=False))
    nodes = [_node(node, values, declared) for node in chain.nodes]
    return Graph(chain.name, inputs, [values[name] for name in chain.outputs], nodes)


def _node(node: ChainNode, values: dict[str, Value], declared: Mapping[str, Array | None]) -> Node:
    operands = [None if name is None else values[name] for name in node.inputs]
    for name in node.outputs:
        y = declared.get(name)
        values[name] = _open(name, operands) if y is None else Value(name, from_numpy(y.dtype), y.shape)
    made = Node(node.name, make_primitive(node.op_type, **node.attributes), operands, [values[n] for n in node.outputs])
    if node.quantization is not None:
        made.quant_type = QuantType.QUANT_ALL
        _set_params(made.inputs, node.quantization.inputs)
        _set_params(made.outputs, node.quantization.outputs)
    return made


def _open(name: str, operands: Iterable[Value | None]) -> Value:
    """A value that inference is to find out about."""
    return Value(name, next(v.dtype for v in operands if v is not None), None)


def _set_params(values: Sequence[Value | None], found: Sequence[Quantization | None]) -> None:
    for value, q in zip(values, found, strict=False):
        if value is not None and q is not None:
            value.quant_params = tuple(
                QuantParam(scale, point, inited=True, round_type=q.round_type, multiplier=q.multiplier)
                for scale, point in zip(q.scales, q.zero_points, strict=True)
            )
