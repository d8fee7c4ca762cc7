"""Convolutions and matrix products of quantized operands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ir import DataType, Node, QuantParam, Value, constant
from ..framework.draft import Draft
from .casts import dequantizing, source_of
from .constants import QuantizedConstant, quantized_constant

DENSE = frozenset({"Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion"})
_LIMITS = np.iinfo(np.int32)


def dense_operands(draft: Draft, node: Node, result: Value) -> list[Value | None] | None:
    """x, weight and bias as integers; None where the node must stay as it is.

    Args:
        draft: the graph.
        node: the operator on real numbers.
        result: the integers that stand for its result.
    """
    x = dequantizing(draft, node.inputs[0])
    if x is None or len(node.inputs) > 3:
        return None
    weight, scales = _weight(draft, node)
    bias = node.inputs[2] if len(node.inputs) == 3 else None
    if weight is None:
        return None
    source = source_of(x)
    if bias is None:
        return [source, weight]
    real = _real_bias(draft, bias)
    if real is None:
        return None
    products = source.quant_params[0].scale * scales
    whole = _whole_bias(bias.name, real, products, result.quant_params[0].scale)
    return None if whole is None else [source, weight, whole]


def _weight(draft: Draft, node: Node) -> tuple[Value | None, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The weight and its scales. NOTE: kernels check that the number of scales fits the output's channels."""
    moving = dequantizing(draft, node.inputs[1])
    found = quantized_constant(draft, node.inputs[1])
    if found is None:
        source = None if moving is None else source_of(moving)
        return source, np.array([p.scale for p in source.quant_params] if source is not None else [])
    if found.data.dtype.name not in ("int8", "uint8") or not _is_by_output_channel(node, found):
        return None, np.array([])
    value = constant(found.name, found.data)
    return replace(value, quant_params=found.parameters), np.array([p.scale for p in found.parameters])


def _is_by_output_channel(node: Node, weight: QuantizedConstant) -> bool:
    if len(weight.parameters) == 1:
        return True
    rank = weight.data.ndim
    if node.op_type == "MatMulFusion":
        return weight.axis == (rank - 2 if node.primitive.attributes()["transpose_b"] else rank - 1)
    if node.op_type == "Conv2dTransposeFusion":
        return weight.axis == rank - 1 and node.primitive.attributes()["group"] == 1
    return weight.axis == 0


def _real_bias(draft: Draft, bias: Value) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
    found = quantized_constant(draft, bias)
    if found is not None:
        scales = np.array([p.scale for p in found.parameters], np.float64)
        points = np.array([p.zero_point for p in found.parameters], np.int64)
        return np.asarray((found.data.astype(np.int64) - points) * scales) if found.data.ndim == 1 else None
    data = draft.constant(bias)
    return None if data is None or data.ndim != 1 or data.dtype != np.float32 else data.astype(np.float64)


def _whole_bias(
    name: str,
    real: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    products: np.ndarray[tuple[int], np.dtype[np.float64]],
    step: float,
) -> Value | None:
    """The bias in units of the products that it is added to.

    None where int32 cannot hold it, and where it is rounded by more than half a ``step`` of the result.
    """
    whole = np.rint(real / products)
    if not np.isfinite(whole).all() or (np.abs(whole) > _LIMITS.max).any():
        return None
    if (np.abs(real - whole * products) > step / 2).any():
        return None
    params = tuple(QuantParam(scale=float(s), inited=True, num_bits=32) for s in products)
    return replace(constant(name, whole.astype(np.int32)), quant_params=params, dtype=DataType.INT32)
