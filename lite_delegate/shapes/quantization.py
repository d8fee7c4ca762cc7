"""The nodes that run on quantized integers, and what those integers stand for."""

from __future__ import annotations

from lite_delegate_kernels import ArraySpec, NodeQuantization, Quantization

from ..ir import DataType, Node, QuantParam, Value
from ..ir.types.enums import QuantType

ON_INTEGERS = frozenset({QuantType.QUANT_ALL, QuantType.AwareTraining, QuantType.PostTraining})
"""The deprecated two are what ``QUANT_ALL`` was called before; the reader of files knows them as that already."""
_STORED = ("int8", "uint8")
_WIDE = "int16"
_QUANTIZED = frozenset({DataType.INT8, DataType.UINT8, DataType.INT16, DataType.INT32})
_DEFAULT = (QuantParam(),)


def runs_on_integers(node: Node, first: ArraySpec | None) -> bool:
    """True when a node runs on its quantized kernel: it is marked so, and its first input holds such integers.

    NOTE: int16 numbers without parameters stand for themselves.
    """
    if first is None:
        return False
    if first.dtype_name in _STORED:
        return node.quant_type in ON_INTEGERS or _is_dynamic(node)
    is_wide = first.dtype_name == _WIDE and quantization_of(node.inputs[0]) is not None
    return is_wide and node.quant_type in ON_INTEGERS


def _is_dynamic(node: Node) -> bool:
    """NOTE: MindSpore Lite has kernels for this kind of quantization for matrix products only."""
    return node.quant_type == QuantType.QUANT_DYNAMIC and node.op_type == "MatMulFusion"


def node_quantization(node: Node) -> NodeQuantization:
    """The meaning of the integers of a node's inputs and outputs."""
    inputs, outputs = tuple(map(quantization_of, node.inputs)), tuple(map(quantization_of, node.outputs))
    return NodeQuantization(inputs, outputs, _is_dynamic(node))


def quantization_of(value: Value | None) -> Quantization | None:
    """The meaning of a value's integers; None where it has no parameters, or its type can have none.

    NOTE: converters put one default parameter (scale 1, zero point 0, not inited) on any tensor. It counts on
    int8 and uint8 tensors alone, where it can only be meant.
    """
    if value is None or not value.quant_params:
        return None
    params = value.quant_params
    if params == _DEFAULT and value.dtype not in (DataType.INT8, DataType.UINT8):
        return None
    if value.is_constant and value.dtype not in _QUANTIZED:
        return None
    return Quantization(
        tuple(p.scale for p in params),
        tuple(p.zero_point for p in params),
        params[0].round_type,
        params[0].multiplier,
    )
