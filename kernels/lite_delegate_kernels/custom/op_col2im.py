"""Col2Im: an image from its windows, summed where they overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import ALL_DTYPES, check_dtype, widen
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from .._movement import unknown_shape, vector_length
from ._shared import at, check_rank, known_integers, product
from ._windows import windows_of


def col2im(
    x: Array,
    image_shape: Array,
    block_shape: Array,
    *,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """The image whose elements are the sums of what the windows have in their places.

    Args:
        x: (N, C * elements of a window, windows).
        image_shape: the spatial sizes of the image.
        block_shape: those of a window.

    Returns:
        (N, C, ...) in the dtype of ``x``.
    """
    sizes, block = [int(n) for n in image_shape], [int(n) for n in block_shape]
    windows = windows_of(sizes, block, "NOTSET", dilations, pads, strides)
    counts = windows.counts(sizes)
    _check(x.shape, block, counts)
    columns = widen(x).reshape(x.shape[0], -1, *block, *counts)
    whole = [b + n + a for b, n, a in zip(windows.before, sizes, windows.after, strict=True)]
    y = np.zeros((x.shape[0], columns.shape[1], *whole), columns.dtype)
    for place in windows.places():
        y[at(..., *windows.slices(place, counts))] += columns[at(slice(None), slice(None), *place)]
    inside = at(..., *(slice(b, b + n) for b, n in zip(windows.before, sizes, strict=True)))
    return np.asarray(y[inside], x.dtype)


def infer_col2im(
    x: ArraySpec,
    image_shape: ArraySpec,
    block_shape: ArraySpec,
    *,
    dilations: Sequence[int] | None,
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> ArraySpec:
    """(N, C, ...), as far as the sizes are known; raises KernelInputError for shapes that do not fit."""
    check_dtype(x, ALL_DTYPES)
    check_rank(x, 3, 3)
    known, block = known_integers(image_shape), known_integers(block_shape)
    sizes = unknown_shape(vector_length(image_shape)) if known is None else tuple(known)
    if x.shape is None or sizes is None:
        return ArraySpec(x.dtype, None)
    if block is None:
        return ArraySpec(x.dtype, (x.shape[0], UNKNOWN, *sizes))
    if UNKNOWN not in sizes:
        _check(x.shape, block, windows_of(sizes, block, "NOTSET", dilations, pads, strides).counts(sizes))
    channels = UNKNOWN if x.shape[1] == UNKNOWN else x.shape[1] // max(1, product(block))
    return ArraySpec(x.dtype, (x.shape[0], channels, *sizes))


def _check(x: Sequence[int], block: Sequence[int], counts: Sequence[int]) -> None:
    size, windows = product(block), product(counts)
    if min(block, default=0) < 1 or (x[1] != UNKNOWN and x[1] % size) or x[2] not in (UNKNOWN, windows):
        raise KernelInputError(f"windows of {list(block)}, {windows} of them, do not fit shape {tuple(x)}")


KERNEL = ReferenceKernel("ai.onnx.Col2Im", col2im, infer_col2im, ALL_DTYPES)
