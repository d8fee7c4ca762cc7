"""A conformance case as a graph that a model can be built from."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate_kernels import NodeQuantization, Quantization

from ..ir import Graph, Node, QuantParam, Value, constant, from_numpy, make_primitive
from ..ir.enums import QuantType
from .case import Array, ConformanceCase


def case_graph(case: ConformanceCase) -> Graph:
    """A graph of the case's one node: its variable inputs are the graph's inputs, its outputs the graph's outputs."""
    operands = [_operand(i, x, i in case.constants) for i, x in enumerate(case.inputs)]
    outputs = [Value(f"output_{i}", from_numpy(y.dtype), y.shape) for i, y in enumerate(case.outputs)]
    node = Node(case.name, make_primitive(case.op_type, **case.attributes), operands, list(outputs))
    if case.quantization is not None:
        _quantize(node, case.quantization)
    inputs = [v for v in operands if v is not None and not v.is_constant]
    return Graph(f"{case.op_type}_{case.name}", inputs, outputs, [node])


def variable_inputs(case: ConformanceCase) -> dict[str, Array]:
    """The inputs that are no constants, by their names in the graph."""
    return {f"input_{i}": x for i, x in enumerate(case.inputs) if x is not None and i not in case.constants}


def _quantize(node: Node, quantization: NodeQuantization) -> None:
    node.quant_type = QuantType.QUANT_ALL
    _set_params(node.inputs, quantization.inputs)
    _set_params(node.outputs, quantization.outputs)


def _set_params(values: Sequence[Value | None], found: Sequence[Quantization | None]) -> None:
    for value, q in zip(values, found, strict=False):
        if value is not None and q is not None:
            value.quant_params = tuple(
                QuantParam(scale, point, inited=True, round_type=q.round_type, multiplier=q.multiplier)
                for scale, point in zip(q.scales, q.zero_points, strict=True)
            )


def _operand(index: int, x: Array | None, is_constant: bool) -> Value | None:
    if x is None:
        return None
    if is_constant:
        return constant(f"input_{index}", x)
    return Value(f"input_{index}", from_numpy(x.dtype), x.shape)
