"""PriorBox: the default boxes of an SSD detector, for every cell of a feature map."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ._dtypes import ALL_DTYPES
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape

_SAME_RATIO = 1e-6
_DTYPE = np.dtype(np.float32)


def prior_box(
    feature_map: Array,
    image: Array,
    *,
    min_sizes: Sequence[int] | None = None,
    max_sizes: Sequence[int] | None = None,
    aspect_ratios: Sequence[float] | None = None,
    variances: Sequence[float] | None = None,
    image_size_w: int = 0,
    image_size_h: int = 0,
    step_w: float = 0.0,
    step_h: float = 0.0,
    clip: bool = False,
    flip: bool = False,
    offset: float = 0.0,
) -> Array:
    """The boxes of every cell, and the variances that go with each (Liu et al., "SSD", 2016, section 2.2).

    Per minimal size: a square box, one of ``sqrt(min * max)`` if there are maximal sizes, and one per further aspect
    ratio, ``min * sqrt(ratio)`` by ``min / sqrt(ratio)``.

    Args:
        feature_map: (N, H, W, C); only its shape counts.
        image: (N, H, W, C); only its shape counts.
        min_sizes: in pixels of the image.
        max_sizes: as many as ``min_sizes``, or none.
        aspect_ratios: width over height; 1, and what is listed twice, count once.
        variances: four.
        image_size_w, image_size_h: 0 means those of ``image``.
        step_w, step_h: pixels from one cell to the next; 0 means image size over feature map size.
        clip: no effect.
        flip: also take ``1 / ratio`` of every aspect ratio.
        offset: where in its cell a box is centered, in cells.

    Returns:
        float32 (1, H * W * P * 4, 1, 2) with P boxes per cell: first all boxes as xmin, ymin, xmax, ymax, in cells
        over the size of the feature map; then the four variances as often.

    NOTE: like MindSpore Lite's kernel, ``clip`` clips nothing; Caffe cuts the boxes off at 0 and 1.
    """
    height, width = feature_map.shape[1:3]
    w = step_w if step_w > 0 else (image_size_w if image_size_w > 0 else image.shape[2]) / width
    h = step_h if step_h > 0 else (image_size_h if image_size_h > 0 else image.shape[1]) / height
    sizes = _box_sizes(min_sizes or (), max_sizes or (), _distinct_ratios(aspect_ratios, flip))
    half = np.array(sizes) / (2 * np.array([w, h]))
    centers = np.stack(np.meshgrid(np.arange(width) + offset, np.arange(height) + offset), axis=-1)[:, :, None]
    boxes = np.concatenate([centers - half, centers + half], axis=-1) / np.array([width, height] * 2)
    repeated = np.broadcast_to(np.array(variances), boxes.shape)
    return np.stack([boxes, repeated]).astype(_DTYPE).reshape(1, -1, 1, 2)


def infer_prior_box(
    feature_map: ArraySpec,
    image: ArraySpec,
    *,
    min_sizes: Sequence[int] | None,
    max_sizes: Sequence[int] | None,
    aspect_ratios: Sequence[float] | None,
    variances: Sequence[float] | None,
    flip: bool,
) -> ArraySpec:
    """float32 (1, H * W * P * 4, 1, 2); raises KernelInputError for ranks or attributes that do not fit."""
    _check_sizes(min_sizes, max_sizes)
    if any(not ratio > 0 for ratio in aspect_ratios or ()):
        raise KernelInputError(f"aspect_ratios must be above 0, got {list(aspect_ratios or ())}")
    if variances is None or len(variances) != 4:
        raise KernelInputError(f"variances must hold four values, got {variances and list(variances)}")
    _, height, width, _ = _cells("feature_map", feature_map)
    _cells("image", image)
    per_cell = len(min_sizes or ()) * len(_distinct_ratios(aspect_ratios, flip)) + len(max_sizes or ())
    rows = UNKNOWN if UNKNOWN in (height, width) else height * width * per_cell * 4
    return ArraySpec(_DTYPE, (1, rows, 1, 2))


def _cells(name: str, spec: ArraySpec) -> Shape:
    shape = expect_shape(name, spec, (UNKNOWN,) * 4)
    if 0 in shape[1:3]:
        raise KernelInputError(f"{name} must have at least one row and one column, got {shape}")
    return shape


def _check_sizes(min_sizes: Sequence[int] | None, max_sizes: Sequence[int] | None) -> None:
    if not min_sizes or min(*min_sizes, *(max_sizes or (1,))) < 1:
        raise KernelInputError(f"there must be min_sizes, and sizes of at least 1, got {min_sizes} and {max_sizes}")
    if max_sizes and len(max_sizes) != len(min_sizes):
        raise KernelInputError(f"there must be as many max_sizes as min_sizes, got {len(max_sizes)}")


def _distinct_ratios(aspect_ratios: Sequence[float] | None, flip: bool) -> list[float]:
    """1, then every ratio that is not there yet, each followed by its inverse when ``flip``."""
    distinct = [1.0]
    for ratio in aspect_ratios or ():
        if all(abs(ratio - known) >= _SAME_RATIO for known in distinct):
            distinct += [ratio, 1 / ratio] if flip else [ratio]
    return distinct


def _box_sizes(
    min_sizes: Sequence[int], max_sizes: Sequence[int], ratios: Sequence[float]
) -> list[tuple[float, float]]:
    """Width and height of the boxes of one cell, in pixels."""
    sizes: list[tuple[float, float]] = []
    for i, least in enumerate(min_sizes):
        sizes.append((least, least))
        if max_sizes:
            sizes.append((math.sqrt(least * max_sizes[i]),) * 2)
        sizes += [(least * math.sqrt(ratio), least / math.sqrt(ratio)) for ratio in ratios[1:]]
    return sizes


KERNEL = ReferenceKernel("PriorBox", prior_box, infer_prior_box, ALL_DTYPES)
