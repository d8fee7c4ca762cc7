"""CropAndResize: boxes of images, each sampled at one size."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ....errors import DelegateExecuteError
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import unfit


class Sampling(StrEnum):
    """Reading between pixels: the nearest pixel, half up, or interpolation between the four around it."""

    LINEAR = "linear"
    NEAREST = "nearest"


@dataclass(frozen=True, slots=True)
class CropAndResample(Instruction):
    """Boxes of x (N, C, H, W), FLOAT32 corners (n, 4) of images, INT32 (n,), sampled: (n, C, *size).

    A corner row is y1, x1, y2, x2, where 0 is the first and 1 the last row or column of pixels. Samples lie at even
    distances from the first to the last corner; a single sample lies in the middle. The address unit computes
    places in double precision; between pixels the sums are float32.

    Attributes:
        sampling: how a sample is read.
        size: rows and columns of the result.
        outside: the value of a sample outside of the image.
    """

    arity: ClassVar[Collection[int]] = (3,)
    sampling: Sampling
    size: tuple[int, int]
    outside: float = 0.0

    def run(self, operands: Sequence[Array]) -> Array:
        x, corners, images = widen(operands[0]), operands[1].astype(np.float64), operands[2]
        _check_images(images, x.shape[0])
        rows = _places(corners[:, 0], corners[:, 2], x.shape[2], self.size[0])
        columns = _places(corners[:, 1], corners[:, 3], x.shape[3], self.size[1])
        if self.sampling is Sampling.NEAREST:
            out = _pixels(x, images, _pixel(rows + 0.5, x.shape[2]), _pixel(columns + 0.5, x.shape[3]))
        else:
            out = _between_pixels(x, images, rows, columns)
        inside = _inside(rows, x.shape[2])[:, :, None] & _inside(columns, x.shape[3])[:, None, :]
        return np.where(inside[:, None], out, np.float32(self.outside))

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        x, corners, images = operands
        if len(x) != 4 or len(images) != 1 or corners != (*images, 4) or min(self.size) < 1:
            raise unfit("images (N, C, H, W), boxes (n, 4), indices (n,) and a size from 1 on", (*operands, self.size))
        return (*images, x[1], *self.size)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        """A multiply-add for each pixel that is read."""
        return Work(vector=math.prod(output) * (4 if self.sampling is Sampling.LINEAR else 1))


def _check_images(images: Array, count: int) -> None:
    wrong = images[(images < 0) | (images >= count)]
    if wrong.size:
        raise DelegateExecuteError(f"CropAndResize: box_index must name one of {count} images, got {wrong[0]}.")


def _places(first: Array, last: Array, pixels: int, count: int) -> Array:
    """The places of the samples along one axis, in pixels: (n, count). The last one is exactly at ``last``."""
    if count == 1:
        return np.asarray((first + last) * 0.5 * (pixels - 1))[:, None]
    return np.asarray(np.linspace(first * (pixels - 1), last * (pixels - 1), count, axis=1))


def _inside(places: Array, pixels: int) -> Array:
    return np.asarray((places >= 0) & (places <= pixels - 1))


def _pixel(places: Array, pixels: int) -> Array:
    """The pixel at or before a place; an arbitrary pixel for a place outside of the image or NaN."""
    return np.asarray(np.clip(np.nan_to_num(np.floor(places)), 0, pixels - 1).astype(np.int64))


def _pixels(x: Array, images: Array, rows: Array, columns: Array) -> Array:
    """x[image, :, row, column] for images (n,), rows (n, h) and columns (n, w): (n, C, h, w)."""
    found = x[images[:, None, None], :, rows[:, :, None], columns[:, None, :]]
    return np.moveaxis(found, 3, 1)


def _between_pixels(x: Array, images: Array, rows: Array, columns: Array) -> Array:
    top, bottom = _pixel(rows, x.shape[2]), _pixel(np.ceil(rows), x.shape[2])
    left, right = _pixel(columns, x.shape[3]), _pixel(np.ceil(columns), x.shape[3])
    down = (rows - top).astype(np.float32)[:, None, :, None]
    across = (columns - left).astype(np.float32)[:, None, None, :]
    upper = _mixed(_pixels(x, images, top, left), _pixels(x, images, top, right), across)
    lower = _mixed(_pixels(x, images, bottom, left), _pixels(x, images, bottom, right), across)
    return _mixed(upper, lower, down)


def _mixed(a: Array, b: Array, share: Array) -> Array:
    return np.asarray(a + (b - a) * share)
