"""What instructions and operators mean, as scalar loops in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Pair = tuple[int, int]


def convolution(
    x: Array,
    weight: Array,
    output: Pair,
    strides: Pair = (1, 1),
    dilations: Pair = (1, 1),
    before: Pair = (0, 0),
    group: int = 1,
) -> Array:
    """x (N, C, H, W), weight (O, Kh, Kw, C/group) to (N, O, *output)."""
    batch, _, height, width = x.shape
    channels_out, kernel_h, kernel_w, per_group = weight.shape
    y = np.zeros((batch, channels_out, *output))
    for n, o, r, s in np.ndindex(*y.shape):
        first = o // (channels_out // group) * per_group
        for i, j, c in product(range(kernel_h), range(kernel_w), range(per_group)):
            row = r * strides[0] - before[0] + i * dilations[0]
            column = s * strides[1] - before[1] + j * dilations[1]
            if 0 <= row < height and 0 <= column < width:
                y[n, o, r, s] += float(x[n, first + c, row, column]) * float(weight[o, i, j, c])
    return y


def transposed_convolution(
    x: Array,
    weight: Array,
    output: Pair,
    strides: Pair = (1, 1),
    dilations: Pair = (1, 1),
    before: Pair = (0, 0),
    group: int = 1,
) -> Array:
    """x (N, C, H, W), weight (C, Kh, Kw, O/group) to (N, O, *output): each tap is added where it falls."""
    batch, channels, height, width = x.shape
    _, kernel_h, kernel_w, per_group = weight.shape
    y = np.zeros((batch, per_group * group, *output))
    for n, c, p, q in np.ndindex(batch, channels, height, width):
        first = c // (channels // group) * per_group
        for i, j, o in product(range(kernel_h), range(kernel_w), range(per_group)):
            row = p * strides[0] + i * dilations[0] - before[0]
            column = q * strides[1] + j * dilations[1] - before[1]
            if 0 <= row < output[0] and 0 <= column < output[1]:
                y[n, first + o, row, column] += float(x[n, c, p, q]) * float(weight[c, i, j, o])
    return y


def pool(
    x: Array, size: Pair, output: Pair, strides: Pair, before: Pair, reduce: Callable[[list[float]], float]
) -> Array:
    """x (N, C, H, W) to (N, C, *output); ``reduce`` gets the elements of a window that lie on the input."""
    y = np.zeros((*x.shape[:2], *output))
    for n, c, r, s in np.ndindex(*y.shape):
        y[n, c, r, s] = reduce(list(_window(x[n, c], size, (r * strides[0] - before[0], s * strides[1] - before[1]))))
    return y


def _window(plane: Array, size: Pair, start: Pair) -> Iterator[float]:
    for i, j in product(range(size[0]), range(size[1])):
        row, column = start[0] + i, start[1] + j
        if 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]:
            yield float(plane[row, column])


def matmul(a: Array, b: Array) -> Array:
    """a (M, K), b (K, N) to (M, N)."""
    y = np.zeros((a.shape[0], b.shape[1]))
    for m, n, k in np.ndindex(a.shape[0], b.shape[1], a.shape[1]):
        y[m, n] += float(a[m, k]) * float(b[k, n])
    return y
