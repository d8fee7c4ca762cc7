"""Reductions, selections of the largest, sums along an axis."""

from __future__ import annotations

import numpy as np

from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion


def reduce(mode: str) -> Converter:
    """A converter to ReduceFusion."""

    def convert(c: OperatorConversion) -> None:
        _check_axes(c)
        c.node("ReduceFusion", [c.x(), c.x(1)], c.y(), mode=mode, keep_dims=_keeps(c))

    convert.__doc__ = f"ReduceFusion of mode {mode}; at least one axis."
    return convert


def reduce_any(c: OperatorConversion) -> None:
    """LogicalNot, ReduceFusion and LogicalNot; at least one axis."""
    _check_axes(c)
    negated, none = c.between(c.x(), "negated"), c.between(c.y(), "none")
    c.node("LogicalNot", [c.x()], negated)
    c.node("ReduceFusion", [negated, c.x(1)], none, mode="ReduceAll", keep_dims=_keeps(c))
    c.node("LogicalNot", [none], c.y())


def _keeps(c: OperatorConversion) -> bool:
    return bool(c.option("ReducerOptions")["keep_dims"])


def _check_axes(c: OperatorConversion) -> None:
    """No axes mean none in TensorFlow Lite, and all in ours."""
    axes = c.x(1)
    empty = axes.data is not None and axes.data.size == 0
    c.reject_unless(not empty, Why.ATTRIBUTE, "no axes to reduce, which means all of them in ReduceFusion")


def arg(op_type: str, table: str) -> Converter:
    """A converter to ArgMaxFusion or ArgMinFusion along a constant axis; indices are cast where they are int64."""

    def convert(c: OperatorConversion) -> None:
        c.option(table)
        made = c.result(c.y(), DataType.INT32)
        c.node(op_type, [c.x()], made, axis=c.integer(1, "the axis"), top_k=1, keep_dims=False)
        c.finish(made, c.y())

    convert.__doc__ = f"{op_type} along a constant axis; Cast where the output is int64."
    return convert


def top_k(c: OperatorConversion) -> None:
    """TopKFusion along the last dimension."""
    indices = c.result(c.y(1), DataType.INT32)
    k = c.x(1)
    if k.dtype != DataType.INT32:
        wide, k = k, c.between(k, "int32", DataType.INT32)
        c.cast(wide, k)
    c.node("TopKFusion", [c.x(), k], [c.y(0), indices], axis=-1, sorted=True, largest=1)
    c.finish(indices, c.y(1))


def cumsum(c: OperatorConversion) -> None:
    """CumSum."""
    options = c.option("CumsumOptions")
    c.node("CumSum", [c.x(), c.x(1)], c.y(), exclusive=options["exclusive"], reverse=options["reverse"])


def segment_sum(c: OperatorConversion) -> None:
    """UnsortedSegmentSum; the ids must be constant."""
    ids = c.contents(1, "segment ids")
    c.reject_unless(ids.size > 0 and ids.dtype.kind in "iu", Why.SHAPE, f"segment ids must be there, found {ids.size}")
    count = int(ids.max()) + 1
    c.node("UnsortedSegmentSum", [c.x(), c.x(1), c.constant("count", np.array(max(count, 0), np.int64))], c.y())


def unsorted_segment_sum(c: OperatorConversion) -> None:
    """UnsortedSegmentSum."""
    c.node("UnsortedSegmentSum", [c.x(), c.x(1), c.x(2)], c.y())


CONVERTERS: dict[str, Converter] = {
    "MEAN": reduce("ReduceMean"),
    "SUM": reduce("ReduceSum"),
    "REDUCE_PROD": reduce("ReduceProd"),
    "REDUCE_MAX": reduce("ReduceMax"),
    "REDUCE_MIN": reduce("ReduceMin"),
    "REDUCE_ALL": reduce("ReduceAll"),
    "REDUCE_ANY": reduce_any,
    "ARG_MAX": arg("ArgMaxFusion", "ArgMaxOptions"),
    "ARG_MIN": arg("ArgMinFusion", "ArgMinOptions"),
    "TOPK_V2": top_k,
    "CUMSUM": cumsum,
    "SEGMENT_SUM": segment_sum,
    "UNSORTED_SEGMENT_SUM": unsorted_segment_sum,
}
"""Converters of this file by the schema's names."""
