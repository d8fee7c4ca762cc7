"""Indices that come as data: whether they are in range, and which rows of an array they address."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import INTS, check_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape


def out_of_range(indices: Array, dim: int, *, negative: bool = True) -> Array:
    """The indices that a dimension of ``dim`` does not have; with ``negative``, negative indices count from the end."""
    lowest = -dim if negative else 0
    wrong: Array = indices[(indices < lowest) | (indices >= dim)]
    return wrong


def index_error(indices: Array, dim: int, *, negative: bool = True) -> str:
    """The message about the first index that is out of range."""
    wrong = out_of_range(indices, dim, negative=negative).ravel()
    lowest = -dim if negative else 0
    return f"index {wrong[0]} is out of range for a dimension of {dim}, expected {lowest}..{dim - 1}"


def wrap_indices(indices: Array, dim: int, *, negative: bool = True) -> Array:
    """``indices`` counted from the start.

    Raises:
        KernelInputError: one is out of range.
    """
    if out_of_range(indices, dim, negative=negative).size:
        raise KernelInputError(index_error(indices, dim, negative=negative))
    wide = indices.astype(np.intp, copy=False)
    return np.where(wide < 0, wide + dim, wide) if negative else wide


def check_indices(indices: ArraySpec, dim: int, *, negative: bool = True) -> None:
    """Checks what is known of indices before the model runs: raises KernelInputError unless integers, and in range."""
    check_dtype(indices, INTS, "indices")
    if indices.value is not None and dim != UNKNOWN:
        wrap_indices(indices.value, dim, negative=negative)


def row_numbers(coordinates: Array, dims: Shape, *, negative: bool = True) -> Array:
    """The row numbers that coordinates address in an array whose dimensions ``dims`` are laid out as one.

    Args:
        coordinates: integers (..., K).
        dims: the K dimensions that they address.
        negative: whether negative values count from the end.

    Returns:
        (...), in row-major order.

    Raises:
        KernelInputError: a coordinate is out of range.
    """
    rows = np.zeros(coordinates.shape[:-1], dtype=np.intp)
    for i, dim in enumerate(dims):
        rows = rows * dim + wrap_indices(coordinates[..., i], dim, negative=negative)
    return rows


def coordinate_length(coordinates: ArraySpec, shape: Shape | None) -> int:
    """Number of leading dimensions of ``shape`` the coordinates (..., K) address: K, or ``UNKNOWN``.

    Raises:
        KernelInputError: not integers, rank 0, more values than dimensions, or a constant that is out of range.
    """
    check_dtype(coordinates, INTS, "indices")
    if coordinates.shape is None:
        return UNKNOWN
    if not coordinates.shape:
        raise KernelInputError("indices must have at least one dimension, got a scalar")
    length = coordinates.shape[-1]
    if shape is None or length == UNKNOWN:
        return length
    if length > len(shape):
        raise KernelInputError(f"coordinates of {length} values are too long for shape {shape}")
    for i, dim in enumerate(shape[:length]):
        if coordinates.value is not None and dim != UNKNOWN:
            wrap_indices(coordinates.value[..., i], dim)
    return length


def as_rows(x: Array, leading: int) -> Array:
    """``x`` as (rows, row length), the first ``leading`` dimensions laid out as rows."""
    return x.reshape(math.prod(x.shape[:leading]), math.prod(x.shape[leading:]))


def add_rows(out: Array, rows: Array, updates: Array) -> None:
    """Adds ``updates``, M rows of L elements in any shape, to the rows ``rows`` (M,) of ``out`` (N, L), in order.

    A row may be named repeatedly. ``out`` is contiguous. Integers wrap around, bools are or-ed.
    """
    length = out.shape[1]
    places = rows[:, None] * length + np.arange(length)
    np.add.at(out.reshape(-1), places.ravel(), updates.ravel())


def within(shape: Shape, index_shape: Shape, axis: int) -> tuple[slice, ...]:
    """The part of an array of ``shape`` that elementwise indices along ``axis`` reach.

    Raises:
        KernelInputError: the indices have another rank, or are longer on another axis.
    """
    if len(index_shape) != len(shape):
        raise KernelInputError(f"indices must have rank {len(shape)}, got shape {index_shape}")
    for i, (dim, length) in enumerate(zip(shape, index_shape, strict=True)):
        if i != axis and UNKNOWN not in (dim, length) and length > dim:
            raise KernelInputError(f"indices of shape {index_shape} leave an input of shape {shape} on axis {i}")
    return tuple(slice(None if i == axis else length) for i, length in enumerate(index_shape))
