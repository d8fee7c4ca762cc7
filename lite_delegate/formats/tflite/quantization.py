"""The quantization of a node, by the quantization of its operands."""

from __future__ import annotations

from lite_delegate_kernels.built_in import built_in_kernels

from ...ir import DataType, Node, QuantParam, Value, to_numpy
from ...ir.types.enums import QuantType
from ..rejection import NotConvertible, Why

_BYTES = (DataType.INT8, DataType.UINT8)
_WEIGHTS = ("Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion", "Gather")
"""Operators whose 8-bit constants may stand beside real numbers."""
WIDE = frozenset(
    ("Abs", "Activation", "AddFusion", "ArgMaxFusion", "ArgMinFusion", "AvgPoolFusion", "BatchToSpaceND", "BroadcastTo")
    + ("Concat", "Conv2DFusion", "Conv2dTransposeFusion", "DepthToSpace", "Equal", "ExpFusion", "ExpandDims")
    + ("FullConnection", "Gather", "GatherNd", "Greater", "GreaterEqual", "LeakyRelu", "Less", "LessEqual")
    + ("MatMulFusion", "MaxPoolFusion", "Maximum", "Minimum", "MulFusion", "NotEqual", "PadFusion", "ReduceFusion")
    + ("Reshape", "Resize", "ReverseV2", "Rsqrt", "SliceFusion", "Softmax", "SpaceToBatchND", "SpaceToDepth", "Split")
    + ("Squeeze", "Stack", "StridedSlice", "SubFusion", "TileFusion", "Transpose", "Unsqueeze", "Unstack")
)
"""Operators of ours that compute with quantized 16-bit integers."""
_MOVES = ("ReverseSequence", "Where", "OneHot", "Fill", "ScatterNd", "ZerosLike", "HashtableLookup", "SparseToDense")
"""Operators without a quantized form that only move integers, where all tensors have the same parameters."""


def is_quantized(value: Value | None) -> bool:
    """True for integers of 8 and 16 bits that stand for real numbers."""
    return value is not None and ((value.dtype in _BYTES and bool(value.quant_params)) or is_wide(value))


def is_wide(value: Value) -> bool:
    """True for integers of 16 bits that stand for real numbers."""
    return value.dtype == DataType.INT16 and value.quant_params not in ((), (QuantParam(),))


def is_per_tensor(value: Value) -> bool:
    """True where all elements have one scale."""
    return len(value.quant_params) == 1


def meaning(value: Value) -> list[tuple[float, int]]:
    """Scales and zero points of a value."""
    return [(p.scale, p.zero_point) for p in value.quant_params]


def quant_type(node: Node) -> QuantType:
    """The kind of quantization of a node.

    Raises:
        NotConvertible: no kernel computes with these element types.
    """
    present = [v for v in (*node.inputs, *node.outputs) if v is not None]
    _check_wide(node, present)
    first = node.inputs[0] if node.inputs else None
    if not any(is_quantized(v) for v in present):
        _check_kernel(node, first, quantized=False)
        return QuantType.QUANT_NONE
    if node.op_type in _MOVES or (not is_quantized(first) and node.op_type not in _WEIGHTS):
        return _moved(node, [v for v in present if is_quantized(v)])
    if is_quantized(first):
        _check_kernel(node, first, quantized=True)
        return QuantType.QUANT_ALL
    return _weights(node, first)


def _moved(node: Node, values: list[Value]) -> QuantType:
    if len({tuple(meaning(v)) for v in values}) > 1:
        raise NotConvertible(Why.DTYPE, f"{node.op_type} of 8-bit integers with different quantization parameters")
    return QuantType.QUANT_NONE


def _weights(node: Node, first: Value | None) -> QuantType:
    """NOTE: constants become real numbers when the model is built; LiteRT quantizes the other side instead."""
    for value in (v for v in node.inputs[1:] if is_quantized(v)):
        if value is not None and (value.data is None or value.dtype != DataType.INT8):
            raise NotConvertible(Why.DTYPE, f"'{value.name}' beside real numbers must be a constant of INT8")
    _check_kernel(node, first, quantized=False)
    return QuantType.QUANT_WEIGHT


def _check_wide(node: Node, values: list[Value]) -> None:
    """Rejects integers of 16 bits where no kernel takes them, or one takes them for others."""
    wide = [value for value in values if is_wide(value)]
    if not wide:
        return
    if node.op_type not in WIDE and node.op_type not in _MOVES:
        raise NotConvertible(Why.DTYPE, f"{node.op_type} has no kernel for quantized 16-bit integers")
    shifted = next((value.name for value in wide if any(zero_point for _, zero_point in meaning(value))), None)
    if shifted is not None:
        raise NotConvertible(Why.DTYPE, f"'{shifted}': quantized 16-bit integers have zero points of 0")
    if node.op_type in _MOVES:
        return
    results = [value for value in node.outputs if is_quantized(value)]
    if wide[0] is not node.inputs[0] or any(not is_wide(value) for value in results):
        raise NotConvertible(Why.DTYPE, f"{node.op_type} of quantized 16-bit integers beside 8-bit ones")


def _check_kernel(node: Node, first: Value | None, quantized: bool) -> None:
    kernel = built_in_kernels().find(node.op_type, quantized=quantized)
    if kernel is None and quantized:
        raise NotConvertible(Why.DTYPE, f"{node.op_type} has no kernel for quantized 8-bit integers")
    if kernel is not None and first is not None and to_numpy(first.dtype).name not in kernel.dtypes:
        reason = f"{node.op_type} of {first.dtype.name}; the kernel takes {', '.join(sorted(kernel.dtypes))}"
        raise NotConvertible(Why.DTYPE, reason)
