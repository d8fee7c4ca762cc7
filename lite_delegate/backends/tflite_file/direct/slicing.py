"""Operators that cut, pad, and reorder blocks."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....ir.primitives import Split, StridedSlice
from ....semantics.borders import border_value
from ....semantics.operands import normalized, operand, primitive_of
from ....semantics.slicing import Grid, slice_cut, split_cuts, strided_cut, unstack_cuts
from ..node import DirectNode
from ..table import Direct

_END = 2**31 - 1
_MOST = 5
"""Dimensions that LiteRT's kernels cut and pad."""


def split(node: DirectNode) -> None:
    """SPLIT into equal parts, SPLIT_V into others."""
    x, primitive = node.x(), primitive_of(node.kernel, Split)
    given = node.ints(1, "sizes") if node.has(1) else None
    cuts = split_cuts(x.shape, primitive, given, len(node.kernel.outputs))
    axis = normalized(primitive.axis, x.rank)
    sizes = [cut.shape[axis] for cut in cuts]
    place = node.builtins.constant(np.array(axis, np.int32))
    if len({*sizes}) == 1 and not given and not primitive.size_splits:
        node.parts("SPLIT", [place, x], "SplitOptions", num_splits=len(sizes))
    else:
        node.parts("SPLIT_V", [x, node.builtins.ints(sizes), place], "SplitVOptions", num_splits=len(sizes))


def unstack(node: DirectNode) -> None:
    """UNPACK."""
    x = node.x()
    count = len(unstack_cuts(x.shape, node.attribute("axis"), len(node.kernel.outputs)))
    axis = normalized(node.attribute("axis"), x.rank)
    node.parts("UNPACK", [x], "UnpackOptions", num=count, axis=axis)


def slice_fusion(node: DirectNode) -> None:
    """SLICE at constant places."""
    x = node.x()
    cut = slice_cut(x.shape, node.ints(1, "begin"), node.ints(2, "size"), node.attribute("axes"))
    node.wanted(0 < x.rank <= _MOST, RejectCode.RANK, "1 to 5 dimensions", f"has {x.rank}")
    operands = [x, node.builtins.ints(cut.positions.starts), node.builtins.ints(cut.positions.counts)]
    node.move("SLICE", operands, "SliceOptions")


def strided_slice(node: DirectNode) -> None:
    """STRIDED_SLICE at constant places, which drops the dimensions that the kernel drops."""
    x = node.x()
    begin, end, third = (node.ints(place, "begin, end and strides") for place in (1, 2, 3))
    fourth = node.ints(4, "strides") if node.has(4) else None
    strides, axes = (third, None) if fourth is None else (fourth, third)
    primitive = primitive_of(node.kernel, StridedSlice)
    cut = strided_cut(x.shape, primitive, begin, end, strides, axes)
    node.wanted(0 < x.rank <= _MOST, RejectCode.RANK, "1 to 5 dimensions", f"has {x.rank}")
    node.wanted(cut.shape == cut.positions.counts, RejectCode.ATTRIBUTE, "dimensions stay")
    starts, ends, mask = _range(cut.positions, x.shape)
    operands = [x, *(node.builtins.ints(each) for each in (starts, ends, cut.positions.strides))]
    node.move("STRIDED_SLICE", operands, "StridedSliceOptions", end_mask=mask)


def _range(grid: Grid, shape: tuple[int, ...]) -> tuple[list[int], list[int], int]:
    """Begin and end of a grid, and the mask of axes that are taken to their beginning, backwards."""
    ends, mask = [], 0
    for axis, (start, count, stride) in enumerate(zip(grid.starts, grid.counts, grid.strides, strict=True)):
        end = start + count * stride
        if stride < 0 and end < 0:
            mask |= 1 << axis
            end = 0
        ends.append(min(end, shape[axis]) if stride > 0 else end)
    return list(grid.starts), ends, mask


def reverse(node: DirectNode) -> None:
    """REVERSE_V2 along axes side by side."""
    x = node.x()
    axes = sorted(normalized(axis, x.rank) for axis in node.attribute("axis") or ())
    together = bool(axes) and axes == list(range(axes[0], axes[0] + len(axes)))
    node.wanted(together, RejectCode.ATTRIBUTE, "axes side by side", f"{axes}")
    node.move("REVERSE_V2", [x, node.builtins.ints(axes)], "ReverseV2Options")


def reverse_sequence(node: DirectNode) -> None:
    """REVERSE_SEQUENCE."""
    x = node.x()
    options = {name: normalized(node.attribute(name), x.rank) for name in ("seq_dim", "batch_dim")}
    lengths = node.builtins.cast(node.x(1), "int32")
    node.move("REVERSE_SEQUENCE", [x, lengths], "ReverseSequenceOptions", **options)


