"""Shared by operators that only move data: the small integer inputs that say where things go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape
from ._shapes import element_count, normalize_axis

MAX_RANK = 64
"""Dimensions that a numpy array can have."""


def int_list(values: Array, name: str, *, whole_floats: bool = False) -> list[int]:
    """The values of an index input (axes, a shape, sizes), flattened.

    Args:
        values: any shape, any integer dtype.
        name: what the input is called in the error.
        whole_floats: floats are taken too, as long as each is a whole number.

    Raises:
        KernelInputError: another dtype, or a float that is not a whole number.
    """
    _check_index_dtype(values.dtype, name, whole_floats)
    flat: list[Any] = values.ravel().tolist()
    if values.dtype.kind == "f" and not all(v.is_integer() for v in flat):
        raise KernelInputError(f"{name} must hold whole numbers, got {flat}")
    return [int(v) for v in flat]


def constant_ints(spec: ArraySpec, name: str, *, whole_floats: bool = False) -> list[int] | None:
    """``int_list`` of a constant, None where the value is not known before the model runs.

    Raises:
        KernelInputError: as ``int_list``; a wrong dtype is found even where the value is not known.
    """
    _check_index_dtype(spec.dtype, name, whole_floats)
    return None if spec.value is None else int_list(spec.value, name, whole_floats=whole_floats)


def _check_index_dtype(dtype: Any, name: str, whole_floats: bool) -> None:
    if dtype.kind not in ("iuf" if whole_floats else "iu"):
        kinds = "integers or whole floats" if whole_floats else "integers"
        raise KernelInputError(f"{name} must hold {kinds}, got dtype {dtype.name}")


def size_list(values: Array, name: str) -> Shape:
    """The values of an input that holds dimensions, flattened.

    Raises:
        KernelInputError: not integers, or a negative one.
    """
    return _checked_sizes(int_list(values, name), name)


def constant_sizes(spec: ArraySpec, name: str) -> Shape | None:
    """``size_list`` of a constant, None where the value is not known before the model runs.

    Raises:
        KernelInputError: as ``size_list``; a wrong dtype is found even where the value is not known.
    """
    values = constant_ints(spec, name)
    return None if values is None else _checked_sizes(values, name)


def _checked_sizes(sizes: Sequence[int], name: str) -> Shape:
    if min(sizes, default=0) < 0:
        raise KernelInputError(f"{name} must not be negative, got {list(sizes)}")
    return tuple(sizes)


def single_int(values: Sequence[int], name: str) -> int:
    """The only value of an index input that stands for a scalar.

    Raises:
        KernelInputError: it holds none, or more than one.
    """
    if len(values) != 1:
        raise KernelInputError(f"{name} must hold exactly one value, got {list(values)}")
    return values[0]


def vector_length(spec: ArraySpec) -> int | None:
    """Number of elements of an array, None when that is not known."""
    count = UNKNOWN if spec.shape is None else element_count(spec.shape)
    return None if count == UNKNOWN else count


def unknown_shape(rank: int | None) -> Shape | None:
    """The shape of which only the rank is known, None when not even that is.

    Raises:
        KernelInputError: no array has so many dimensions.
    """
    if rank is not None and rank > MAX_RANK:
        raise KernelInputError(f"an array has at most {MAX_RANK} dimensions, got {rank}")
    return None if rank is None else (UNKNOWN,) * rank


def merge_shapes(shapes: Sequence[Shape], free_axis: int | None = None) -> Shape:
    """Everything known of the one shape that all ``shapes`` must have.

    Args:
        shapes: at least one; dimensions may be ``UNKNOWN``.
        free_axis: an axis, counted from the start, on which they may differ (its result means nothing).

    Raises:
        KernelInputError: ranks differ, or known dimensions differ outside ``free_axis``.
    """
    first = shapes[0]
    merged = list(first)
    for shape in shapes[1:]:
        if len(shape) != len(first):
            raise KernelInputError(f"inputs must have one rank, got shapes {_listing(shapes)}")
        for i, dim in enumerate(shape):
            if i != free_axis and UNKNOWN not in (dim, merged[i]) and dim != merged[i]:
                raise KernelInputError(f"inputs must agree on axis {i}, got shapes {_listing(shapes)}")
            merged[i] = dim if merged[i] == UNKNOWN else merged[i]
    return tuple(merged)


def _listing(shapes: Sequence[Shape]) -> str:
    return ", ".join(map(str, shapes))


def along(axis: int, part: slice) -> tuple[slice, ...]:
    """The index that takes ``part`` of one axis, counted from the start, and all of every other."""
    return (slice(None),) * axis + (part,)


def normalize_new_axis(axis: int, rank: int) -> int:
    """The place of a dimension that is inserted into ``rank`` others, counted from the start.

    Negative values count from the end of the output, which has ``rank + 1`` dimensions.

    Raises:
        KernelInputError: ``axis`` is not in ``[-rank - 1, rank]``.
    """
    return normalize_axis(axis, rank + 1)
