"""Operators that move elements: shapes, joins, parts, orders."""

from __future__ import annotations

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..tensors.layout import enum_names
from .activation import followed_node


def reshape(c: OperatorConversion) -> None:
    """Reshape; no dimension of 0 in the new shape."""
    shape = c.optional(1)
    if shape is None:
        given = c.option("ReshapeOptions")["new_shape"]
        if given is None:
            raise FormatProblem("expected a new shape among inputs or options", "new_shape")
        shape = c.constant("shape", given.astype(np.int32))
    zero = shape.data is not None and not np.all(shape.data)
    c.reject_unless(not zero, Why.ATTRIBUTE, "a new shape with a dimension of 0, which copies one in Reshape")
    c.node("Reshape", [c.x(), shape], c.y())


def squeeze(c: OperatorConversion) -> None:
    """Squeeze."""
    dims = c.option("SqueezeOptions")["squeeze_dims"]
    c.node("Squeeze", [c.x()], c.y(), axis=() if dims is None else dims.tolist())


def expand_dims(c: OperatorConversion) -> None:
    """ExpandDims."""
    c.node("ExpandDims", [c.x(), c.x(1)], c.y())


def shape(c: OperatorConversion) -> None:
    """Shape; Cast where the output is int64."""
    made = c.result(c.y(), DataType.INT32)
    c.node("Shape", [c.x()], made)
    c.finish(made, c.y())


def rank(c: OperatorConversion) -> None:
    """Rank."""
    c.node("Rank", [c.x()], c.y())


def transpose(c: OperatorConversion) -> None:
    """Transpose."""
    c.node("Transpose", [c.x(), c.x(1)], c.y())


def concatenation(c: OperatorConversion) -> None:
    """Concat, with the fused activation behind it."""
    options = c.option("ConcatenationOptions")
    followed_node(c, "Concat", c.given(), c.y(), options["fused_activation_function"], axis=options["axis"])


def split(c: OperatorConversion) -> None:
    """Split into equal parts along a constant axis."""
    outputs = c.operator.outputs
    c.node("Split", [c.x(1)], outputs, output_num=len(outputs), axis=c.integer(0, "the axis"))


def split_v(c: OperatorConversion) -> None:
    """Split into parts of constant sizes, of which one may be open, along a constant axis."""
    sizes = c.integers(1, "sizes")
    if -1 in sizes[:-1]:
        axis = c.integer(2, "the axis")
        dim = c.dim(c.x(), axis)
        known = sizes.count(-1) == 1 and dim >= 0
        c.reject_unless(known, Why.SHAPE, f"sizes {sizes} of a dimension that is not known")
        sizes = [dim - (sum(sizes) + 1) if s == -1 else s for s in sizes]
    outputs = c.operator.outputs
    c.node("Split", [c.x()], outputs, output_num=len(outputs), size_splits=sizes, axis=c.integer(2, "the axis"))


def pack(c: OperatorConversion) -> None:
    """Stack."""
    c.node("Stack", c.given(), c.y(), axis=c.option("PackOptions")["axis"])


def unpack(c: OperatorConversion) -> None:
    """Unstack."""
    c.node("Unstack", [c.x()], c.operator.outputs, axis=c.option("UnpackOptions")["axis"])


def tile(c: OperatorConversion) -> None:
    """TileFusion."""
    c.node("TileFusion", [c.x(), c.x(1)], c.y())


def broadcast_to(c: OperatorConversion) -> None:
    """BroadcastTo."""
    c.node("BroadcastTo", [c.x(), c.x(1)], c.y())


def reverse_v2(c: OperatorConversion) -> None:
    """ReverseV2 along constant axes."""
    c.node("ReverseV2", [c.x()], c.y(), axis=c.integers(1, "axes"))


def reverse_sequence(c: OperatorConversion) -> None:
    """ReverseSequence."""
    options = c.option("ReverseSequenceOptions")
    attributes = {"seq_dim": options["seq_dim"], "batch_dim": options["batch_dim"]}
    c.node("ReverseSequence", [c.x(), c.x(1)], c.y(), **attributes)


def pad(c: OperatorConversion) -> None:
    """PadFusion with zeros."""
    c.node("PadFusion", [c.x(), c.x(1)], c.y(), padding_mode="CONSTANT")


def pad_v2(c: OperatorConversion) -> None:
    """PadFusion with the value in input 2."""
    c.node("PadFusion", [c.x(), c.x(1), c.x(2)], c.y(), padding_mode="CONSTANT")


def mirror_pad(c: OperatorConversion) -> None:
    """PadFusion that mirrors, with the edge or without it."""
    number = c.option("MirrorPadOptions")["mode"]
    mode = enum_names("MirrorPadMode").get(number)
    if mode is None:
        raise FormatProblem(f"expected 0 or 1, found {number}", "mode")
    c.node("PadFusion", [c.x(), c.x(1)], c.y(), padding_mode=mode)


def space_to_batch_nd(c: OperatorConversion) -> None:
    """SpaceToBatchND."""
    c.node("SpaceToBatchND", [c.x(), c.x(1), c.x(2)], c.y())


def batch_to_space_nd(c: OperatorConversion) -> None:
    """BatchToSpaceND."""
    c.node("BatchToSpaceND", [c.x(), c.x(1), c.x(2)], c.y())


CONVERTERS: dict[str, Converter] = {
    "RESHAPE": reshape,
    "SQUEEZE": squeeze,
    "EXPAND_DIMS": expand_dims,
    "SHAPE": shape,
    "RANK": rank,
    "TRANSPOSE": transpose,
    "CONCATENATION": concatenation,
    "SPLIT": split,
    "SPLIT_V": split_v,
    "PACK": pack,
    "UNPACK": unpack,
    "TILE": tile,
    "BROADCAST_TO": broadcast_to,
    "REVERSE_V2": reverse_v2,
    "REVERSE_SEQUENCE": reverse_sequence,
    "PAD": pad,
    "PADV2": pad_v2,
    "MIRROR_PAD": mirror_pad,
    "SPACE_TO_BATCH_ND": space_to_batch_nd,
    "BATCH_TO_SPACE_ND": batch_to_space_nd,
}
"""Converters of this file by the schema's names."""
