"""Samples of images at the points of a grid, and sums of products described by labels (Einsum)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....basics.counted import counted
from ....delegate import RejectCode
from ...lowering import Attributes, NotLowered, Spec, Term
from .call import OperatorCall
from .operator import OnnxOperator

MODES = {"linear": "bilinear", "nearest": "nearest", "cubic": "bicubic"}
"""OpenVINO's names of ONNX's modes."""
IMAGE = 4
"""Dimensions of what OpenVINO takes samples of."""


def write_grid_sample(call: OperatorCall) -> list[Any]:
    """The samples (batch, channels, rows, columns)."""
    from openvino import opset16

    image, grid = call.inputs
    node = opset16.grid_sample(
        image,
        grid,
        {
            "align_corners": bool(call.integer("align_corners", 0)),
            "mode": MODES[call.text("mode", "linear")],
            "padding_mode": call.text("padding_mode", "zeros"),
        },
    )
    return [node.output(0)]


def check_grid_sample(operands: Sequence[Term | None], _: Sequence[Spec], attributes: Attributes) -> None:
    """Rejects volumes."""
    x = operands[0]
    rank = 0 if x is None else len(x.shape)
    if rank != IMAGE:
        raise NotLowered(RejectCode.RANK, "OpenVINO takes samples of images", f"has {counted(rank, 'dimension')}")


def write_einsum(call: OperatorCall) -> list[Any]:
    """The sum of products."""
    from openvino import opset16

    return [opset16.einsum(call.inputs, call.text("equation", "").replace(" ", "")).output(0)]


def check_einsum(operands: Sequence[Term | None], _: Sequence[Spec], attributes: Attributes) -> None:
    """Rejects diagonals, which OpenVINO does not always compile."""
    left = str(attributes.get("equation", "")).replace(" ", "").partition("->")[0]
    for labels in left.split(","):
        own = labels.replace(".", "")
        if len(set(own)) < len(own):
            raise NotLowered(RejectCode.ATTRIBUTE, "OpenVINO computes Einsum without diagonals", f"has {labels}")


OPERATORS = {
    "GridSample": OnnxOperator(write_grid_sample, check=check_grid_sample),
    "Einsum": OnnxOperator(write_einsum, check=check_einsum),
}
