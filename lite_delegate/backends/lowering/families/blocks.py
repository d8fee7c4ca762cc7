"""Blocks of positions that become channels or batches, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....delegate import Kernel, RejectCode
from ....ir.primitives import BatchToSpace, BatchToSpaceND, DepthToSpace, SpaceToBatch, SpaceToBatchND, SpaceToDepth
from ....semantics.operands import operand, primitive_of, required
from ....semantics.slicing import Grid
from ..lowering import Lowering, wanted
from ..term import Lowered
from .borders import padded
from .movement import known, sliced, transposed
from .reshaping import reshaped
from .windows import NCHW

IntPairs = list[tuple[int, int]]


def lower_depth_to_space(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Channels become blocks of positions."""
    primitive, x = primitive_of(kernel, DepthToSpace), lowering.value(required(kernel, 0))
    (n, h, w, c), b = x.shape, primitive.block_size
    if x.dtype.kind == "f":
        shape = (n, c // (b * b), h * b, w * b)
        mode = "CRD" if primitive.mode == "CRD" else "DCR"
        y = lowering.emit("DepthToSpace", [lowering.in_order(x, NCHW)], x.dtype, shape, blocksize=b, mode=mode)
        return Lowered((n, h * b, w * b, c // (b * b)), x.dtype, NCHW, y)
    crd = primitive.mode == "CRD"
    inner = (c // (b * b), b, b) if crd else (b, b, c // (b * b))
    split = reshaped(lowering, x, (n, h, w, *inner))
    moved = transposed(split, (0, 1, 4, 2, 5, 3) if crd else (0, 1, 3, 2, 4, 5))
    return reshaped(lowering, moved, (n, h * b, w * b, c // (b * b)))


def lower_space_to_depth(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Blocks of positions become channels."""
    x, b = lowering.value(required(kernel, 0)), primitive_of(kernel, SpaceToDepth).block_size
    n, h, w, c = x.shape
    if x.dtype.kind == "f":
        y = lowering.emit(
            "SpaceToDepth", [lowering.in_order(x, NCHW)], x.dtype, (n, c * b * b, h // b, w // b), blocksize=b
        )
        return Lowered((n, h // b, w // b, c * b * b), x.dtype, NCHW, y)
    moved = transposed(reshaped(lowering, x, (n, h // b, b, w // b, b, c)), (0, 1, 3, 2, 4, 5))
    return reshaped(lowering, moved, (n, h // b, w // b, c * b * b))


def lower_space_to_batch(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The positions of every block become batches of their own, after padding with zeros."""
    x = lowering.value(required(kernel, 0))
    if kernel.type == "SpaceToBatch":
        primitive = primitive_of(kernel, SpaceToBatch)
        sizes, borders = _blocks(kernel, primitive.block_size, primitive.paddings)
    else:
        other = primitive_of(kernel, SpaceToBatchND)
        sizes, borders = _blocks(kernel, other.block_shape, other.paddings)
    count = len(sizes)
    rest = x.shape[1 + count :]
    if any(map(any, borders)):
        x = padded(lowering, x, [(0, 0), *borders, *((0, 0) for _ in rest)])
    cells = [dim // size for dim, size in zip(x.shape[1 : 1 + count], sizes, strict=True)]
    split = [n for pair in zip(cells, sizes, strict=True) for n in pair]
    inner = reshaped(lowering, x, (x.shape[0], *split, *rest))
    blocks = range(2, 2 + 2 * count, 2)
    moved = transposed(inner, (*blocks, *(axis for axis in range(inner.rank) if axis not in blocks)))
    return reshaped(lowering, moved, (x.shape[0] * math.prod(sizes), *cells, *rest))


def lower_batch_to_space(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Batches become positions of blocks, of which borders are cut off."""
    x = lowering.value(required(kernel, 0))
    if kernel.type == "BatchToSpace":
        primitive = primitive_of(kernel, BatchToSpace)
        sizes, crops = _blocks(kernel, primitive.block_size, primitive.crops)
    else:
        other = primitive_of(kernel, BatchToSpaceND)
        sizes, crops = _blocks(kernel, other.block_shape, other.crops)
    count, batch = len(sizes), x.shape[0] // math.prod(sizes)
    cells, rest = x.shape[1 : 1 + count], x.shape[1 + count :]
    inner = reshaped(lowering, x, (*sizes, batch, *cells, *rest))
    pairs = [axis for place in range(count) for axis in (count + 1 + place, place)]
    moved = transposed(inner, (count, *pairs, *range(1 + 2 * count, inner.rank)))
    whole = reshaped(lowering, moved, (batch, *(cell * size for cell, size in zip(cells, sizes, strict=True)), *rest))
    starts = (0, *(before for before, _ in crops), *(0 for _ in rest))
    spatial = (dim - sum(pair) for dim, pair in zip(whole.shape[1 : 1 + count], crops, strict=True))
    return sliced(lowering, whole, Grid(starts, (batch, *spatial, *rest), (1,) * whole.rank))


def _blocks(
    kernel: Kernel, sizes: Sequence[int] | None, pairs: Sequence[Sequence[int]] | None
) -> tuple[tuple[int, ...], IntPairs]:
    """The size of blocks along each axis, and its borders: from the second and third input, or the attributes."""
    if operand(kernel, 1) is not None and operand(kernel, 2) is not None:
        block, flat = known(kernel, 1, "the blocks"), known(kernel, 2, "the borders")
    else:
        block = tuple(sizes or ())
        flat = tuple(value for pair in pairs or () for value in pair) or (0,) * (2 * len(block))
    fits = len(flat) == 2 * len(block) > 0
    wanted(fits, RejectCode.ATTRIBUTE, "two borders for each size of a block", f"are {flat} for {block}")
    return block, list(zip(flat[::2], flat[1::2], strict=True))


LOWERINGS = {
    "DepthToSpace": lower_depth_to_space,
    "SpaceToDepth": lower_space_to_depth,
    "SpaceToBatch": lower_space_to_batch,
    "SpaceToBatchND": lower_space_to_batch,
    "BatchToSpace": lower_batch_to_space,
    "BatchToSpaceND": lower_batch_to_space,
}
