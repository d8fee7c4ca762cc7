"""MaxUnpool: what a max pool kept, back at its places, zeros elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._dtypes import FLOATS, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank, known_integers, listed


def max_unpool(
    x: Array,
    places: Array,
    output_shape: Array | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """The elements of ``x`` where ``places`` says.

    Args:
        x: (N, C, ...), float.
        places: the same shape: positions in the pooled image, all of whose elements are counted in a row.
        output_shape: of the result, whose first elements along each axis are the pooled image.

    Raises:
        KernelInputError: shapes do not fit, or a place lies outside.
    """
    shape = (*x.shape[:2], *_sizes(x.shape[2:], kernel_shape, pads, strides))
    count = int(np.prod(shape))
    if places.shape != x.shape or (places.size and not (places.min() >= 0 and places.max() < count)):
        raise KernelInputError(f"places of shape {places.shape} must have shape {x.shape} and lie in {count} elements")
    pooled = np.zeros(count, x.dtype)
    pooled[places.reshape(-1)] = x.reshape(-1)
    if output_shape is None:
        return pooled.reshape(shape)
    wanted = tuple(int(n) for n in output_shape)
    if len(wanted) != len(shape) or any(w < n for w, n in zip(wanted, shape, strict=True)):
        raise KernelInputError(f"output_shape {wanted} must hold {shape}")
    y = np.zeros(wanted, x.dtype)
    y[tuple(map(slice, shape))] = pooled.reshape(shape)
    return y


def infer_max_unpool(
    x: ArraySpec,
    places: ArraySpec,
    output_shape: ArraySpec | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None,
    strides: Sequence[int] | None,
) -> ArraySpec:
    """The shape, as far as ``output_shape`` is known; raises KernelInputError for attributes that do not fit."""
    check_dtype(x, FLOATS)
    check_dtype(places, ("int64",), "places")
    check_rank(x, 3)
    if x.shape is None:
        return ArraySpec(x.dtype, None)
    sizes = _sizes(x.shape[2:], kernel_shape, pads, strides)
    if output_shape is None:
        return ArraySpec(x.dtype, (*x.shape[:2], *sizes))
    wanted = known_integers(output_shape)
    return ArraySpec(x.dtype, (UNKNOWN,) * len(x.shape) if wanted is None else tuple(wanted))


def _sizes(
    sizes: Sequence[int], kernel: Sequence[int], pads: Sequence[int] | None, strides: Sequence[int] | None
) -> list[int]:
    count = len(sizes)
    ends, steps = listed(pads, 2 * count, 0, "pads"), listed(strides, count, 1, "strides", 1)
    windows = listed(kernel, count, 1, "kernel_shape", 1)
    return [
        UNKNOWN if n == UNKNOWN else (n - 1) * s + k - before - after
        for n, s, k, before, after in zip(sizes, steps, windows, ends[:count], ends[count:], strict=True)
    ]


KERNEL = ReferenceKernel("ai.onnx.MaxUnpool", max_unpool, infer_max_unpool, FLOATS)
