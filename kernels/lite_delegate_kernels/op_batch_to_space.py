"""BatchToSpace: blocks of rows and columns put together from the batch."""

from __future__ import annotations

from collections.abc import Sequence

from ._blocks import blocks_of, from_batch, infer_blocks, infer_from_batch
from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel


def batch_to_space(
    x: Array,
    block: Array | None = None,
    cuts: Array | None = None,
    *,
    block_size: Sequence[int] | None = None,
    crops: Sequence[Sequence[int]] | None = None,
) -> Array:
    """``x`` with its batches put together as blocks, the inverse of the space-to-batch operator.

    Input batch ``p * N + n`` is position p (row-major) of every block of output batch n.

    Args:
        x: (batch, S_1, ..., S_M, ...), any dtype; (batch, H, W, C) for a block of rows and columns.
        block: M integers >= 1, the block along each axis; read with ``cuts`` instead of the attributes.
        cuts: 2 * M integers >= 0, what is cut off before and after each axis.
        block_size: the block where there is one input.
        crops: M pairs, what is cut off before and after each axis, where there is one input; None is 0.

    Returns:
        (N, S_1 * block_1 - crops, ..., S_M * block_M - crops, ...) with N the batch of ``x`` over prod(block).

    NOTE: MindSpore Lite takes (N, H, W, C) and two axes only; any number of axes is what TensorFlow defines.
    """
    return from_batch(x, blocks_of(block, cuts, block_size, crops))


def infer_batch_to_space(
    x: ArraySpec,
    block: ArraySpec | None = None,
    cuts: ArraySpec | None = None,
    *,
    block_size: Sequence[int] | None,
    crops: Sequence[Sequence[int]] | None,
) -> ArraySpec:
    """The spec of ``batch_to_space``, the rank alone where an input is not constant."""
    return infer_from_batch(x, infer_blocks(block, cuts, block_size, crops))


KERNEL = ReferenceKernel("BatchToSpace", batch_to_space, infer_batch_to_space, ALL_DTYPES)