def pad(node: DirectNode) -> None:
    """PAD with zeros, PADV2 with another number, MIRROR_PAD."""
    x, given, mode = node.x(), node.ints(1, "paddings"), node.attribute("padding_mode").name
    fits = len(given) == 2 * x.rank and min(given, default=0) >= 0 and 0 < x.rank <= _MOST
    node.wanted(fits, RejectCode.ATTRIBUTE, "two paddings of 0 and more for each of 1 to 5 axes", f"{given}")
    pairs = node.builtins.constant(np.array(given, np.int32).reshape(x.rank, 2))
    if mode != "CONSTANT":
        most = [dim - (mode == "REFLECT") for dim in x.shape for _ in (0, 1)]
        fits = all(width <= size for width, size in zip(given, most, strict=True))
        node.wanted(fits, RejectCode.ATTRIBUTE, "a border not wider than there is to mirror")
        node.move("MIRROR_PAD", [x, pairs], "MirrorPadOptions", mode=int(mode == "SYMMETRIC"))
        return
    value = operand(node.kernel, 2)
    node.wanted(value is None or value.is_const, RejectCode.NOT_CONSTANT, "the border's value is constant")
    if value is not None and x.quantization is not None:
        alike = value.dtype == node.source().dtype and value.quant_params == node.source().quant_params
        node.wanted(alike, RejectCode.DTYPE, "the border's value has the input's meaning")
    number = border_value(node.kernel)
    node.wanted(x.quantization is None or value is not None or number == 0, RejectCode.DTYPE, "a border of integers")
    if (value is None and number == 0) or (x.quantization is None and number == 0):
        node.move("PAD", [x, pairs], "PadOptions")
        return
    filling = node.builtins.constant(np.array(number).astype(x.dtype), x.quantization)
    node.move("PADV2", [x, pairs, filling], "PadV2Options")


def space_to_batch(node: DirectNode) -> None:
    """SPACE_TO_BATCH_ND."""
    _move_blocks(node, "SPACE_TO_BATCH_ND", "paddings")


def batch_to_space(node: DirectNode) -> None:
    """BATCH_TO_SPACE_ND."""
    _move_blocks(node, "BATCH_TO_SPACE_ND", "crops")


def _move_blocks(node: DirectNode, kind: str, borders: str) -> None:
    x = node.x()
    block, pairs = _blocks(node, borders)
    node.wanted(x.rank in (3, 4) and len(block) == x.rank - 2, RejectCode.RANK, "images, or rows of them")
    operands = [x, node.builtins.ints(block), node.builtins.constant(np.array(pairs, np.int32).reshape(-1, 2))]
    node.move(kind, operands)


def _blocks(node: DirectNode, borders: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes of blocks, and what is added or cut around them: operands or attributes."""
    if node.has(1) and node.has(2):
        return node.ints(1, "block sizes"), node.ints(2, borders)
    name = "block_shape" if hasattr(node.kernel.primitive, "block_shape") else "block_size"
    pairs = node.attribute(borders) or ()
    block = tuple(node.attribute(name) or ())
    return block, tuple(each for pair in pairs for each in pair) or (0,) * (2 * len(block))


def depth_to_space(node: DirectNode) -> None:
    """DEPTH_TO_SPACE of blocks that lie in front."""
    mode = node.attribute("mode") or "DCR"
    node.wanted(node.x().rank == 4 and mode == "DCR", RejectCode.ATTRIBUTE, "blocks before depth", f"is {mode}")
    node.move("DEPTH_TO_SPACE", [node.x()], "DepthToSpaceOptions", block_size=node.attribute("block_size"))


def space_to_depth(node: DirectNode) -> None:
    """SPACE_TO_DEPTH."""
    node.wanted(node.x().rank == 4, RejectCode.RANK, "images of 4 dimensions", f"has {node.x().rank}")
    node.move("SPACE_TO_DEPTH", [node.x()], "SpaceToDepthOptions", block_size=node.attribute("block_size"))


WRITERS: dict[str, Direct] = {
    "Split": split,
    "Unstack": unstack,
    "SliceFusion": slice_fusion,
    "StridedSlice": strided_slice,
    "ReverseV2": reverse,
    "ReverseSequence": reverse_sequence,
    "PadFusion": pad,
    "SpaceToBatchND": space_to_batch,
    "SpaceToBatch": space_to_batch,
    "BatchToSpaceND": batch_to_space,
    "BatchToSpace": batch_to_space,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
}
"""Writers of this file by our names of operators."""
