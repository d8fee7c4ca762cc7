"""What instructions and operators mean, as scalar loops in float64."""

from __future__ import annotations

import math
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


def corner_boxes(boxes: Array, anchors: Array, scale: tuple[float, ...]) -> list[list[float]]:
    """boxes (1, N, 4) on anchors (N, 4) as ymin, xmin, ymax, xmax."""
    found = []
    for (dy, dx, dh, dw), (y, x, h, w) in zip(boxes[0].tolist(), anchors.tolist(), strict=True):
        middle_y, middle_x = dy / scale[3] * h + y, dx / scale[2] * w + x
        half_h, half_w = math.exp(dh / scale[0]) * h / 2, math.exp(dw / scale[1]) * w / 2
        found.append([middle_y - half_h, middle_x - half_w, middle_y + half_h, middle_x + half_w])
    return found


def overlap(a: list[float], b: list[float]) -> float:
    """Intersection over union of two boxes; 0 where one has no area."""
    sides = [min(a[k + 2], b[k + 2]) - max(a[k], b[k]) for k in (0, 1)]
    shared = max(sides[0], 0) * max(sides[1], 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return shared / (sum(areas) - shared) if min(areas) > 0 else 0.0


def suppressed(boxes: list[list[float]], scores: list[float], least: float, limit: int, most: float) -> list[int]:
    """Indices of the boxes that stay, best first."""
    kept: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: (-scores[i], i)):
        if scores[i] >= least and len(kept) < limit and all(overlap(boxes[k], boxes[i]) <= most for k in kept):
            kept.append(i)
    return kept


def detections(operands: list[Array], wanted: Any) -> list[list[float]]:
    """Rows of ymin, xmin, ymax, xmax, class, score, best first; ``wanted`` has the attributes of ``Detect``."""
    boxes = corner_boxes(operands[0], operands[2], wanted.scale)
    scores = [row[len(row) - wanted.classes :] for row in operands[1][0].tolist()]
    limits = (wanted.least_score, wanted.kept_per_class or wanted.boxes_kept, wanted.overlap)
    if wanted.kept_per_class:
        pairs = [(i, c) for c in range(wanted.classes) for i in suppressed(boxes, [s[c] for s in scores], *limits)]
        pairs = sorted(pairs, key=lambda pair: -scores[pair[0]][pair[1]])[: wanted.boxes_kept]
    else:
        pairs = []
        for i in suppressed(boxes, [max(s) for s in scores], *limits):
            best = sorted(range(wanted.classes), key=lambda c: (-scores[i][c], c))
            pairs += [(i, c) for c in best[: wanted.classes_per_box]]
    return [[*boxes[i], c, scores[i][c]] for i, c in pairs]
