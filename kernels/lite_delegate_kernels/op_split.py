"""Split: consecutive parts of one axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import along, constant_ints, int_list, vector_length
from ._shapes import normalize_axis

MAX_PARTS = 65_536
"""Outputs that a node may have; each of them costs, whether anybody reads it or not."""


def split(
    x: Array,
    sizes: Array | None = None,
    *,
    output_num: int = 0,
    size_splits: Sequence[int] | None = None,
    axis: int = 0,
    output_count: int | None = None,
) -> tuple[Array, ...]:
    """``x`` cut along ``axis``.

    Args:
        x: any rank >= 1, any dtype.
        sizes: integers; replaces ``size_splits`` when given.
        output_num: how many parts; 0 means as many as the node has outputs.
        size_splits: the size of every part, of which only the last may be -1 (what is left); None or empty cuts
            equal parts.
        axis: negative counts from the end.
        output_count: how many outputs the node has, None when the caller does not know; read only where
            neither ``output_num`` nor the sizes say it.

    Returns:
        Views of ``x``.

    Raises:
        KernelInputError: the sizes do not add up to the dimension, their number is not ``output_num``, equal
            parts do not come out whole, or ``axis`` is out of range.

    NOTE: MindSpore Lite takes sizes that add up to less than the dimension and drops the rest; here that is an error.
    """
    a = normalize_axis(axis, x.ndim)
    given = size_splits or () if sizes is None else int_list(sizes, "sizes")
    parts = _part_sizes(x.shape[a], given, output_num or output_count)
    edges = accumulate(parts, initial=0)
    return tuple(x[along(a, slice(start, stop))] for start, stop in pairwise(edges))


def infer_split(
    x: ArraySpec,
    sizes: ArraySpec | None = None,
    *,
    output_num: int,
    size_splits: Sequence[int] | None,
    axis: int,
    output_count: int | None,
) -> tuple[ArraySpec, ...]:
    """One spec per part, ``UNKNOWN`` along ``axis`` where the part's size is not known.

    Raises:
        KernelInputError: as ``split``, or nothing says how many parts there are.
    """
    a = None if x.shape is None else normalize_axis(axis, len(x.shape))
    dim = UNKNOWN if x.shape is None or a is None else x.shape[a]
    given = size_splits or () if sizes is None else constant_ints(sizes, "sizes")
    if given is None:
        length = None if sizes is None else vector_length(sizes)
        parts = [UNKNOWN] * _part_count(output_num or length or output_count)
    else:
        parts = _part_sizes(dim, given, output_num or output_count)
    if x.shape is None or a is None:
        return (ArraySpec(x.dtype, None),) * len(parts)
    before, after = x.shape[:a], x.shape[a + 1 :]
    return tuple(ArraySpec(x.dtype, (*before, part, *after)) for part in parts)


def _part_sizes(dim: int, given: Sequence[int], count: int | None) -> list[int]:
    if not given:
        return _equal_parts(dim, _part_count(count))
    if count is not None and count != len(given):
        raise KernelInputError(f"{len(given)} sizes {list(given)} are given for {count} outputs")
    if min(given[:-1], default=0) < 0 or given[-1] < -1:
        raise KernelInputError(f"sizes must not be negative, except for a last -1, got {list(given)}")
    fixed = sum(s for s in given if s >= 0)
    open_end = given[-1] == -1
    if dim != UNKNOWN and (fixed > dim if open_end else fixed != dim):
        raise KernelInputError(f"sizes {list(given)} do not add up to the dimension {dim}")
    if not open_end:
        return list(given)
    return [*given[:-1], UNKNOWN if dim == UNKNOWN else dim - fixed]


def _equal_parts(dim: int, count: int) -> list[int]:
    if dim == UNKNOWN:
        return [UNKNOWN] * count
    if dim % count:
        raise KernelInputError(f"a dimension of {dim} cannot be cut into {count} equal parts")
    return [dim // count] * count


def _part_count(count: int | None) -> int:
    if count is None or count < 1:
        raise KernelInputError(f"output_num must be at least 1, or the sizes given, got {count or 0}")
    if count > MAX_PARTS:
        raise KernelInputError(f"output_num must be at most {MAX_PARTS}, got {count}")
    return count


KERNEL = ReferenceKernel("Split", split, infer_split, ALL_DTYPES, needs_output_count=True)
