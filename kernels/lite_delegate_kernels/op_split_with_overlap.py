"""SplitWithOverlap: parts of one axis in given ratios, each extended into its neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import along


def split_with_overlap(
    x: Array,
    *,
    split_dim: int = 0,
    number_split: int = 0,
    ratio: Sequence[int] | None = None,
    extend_top: Sequence[int] | None = None,
    extend_bottom: Sequence[int] | None = None,
) -> tuple[Array, ...]:
    """Part i is ``[border_i - extend_top_i, border_{i+1} + extend_bottom_i)`` of axis ``split_dim``.

    ``border_i`` is the size of the axis times the sum of the first i ratios over the sum of all, rounded up.

    Args:
        x: rank >= 1, any dtype.
        split_dim: the axis; not negative.
        number_split: how many parts, at least 1.
        ratio: an integer >= 0 for each part, not all 0.
        extend_top, extend_bottom: an integer for each part, negative ones shorten it; None means 0.

    Returns:
        ``number_split`` views of ``x``.

    Raises:
        KernelInputError: a part leaves the axis, or an attribute does not have one value for each part.
    """
    parts = _parts(x.shape[split_dim], number_split, ratio, extend_top, extend_bottom)
    return tuple(x[along(split_dim, slice(start, stop))] for start, stop in parts)


def infer_split_with_overlap(
    x: ArraySpec,
    *,
    split_dim: int,
    number_split: int,
    ratio: Sequence[int] | None,
    extend_top: Sequence[int] | None,
    extend_bottom: Sequence[int] | None,
) -> tuple[ArraySpec, ...]:
    """A spec per part, ``UNKNOWN`` along an axis of unknown size.

    Raises:
        KernelInputError: as ``split_with_overlap``, or ``split_dim`` is not an axis.

    NOTE: a negative ``split_dim`` is rejected because MindSpore Lite does not count it from the end.
    """
    if x.shape is None:
        _parts(UNKNOWN, number_split, ratio, extend_top, extend_bottom)
        return (ArraySpec(x.dtype, None),) * number_split
    if not 0 <= split_dim < len(x.shape):
        raise KernelInputError(f"split_dim must be 0 to {len(x.shape) - 1} for shape {x.shape}, got {split_dim}")
    dim = x.shape[split_dim]
    parts = _parts(dim, number_split, ratio, extend_top, extend_bottom)
    before, after = x.shape[:split_dim], x.shape[split_dim + 1 :]
    lengths = (UNKNOWN if dim == UNKNOWN else stop - start for start, stop in parts)
    return tuple(ArraySpec(x.dtype, (*before, length, *after)) for length in lengths)


def _parts(
    dim: int,
    count: int,
    ratio: Sequence[int] | None,
    extend_top: Sequence[int] | None,
    extend_bottom: Sequence[int] | None,
) -> list[tuple[int, int]]:
    ratios = _per_part(ratio, count, "ratio")
    if min(ratios) < 0 or sum(ratios) == 0:
        raise KernelInputError(f"ratio must hold values >= 0, not all 0, got {ratios}")
    tops, bottoms = _per_part(extend_top, count, "extend_top"), _per_part(extend_bottom, count, "extend_bottom")
    borders = [-(-dim * done // sum(ratios)) for done in accumulate(ratios, initial=0)]
    parts = [(borders[i] - tops[i], borders[i + 1] + bottoms[i]) for i in range(count)]
    if dim != UNKNOWN and not all(0 <= start <= stop <= dim for start, stop in parts):
        raise KernelInputError(f"parts {parts} leave a dimension of {dim}")
    return parts


def _per_part(values: Sequence[int] | None, count: int, name: str) -> list[int]:
    if count < 1:
        raise KernelInputError(f"number_split must be at least 1, got {count}")
    if values is None and name != "ratio":
        return [0] * count
    if values is None or len(values) != count:
        raise KernelInputError(f"{name} must hold {count} values, got {None if values is None else list(values)}")
    return list(values)


KERNEL = ReferenceKernel("SplitWithOverlap", split_with_overlap, infer_split_with_overlap, ALL_DTYPES)
