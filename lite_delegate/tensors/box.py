"""Boxes: parts of arrays between two corners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError


def slices_of(begin: Sequence[int], end: Sequence[int], shape: Sequence[int], where: str) -> tuple[slice, ...]:
    """The box from its first position up to the position behind its last, as slices.

    Args:
        begin, end: the corners, a number for each dimension.
        shape: the shape of the whole.
        where: the name of the box, for messages.

    Raises:
        InputError: the box does not lie in the shape.
    """
    corners = _corner(begin, shape, "begin"), _corner(end, shape, "end")
    if not all(0 <= b <= e <= size for b, e, size in zip(*corners, shape, strict=True)):
        raise InputError(
            f"{where}: the box from {list(begin)} to {list(end)} does not lie between "
            f"{[0] * len(shape)} and {list(shape)}."
        )
    return tuple(slice(b, e) for b, e in zip(*corners, strict=True))


def _corner(corner: Sequence[int], shape: Sequence[int], what: str) -> list[int]:
    if len(corner) != len(shape) or not all(isinstance(c, (int, np.integer)) for c in corner):
        raise InputError(f"{what}: expected {len(shape)} integers for shape {list(shape)}, got {list(corner)}.")
    return [int(c) for c in corner]
