"""Default boxes of detectors, which follow from shapes and attributes alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ....delegate import Kernel
from ....ir.primitives import PriorBox
from ....semantics.operands import primitive_of, required
from ..lowering import Lowering, constant_value
from ..term import Lowered
from .results import given_dtype, given_shape

SAME_RATIO = 1e-6
"""Ratios nearer to each other are one."""


def lower_prior_box(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The corners of every box around every cell, in parts of the feature map, and the variances as often."""
    primitive = primitive_of(kernel, PriorBox)
    (height, width), image = (required(kernel, position).shape[1:3] for position in (0, 1))
    across = primitive.step_w if primitive.step_w > 0 else (max(primitive.image_size_w, 0) or image[1]) / width
    down = primitive.step_h if primitive.step_h > 0 else (max(primitive.image_size_h, 0) or image[0]) / height
    half = np.array(list(_sizes(primitive))) / (2 * np.array([across, down]))
    columns, rows = (np.arange(count) + primitive.offset for count in (width, height))
    centres = np.stack(np.meshgrid(columns, rows), axis=-1)[:, :, None]
    boxes = np.concatenate([centres - half, centres + half], axis=-1) / [width, height, width, height]
    both = np.stack([boxes, np.broadcast_to(primitive.variances or (), boxes.shape)])
    return constant_value(both.astype(given_dtype(kernel)).reshape(given_shape(kernel)))


def _sizes(primitive: PriorBox) -> Iterator[tuple[float, float]]:
    """Width and height of the boxes of one cell, in pixels of the image."""
    ratios = _ratios(primitive)
    for place, least in enumerate(primitive.min_sizes or ()):
        yield least, least
        if primitive.max_sizes:
            yield (math.sqrt(least * primitive.max_sizes[place]),) * 2
        yield from ((least * math.sqrt(ratio), least / math.sqrt(ratio)) for ratio in ratios)


def _ratios(primitive: PriorBox) -> list[float]:
    """Width over height of all boxes but the square ones."""
    known = [1.0]
    for ratio in primitive.aspect_ratios or ():
        if all(abs(ratio - other) >= SAME_RATIO for other in known):
            known += [ratio, 1 / ratio] if primitive.flip else [ratio]
    return known[1:]


LOWERINGS = {"PriorBox": lower_prior_box}
