"""Which nodes run on quantised integers, and what those integers stand for."""

from __future__ import annotations

from lite_delegate_kernels import ArraySpec, NodeQuantisation, Quantisation

from ..ir import DataType, Node, QuantParam, Value
from ..ir.enums import QuantType

ON_INTEGERS = frozenset({QuantType.QUANT_ALL, QuantType.AwareTraining, QuantType.PostTraining})
"""The deprecated two are what ``QUANT_ALL`` was called before; the reader of files knows them as that already."""
_STORED = ("int8", "uint8")
_QUANTISED = frozenset({DataType.INT8, DataType.UINT8, DataType.INT16, DataType.INT32})
_DEFAULT = (QuantParam(),)


def runs_on_integers(node: Node, first: ArraySpec | None) -> bool:
    """True when a node runs on its quantised kernel: it is marked so, and its first input holds such integers."""
    if first is None or first.dtype.name not in _STORED:
        return False
    return node.quant_type in ON_INTEGERS or _is_dynamic(node)


def _is_dynamic(node: Node) -> bool:
    """NOTE: MindSpore Lite has kernels for this kind of quantisation for matrix products only."""
    return node.quant_type == QuantType.QUANT_DYNAMIC and node.op_type == "MatMulFusion"


def node_quantisation(node: Node) -> NodeQuantisation:
    """What the integers of a node's inputs and outputs stand for."""
    inputs, outputs = tuple(map(quantisation_of, node.inputs)), tuple(map(quantisation_of, node.outputs))
    return NodeQuantisation(inputs, outputs, _is_dynamic(node))


def quantisation_of(value: Value | None) -> Quantisation | None:
    """What the integers of a value stand for; None where it has no parameters, or its type can have none.

    NOTE: converters put one default parameter (scale 1, zero point 0, not inited) on any tensor. It counts on
    int8 and uint8 tensors alone, where it can only be meant.
    """
    if value is None or not value.quant_params:
        return None
    params = value.quant_params
    if params == _DEFAULT and value.dtype not in (DataType.INT8, DataType.UINT8):
        return None
    if value.is_constant and value.dtype not in _QUANTISED:
        return None
    return Quantisation(
        tuple(p.scale for p in params),
        tuple(p.zero_point for p in params),
        params[0].round_type,
        params[0].multiplier,
    )
