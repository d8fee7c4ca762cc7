"""The channel axis: the dimension of a weight that its quantization parameters belong to.

The rules are those of MindSpore Lite's loader, which differ with the release that converted the model.
"""

from __future__ import annotations

from typing import Any

from ...ir import Node
from ...ir.types.version import counts_as_before


def channel_axis(node: Node, position: int, version: str | None) -> int:
    """The dimension of the channels of a constant.

    Args:
        node: the node that reads it.
        position: the position of the constant among the node's inputs.
        version: the version of the converter, as the file has it; None counts as old.
    """
    attributes = node.primitive.attributes()
    if node.op_type == "MatMulFusion" and position < 2:
        transposed = attributes["transpose_b" if position else "transpose_a"]
        return _matmul_axis(position, transposed, _rank(node, position), counts_as_before(version, "1.6.0"))
    if counts_as_before(version, "1.6.0"):
        return 0
    if node.op_type == "Conv2dTransposeFusion" and position == 1:
        return _deconvolution_axis(attributes, _rank(node, position), counts_as_before(version, "1.8.0"))
    if node.op_type == "Gather" and position == 0:
        return _gather_axis(node)
    return 0


def _rank(node: Node, position: int) -> int:
    value = node.inputs[position]
    return len(value.shape) if value is not None and value.shape is not None else 0


def _matmul_axis(position: int, transposed: bool, rank: int, is_old: bool) -> int:
    """Rows of the left matrix, columns of the right one.

    NOTE: old files swap the two where the matrix is not transposed on the left, or is on the right.
    """
    if is_old:
        return 0 if transposed == (position == 1) else 1
    rows, columns = max(0, rank - 2), rank - 1
    return columns if transposed == (position == 0) else rows


def _deconvolution_axis(attributes: dict[str, Any], rank: int, is_old: bool) -> int:
    is_depthwise = attributes["group"] == attributes["in_channel"] == attributes["out_channel"]
    return 0 if is_old or is_depthwise else rank - 1


def _gather_axis(node: Node) -> int:
    axis = node.inputs[2] if len(node.inputs) > 2 else None
    if axis is None or axis.data is None or axis.data.size != 1:
        return 0
    number = int(axis.data.reshape(-1)[0])
    return number if number >= 0 else number + _rank(node, 0)
