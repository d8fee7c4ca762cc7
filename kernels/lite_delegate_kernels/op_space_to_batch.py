"""SpaceToBatch: blocks of rows and columns moved to the batch."""

from __future__ import annotations

from collections.abc import Sequence

from ._blocks import blocks_of, infer_blocks, infer_to_batch, to_batch
from ._dtypes import ALL_DTYPES
from ._kernel import Array, ArraySpec, ReferenceKernel


def space_to_batch(
    x: Array,
    block: Array | None = None,
    pads: Array | None = None,
    *,
    block_size: Sequence[int] | None = None,
    paddings: Sequence[Sequence[int]] | None = None,
) -> Array:
    """``x``, padded with zeros, with the positions of every block as batches of their own.

    Output batch ``p * N + n`` holds position p (row-major) of every block of batch n.

    Args:
        x: (N, S_1, ..., S_M, ...), any dtype; (N, H, W, C) for a block of rows and columns.
        block: M integers >= 1, the block along each axis; read with ``pads`` instead of the attributes.
        pads: 2 * M integers >= 0, zeros before and after each axis.
        block_size: the block where there is one input.
        paddings: M pairs, zeros before and after each axis, where there is one input; None is 0.

    Returns:
        (N * prod(block), S_1' / block_1, ..., S_M' / block_M, ...) with S' the padded sizes.

    NOTE: MindSpore Lite takes (N, H, W, C) and two axes only; any number of axes is what TensorFlow defines.
    """
    return to_batch(x, blocks_of(block, pads, block_size, paddings))


def infer_space_to_batch(
    x: ArraySpec,
    block: ArraySpec | None = None,
    pads: ArraySpec | None = None,
    *,
    block_size: Sequence[int] | None,
    paddings: Sequence[Sequence[int]] | None,
) -> ArraySpec:
    """The spec of ``space_to_batch``, the rank alone where an input is not constant."""
    return infer_to_batch(x, infer_blocks(block, pads, block_size, paddings))


KERNEL = ReferenceKernel("SpaceToBatch", space_to_batch, infer_space_to_batch, ALL_DTYPES)
