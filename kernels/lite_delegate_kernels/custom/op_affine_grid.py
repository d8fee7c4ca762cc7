"""AffineGrid: the places that an affine map takes the elements of an image or volume to, for GridSample."""

from __future__ import annotations

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from .._movement import unknown_shape, vector_length
from ._shared import check_rank, known_integers


def affine_grid(theta: Array, size: Array, *, align_corners: int = 0) -> Array:
    """The places (N, ..., axes) of the elements of an image of ``size`` (N, C, ...), from -1 to 1.

    Args:
        theta: (N, axes, axes + 1): a matrix and a shift for each image; the last spatial axis comes first.
        size: of the image.
        align_corners: whether -1 and 1 are the middles of the outermost elements; otherwise their outer edges.
    """
    sizes = [int(n) for n in size[2:]]
    _check(theta.shape, len(size))
    lines = [_line(n, align_corners) for n in sizes]
    mesh = np.meshgrid(*lines, indexing="ij")
    places = np.stack([*reversed(mesh), np.ones(sizes)], axis=-1)
    found = places.reshape(1, -1, len(sizes) + 1) @ theta.astype(np.float64).swapaxes(1, 2)
    return found.reshape(theta.shape[0], *sizes, len(sizes)).astype(theta.dtype)


def infer_affine_grid(theta: ArraySpec, size: ArraySpec) -> ArraySpec:
    """(N, ..., axes), as far as ``size`` is known; raises KernelInputError for shapes that do not fit."""
    check_dtype(theta, FLOATS)
    check_rank(theta, 3, 3, "theta")
    sizes = known_integers(size)
    if sizes is None:
        wide = unknown_shape(vector_length(size))
        return ArraySpec(theta.dtype, None if wide is None else (*wide[1:], len(wide) - 2))
    if theta.shape is not None and UNKNOWN not in theta.shape:
        _check(theta.shape, len(sizes))
    return ArraySpec(theta.dtype, (sizes[0], *sizes[2:], len(sizes) - 2))


def _line(count: int, align_corners: int) -> Array:
    if align_corners:
        return np.linspace(-1, 1, count)
    return (2 * np.arange(count) + 1) / max(count, 1) - 1


def _check(theta: tuple[int, ...], rank: int) -> None:
    if rank not in (4, 5) or theta[1:] != (rank - 2, rank - 1):
        raise KernelInputError(f"theta of shape {theta} does not fit a size of {rank} numbers")


KERNEL = ReferenceKernel("ai.onnx.AffineGrid", affine_grid, infer_affine_grid, FLOATS)
