"""Boxes cut out of images and resampled to one size."""

from __future__ import annotations

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import Kernel, RejectCode
from ....ir.primitives import CropAndResize
from ....semantics.operands import primitive_of, required
from ..integers import FLOAT64, has_doubles
from ..lowering import Lowering, wanted
from ..term import Lowered, Shape, Term
from .elementwise import BOOL, cast
from .movement import known
from .places import INT32, as_int32, is_inside
from .reshaping import reshaped
from .results import as_model, given_shape


@dataclass(frozen=True, slots=True)
class SampledPoints:
    """The places of the samples of all boxes along one axis.

    Attributes:
        at: the positions, between the pixels; 0 for samples outside of the image.
        inside: whether the samples are inside of the image.
    """

    at: Term
    inside: Term


def lower_crop_and_resize(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Samples (n, height, width, C): the pixels around each are gathered and interpolated."""
    primitive, x = primitive_of(kernel, CropAndResize), lowering.value(required(kernel, 0))
    boxes, images = (lowering.value(required(kernel, position)) for position in (1, 2))
    count, height, width, channels = given_shape(kernel)
    known(kernel, 3, "the size")
    wanted(has_doubles(lowering), RejectCode.DTYPE, "samples inside of the image are found in float64")
    corners = cast(lowering, lowering.in_order(boxes), FLOAT64)
    rows = _samples(lowering, corners, (0, 2), x.shape[1], (count, height, 1))
    columns = _samples(lowering, corners, (1, 3), x.shape[2], (count, 1, width))
    numbers = as_int32(lowering, lowering.in_order(images))
    there = is_inside(lowering, numbers, x.shape[0])
    behind = lowering.scalar(x.shape[0], INT32)  # an image that is not there
    numbers = lowering.emit("Where", [there, numbers, behind], INT32, numbers.shape)
    first = lowering.in_order(reshaped(lowering, as_model(numbers), (count, 1, 1)))
    pixels = _Pixels(lowering, x, first, (count, height, width))
    y = pixels.nearest(rows, columns) if primitive.method.name == "NEAREST" else pixels.between(rows, columns)
    both = lowering.emit("And", [rows.inside, columns.inside], BOOL, (count, height, width))
    mask = lowering.in_order(reshaped(lowering, as_model(both), (count, height, width, 1)))
    rest = lowering.scalar(primitive.extrapolation_value, y.dtype)
    shape = (count, height, width, channels)
    return as_model(cast(lowering, lowering.emit("Where", [mask, y, rest], y.dtype, shape), x.dtype))


def _samples(lowering: Lowering, corners: Term, pair: tuple[int, int], size: int, shape: Shape) -> SampledPoints:
    """Samples at one distance from each other, the last exactly at the second corner; one alone is in the middle."""
    dtype, number = corners.dtype, max(shape[1:])
    ends = [_column(lowering, corners, place) for place in pair]
    one = ends[0].shape
    if number == 1:
        total = lowering.emit("Add", ends, dtype, one)
        at = lowering.emit("Mul", [total, lowering.scalar(0.5, dtype)], dtype, one)
        at = lowering.emit("Mul", [at, lowering.scalar(size - 1, dtype)], dtype, one)
    else:
        first, last = (lowering.emit("Mul", [end, lowering.scalar(size - 1, dtype)], dtype, one) for end in ends)
        steps = lowering.array((np.arange(number - 1) / (number - 1)).astype(dtype))
        extent = lowering.emit("Sub", [last, first], dtype, one)
        some = (shape[0], number - 1)
        at = lowering.emit("Mul", [extent, steps], dtype, some)
        at = lowering.emit("Add", [first, at], dtype, some)
        at = lowering.emit("Concat", [at, last], dtype, (shape[0], number), axis=1)
    at = lowering.in_order(reshaped(lowering, as_model(at), shape))
    after = lowering.emit("GreaterOrEqual", [at, lowering.scalar(0, dtype)], BOOL, shape)
    before = lowering.emit("LessOrEqual", [at, lowering.scalar(size - 1, dtype)], BOOL, shape)
    inside = lowering.emit("And", [after, before], BOOL, shape)
    return SampledPoints(lowering.emit("Where", [inside, at, lowering.scalar(0, dtype)], dtype, shape), inside)


def _column(lowering: Lowering, x: Term, place: int) -> Term:
    operands = [x, lowering.ints([place])]
    return lowering.emit("Gather", operands, x.dtype, (x.shape[0], 1), axis=1)


class _Pixels:
    """The pixels of all images as rows of one table, and the pixels at places of boxes.

    Args:
        lowering: the lowering of the run.
        x: (N, H, W, C).
        images: the image of each box (n, 1, 1), int32.
        shape: (n, height, width).
    """

    def __init__(self, lowering: Lowering, x: Lowered, images: Term, shape: Shape) -> None:
        self._lowering, self._shape = lowering, shape
        self._batch, self._height, self._width, self._channels = x.shape
        flat = (self._batch * self._height * self._width, self._channels)
        wide = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
        self._table = cast(lowering, lowering.in_order(reshaped(lowering, x, flat)), wide)
        self._first = self._scaled(images, self._height)

    def nearest(self, rows: SampledPoints, columns: SampledPoints) -> Term:
        """The pixel nearest to each sample, half up."""
        half = self._lowering.scalar(0.5, rows.at.dtype)
        down, across = (
            self._lowering.emit("Add", [each.at, half], each.at.dtype, each.at.shape) for each in (rows, columns)
        )
        return self._at(self._pixel(down), self._pixel(across))

    def between(self, rows: SampledPoints, columns: SampledPoints) -> Term:
        """The value at each sample, interpolated between the four pixels around it."""
        top, bottom, down = self._around(rows)
        left, right, across = self._around(columns)
        upper = self._weighted(self._at(top, left), self._at(top, right), across)
        return self._weighted(upper, self._weighted(self._at(bottom, left), self._at(bottom, right), across), down)

    def _around(self, samples: SampledPoints) -> tuple[Term, Term, Term]:
        """The pixels before and after samples, int32, and how far these are behind the first, of the image's type."""
        at, emit = samples.at, self._lowering.emit
        first = self._pixel(at)
        last = self._pixel(emit("Ceil", [at], at.dtype, at.shape))
        distance = emit("Sub", [at, cast(self._lowering, first, at.dtype)], at.dtype, at.shape)
        shape = (*at.shape, 1)
        lowered = reshaped(self._lowering, as_model(cast(self._lowering, distance, self._table.dtype)), shape)
        return first, last, self._lowering.in_order(lowered)

    def _pixel(self, at: Term) -> Term:
        """The pixel at or before a position."""
        return cast(self._lowering, self._lowering.emit("Floor", [at], at.dtype, at.shape), INT32)

    def _at(self, rows: Term, columns: Term) -> Term:
        line = self._lowering.emit("Add", [self._first, rows], INT32, rows.shape)
        start = self._scaled(line, self._width)
        places = self._lowering.emit("Add", [start, columns], INT32, self._shape)
        shape = (*self._shape, self._channels)
        return self._lowering.emit("Gather", [self._table, places], self._table.dtype, shape, axis=0)

    def _scaled(self, x: Term, factor: int) -> Term:
        return self._lowering.emit("Mul", [x, self._lowering.scalar(factor, INT32)], INT32, x.shape)

    def _weighted(self, a: Term, b: Term, fraction: Term) -> Term:
        """``a + (b - a) * fraction``."""
        emit, dtype, shape = self._lowering.emit, a.dtype, a.shape
        part = emit("Mul", [emit("Sub", [b, a], dtype, shape), fraction], dtype, shape)
        return emit("Add", [a, part], dtype, shape)


LOWERINGS = {"CropAndResize": lower_crop_and_resize}
