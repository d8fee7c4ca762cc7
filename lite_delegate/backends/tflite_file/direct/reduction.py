"""Reductions, and the largest elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....delegate import RejectCode
from ....ir.types.enums import ReduceMode
from ....semantics.operands import normalized
from ..node import DirectNode
from ..table import Direct

KINDS = {
    ReduceMode.ReduceMean: "MEAN",
    ReduceMode.ReduceSum: "SUM",
    ReduceMode.ReduceProd: "REDUCE_PROD",
    ReduceMode.ReduceMax: "REDUCE_MAX",
    ReduceMode.ReduceMin: "REDUCE_MIN",
    ReduceMode.ReduceAll: "REDUCE_ALL",
}


def reduce(node: DirectNode) -> None:
    """The reduction of the mode over constant axes."""
    x, kind = node.x(), KINDS.get(node.attribute("mode"))
    node.wanted(kind is not None, RejectCode.ATTRIBUTE, "a builtin reduction", f"is {node.attribute('mode').name}")
    assert kind is not None
    scale = node.attribute("coeff")
    node.wanted(scale in (0.0, 1.0), RejectCode.ATTRIBUTE, "reductions have no factor", f"is {scale}")
    given = node.ints(1, "axes") if node.has(1) else ()
    axes = sorted({normalized(axis, x.rank) for axis in given} or range(x.rank))
    if node.attribute("reduce_to_end") and given:
        axes = list(range(min(axes), x.rank))
    node.wanted(0 < x.rank <= 4 or (x.rank <= 8 and x.quantization is None and x.rank > 0), RejectCode.RANK, "axes")
    keeps = tuple(1 if axis in axes else dim for axis, dim in enumerate(x.shape))
    drops = tuple(dim for axis, dim in enumerate(x.shape) if axis not in axes)
    node.wanted(node.shape in (keeps, drops), RejectCode.SHAPE, "axes stay or go", f"{node.shape}")
    if kind == "REDUCE_ALL":
        node.wanted(x.dtype == "bool", RejectCode.DTYPE, "truth values", f"is {x.dtype}")
    if kind == "MEAN":
        node.wanted(x.dtype == "float32" or x.quantization is not None, RejectCode.DTYPE, "means of real numbers")
    if kind in ("REDUCE_MAX", "REDUCE_MIN"):
        node.one_meaning_of_first()
    if kind == "REDUCE_PROD":
        node.wanted(not node.is_quantized, RejectCode.DTYPE, "products of plain numbers")
    flag = bool(node.attribute("keep_dims")) and node.shape == keeps
    node.wanted(flag or node.shape == drops, RejectCode.SHAPE, "axes stay or go", f"{node.shape}")
    node.write(kind, [x, node.builtins.ints(axes)], "ReducerOptions", keep_dims=flag)


def arg(kind: str, table: str) -> Direct:
    """A writer of ARG_MAX or ARG_MIN along one axis."""

    def write(node: DirectNode) -> None:
        x = node.x()
        plain = node.attribute("top_k") in (0, 1) and not node.attribute("out_max_value")
        node.wanted(plain and len(node.kernel.outputs) == 1, RejectCode.ATTRIBUTE, "one place along the axis")
        axis = normalized(node.attribute("axis"), x.rank)
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        node.wanted(x.rank > 0 and node.y_dtype == "int32", RejectCode.DTYPE, "places of int32", f"is {node.y_dtype}")
        place = node.builtins.constant(np.array(axis, np.int32))
        if node.shape == shape:
            node.place("int32", kind, [x, place], table, output_type=2)
            return
        found = node.builtins.place(kind, [x, place], shape, table, output_type=2)
        node.give(node.builtins.copied(found, node.y()))

    write.__doc__ = f"{kind}."
    return write


def top_k(node: DirectNode) -> None:
    """TOPK_V2 along the last dimension."""
    x, (count,) = node.x(), node.ints(1, "the number of elements")
    last = x.rank > 0 and normalized(node.attribute("axis"), x.rank) == x.rank - 1
    node.wanted(last and node.attribute("largest") == 1, RejectCode.ATTRIBUTE, "the largest along the last dimension")
    node.one_meaning_of_first()
    node.parts("TOPK_V2", [x, node.builtins.constant(np.array(count, np.int32))], "TopKV2Options")


def cumsum(node: DirectNode) -> None:
    """CUMSUM along a constant axis."""
    x, (axis,) = node.x(), node.ints(1, "the axis")
    flags: dict[str, Any] = {name: bool(node.attribute(name)) for name in ("exclusive", "reverse")}
    place = node.builtins.constant(np.array(normalized(axis, x.rank), np.int32))
    node.wanted(not node.is_quantized and x.rank > 0, RejectCode.DTYPE, "sums of plain numbers")
    node.write("CUMSUM", [x, place], "CumsumOptions", **flags)


def segments(kind: str, table: str) -> Direct:
    """A writer of a reduction of rows by the number of their segment."""

    def write(node: DirectNode) -> None:
        x, (count,) = node.x(), node.ints(2, "the number of segments")
        ids = node.source(1)
        known = ids.is_const or node.scope.purpose.is_tflite or node.kernel.type == "Custom"
        node.wanted(known, RejectCode.NOT_CONSTANT, "the segments are constant")
        node.wanted(len(ids.shape) == 1, RejectCode.RANK, "a segment for each row")
        if ids.is_const:
            sound = ids.data.size > 0 and int(ids.data.min()) >= 0 and int(ids.data.max()) < count
            node.wanted(sound, RejectCode.ATTRIBUTE, "each row has a segment")
        rows = node.builtins.cast(node.x(1), "int32")
        operands = [x, rows, node.builtins.constant(np.array(count, np.int32))]
        node.write(kind, operands, table)

    write.__doc__ = f"{kind}."
    return write


WRITERS: dict[str, Direct] = {
    "ReduceFusion": reduce,
    "ArgMaxFusion": arg("ARG_MAX", "ArgMaxOptions"),
    "ArgMinFusion": arg("ARG_MIN", "ArgMinOptions"),
    "TopKFusion": top_k,
    "CumSum": cumsum,
    "UnsortedSegmentSum": segments("UNSORTED_SEGMENT_SUM", "UnsortedSegmentSumOptions"),
    "tflite.UNSORTED_SEGMENT_MAX": segments("UNSORTED_SEGMENT_MAX", "UnsortedSegmentMaxOptions"),
    "tflite.UNSORTED_SEGMENT_MIN": segments("UNSORTED_SEGMENT_MIN", "UnsortedSegmentMinOptions"),
    "tflite.UNSORTED_SEGMENT_PROD": segments("UNSORTED_SEGMENT_PROD", "UnsortedSegmentProdOptions"),
}
"""Writers of this file by our names of operators."""
