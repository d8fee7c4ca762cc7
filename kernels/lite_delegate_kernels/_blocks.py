"""Blocks of neighboring positions moved between space and channels, or between space and batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape
from ._movement import constant_ints, int_list

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The size of a block along each of the M axes after the batch, and two border widths for each."""

    sizes: tuple[int, ...]
    borders: tuple[Pair, ...]


def check_image(x: ArraySpec, block_size: int) -> None:
    """Raises KernelInputError unless ``x`` is (N, H, W, C), as far as is known, and ``block_size`` at least 2."""
    if block_size < 2:
        raise KernelInputError(f"block_size must be at least 2, got {block_size}")
    if x.rank not in (None, 4):
        raise KernelInputError(f"input must be (N, H, W, C), got shape {x.shape}")


def divide(dim: int, by: int, what: str) -> int:
    """``dim / by``, ``UNKNOWN`` for an unknown one; raises KernelInputError when it does not come out whole."""
    if dim == UNKNOWN:
        return UNKNOWN
    if dim % by:
        raise KernelInputError(f"{what} of {dim} cannot be divided by {by}")
    return dim // by


def times(dim: int, by: int) -> int:
    """``dim * by``, ``UNKNOWN`` for an unknown one."""
    return UNKNOWN if dim == UNKNOWN else dim * by


def blocks_of(
    block: Array | None, borders: Array | None, sizes: Sequence[int] | None, pairs: Sequence[Sequence[int]] | None
) -> Blocks:
    """The blocks, from the two inputs, or from the two attributes where there are none.

    Args:
        block: M integers >= 1.
        borders: 2 * M integers >= 0, before and after for each axis.
        sizes: what ``block`` would hold.
        pairs: what ``borders`` would hold; None or empty means all 0.

    Raises:
        KernelInputError: other numbers of values, or values that are too small.
    """
    if block is None or borders is None:
        flat = [b for pair in pairs or () for b in pair]
        return _checked(list(sizes or ()), flat or [0] * (2 * len(sizes or ())))
    return _checked(int_list(block, "block"), int_list(borders, "borders"))


def infer_blocks(
    block: ArraySpec | None,
    borders: ArraySpec | None,
    sizes: Sequence[int] | None,
    pairs: Sequence[Sequence[int]] | None,
) -> Blocks | None:
    """``blocks_of``, None where an input is not constant.

    Raises:
        KernelInputError: as ``blocks_of``, or one of the inputs without the other.
    """
    if (block is None) != (borders is None):
        raise KernelInputError("the block input and the border input must be given together")
    if block is None or borders is None:
        return blocks_of(None, None, sizes, pairs)
    if constant_ints(block, "block") is None or constant_ints(borders, "borders") is None:
        return None
    return blocks_of(block.value, borders.value, None, None)


def _checked(sizes: list[int], flat: list[int]) -> Blocks:
    if not sizes or min(sizes) < 1:
        raise KernelInputError(f"block must hold at least one size, each at least 1, got {sizes}")
    if len(flat) != 2 * len(sizes) or min(flat) < 0:
        raise KernelInputError(f"borders must be {2 * len(sizes)} values >= 0 for block {sizes}, got {flat}")
    return Blocks(tuple(sizes), tuple(zip(flat[::2], flat[1::2], strict=True)))


def to_batch(x: Array, blocks: Blocks) -> Array:
    """``x`` (N, S_1, ..., S_M, ...) padded with zeros, its blocks' positions moved to the batch.

    Returns:
        (N * prod(sizes), S_1' / size_1, ..., S_M' / size_M, ...); the batch is position-major.

    Raises:
        KernelInputError: as ``infer_to_batch``; the blocks may be data, which nothing was compared with before.
    """
    infer_to_batch(ArraySpec(x.dtype, x.shape), blocks)
    count = len(blocks.sizes)
    rest = x.shape[1 + count :]
    padded = np.pad(x, [(0, 0), *blocks.borders, *((0, 0) for _ in rest)]) if any(map(any, blocks.borders)) else x
    cells = [d // b for d, b in zip(padded.shape[1 : 1 + count], blocks.sizes, strict=True)]
    split = [n for pair in zip(cells, blocks.sizes, strict=True) for n in pair]
    inner = padded.reshape(x.shape[0], *split, *rest)
    moved = np.moveaxis(inner, range(2, 2 + 2 * count, 2), range(count))
    return moved.reshape(x.shape[0] * prod(blocks.sizes), *cells, *rest)


def from_batch(x: Array, blocks: Blocks) -> Array:
    """The inverse of ``to_batch``: blocks put together from the batch, then the borders cut off.

    Raises:
        KernelInputError: as ``infer_from_batch``.
    """
    infer_from_batch(ArraySpec(x.dtype, x.shape), blocks)
    count = len(blocks.sizes)
    batch = x.shape[0] // prod(blocks.sizes)
    cells, rest = x.shape[1 : 1 + count], x.shape[1 + count :]
    inner = x.reshape(*blocks.sizes, batch, *cells, *rest)
    moved = np.moveaxis(inner, range(count), range(2, 2 + 2 * count, 2))
    whole = moved.reshape(batch, *(c * b for c, b in zip(cells, blocks.sizes, strict=True)), *rest)
    kept = (slice(a, d - b) for d, (a, b) in zip(whole.shape[1 : 1 + count], blocks.borders, strict=True))
    return whole[(slice(None), *kept)]


def infer_to_batch(x: ArraySpec, blocks: Blocks | None) -> ArraySpec:
    """The spec of ``to_batch``; raises KernelInputError where a padded axis is not a whole number of blocks."""
    if x.shape is None or blocks is None:
        return ArraySpec(x.dtype, _like_rank(x.shape))
    count = _axis_count(x.shape, blocks)
    space = (
        UNKNOWN if d == UNKNOWN else divide(d + sum(pair), b, "a padded axis")
        for d, b, pair in zip(x.shape[1 : 1 + count], blocks.sizes, blocks.borders, strict=True)
    )
    return ArraySpec(x.dtype, (times(x.shape[0], prod(blocks.sizes)), *space, *x.shape[1 + count :]))


def infer_from_batch(x: ArraySpec, blocks: Blocks | None) -> ArraySpec:
    """The spec of ``from_batch``.

    Raises:
        KernelInputError: the batch is not a whole number of blocks, or the borders are wider than an axis.
    """
    if x.shape is None or blocks is None:
        return ArraySpec(x.dtype, _like_rank(x.shape))
    count = _axis_count(x.shape, blocks)
    batch = divide(x.shape[0], prod(blocks.sizes), "a batch")
    triples = zip(x.shape[1 : 1 + count], blocks.sizes, blocks.borders, strict=True)
    return ArraySpec(x.dtype, (batch, *(_cropped(*t) for t in triples), *x.shape[1 + count :]))


def _cropped(dim: int, size: int, border: Pair) -> int:
    if dim == UNKNOWN:
        return UNKNOWN
    left = dim * size - sum(border)
    if left < 0:
        raise KernelInputError(f"borders {border} are wider than an axis of {dim * size}")
    return left


def _axis_count(shape: Shape, blocks: Blocks) -> int:
    count = len(blocks.sizes)
    if len(shape) < 1 + count:
        raise KernelInputError(f"a block of {count} axes needs an input of rank {1 + count} or more, got shape {shape}")
    return count


def _like_rank(shape: Shape | None) -> Shape | None:
    return None if shape is None else (UNKNOWN,) * len(shape)
