"""Depthwise convolution by taps: rows of a few windows' height, each of all columns and channels, times their taps."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._window import SlidingWindow

from ._row_blocks import Finish, blocks_of, finish_rows

SOURCE_BYTES = 1 << 19
"""The padded rows that are laid out at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Phase:
    """The taps whose columns agree modulo the stride: in a copy of those columns, their windows lie side by side.

    Attributes:
        count: how many columns it has, one for each ``stride``.
        left: its columns in front of the image.
        start: the first column of the image that it has.
        offset: the column, of its own, of the first tap.
        step: its columns between taps.
        taps: ``(Kh, taps, Wout * C)``.
    """

    count: int
    left: int
    start: int
    offset: int
    step: int
    taps: Array


class DepthwiseSums:
    """The sums of each channel with a kernel of its own, for images of one size.

    Args:
        taps: ``(Kh, Kw, C)``, of the dtype of the sums.
        h, w: the windows down and across.
        multiplier: the channels of the result for each channel of the image.
        fill: what images have around them.
    """

    def __init__(self, taps: Array, h: SlidingWindow, w: SlidingWindow, multiplier: int, fill: float) -> None:
        self._h, self._w, self._multiplier, self._fill = h, w, multiplier, fill
        self._channels, self._dtype = taps.shape[2], taps.dtype
        common = gcd(w.stride, w.dilation)
        period = w.stride // common
        self._phases = [
            self._phase(taps[:, first::period], first * w.dilation, w.dilation // common)
            for first in range(min(period, w.kernel))
        ]
        row_bytes = sum(phase.count for phase in self._phases) * self._channels * self._dtype.itemsize
        extent = (h.kernel - 1) * h.dilation + 1
        self._step = max(1, min(h.out, (SOURCE_BYTES // max(1, row_bytes) - extent) // h.stride + 1))
        self._height = (self._step - 1) * h.stride + extent

    def _phase(self, taps: Array, first: int, step: int) -> Phase:
        w = self._w
        offset, start = divmod(first, w.stride)
        kh, count, channels = taps.shape
        rows = np.broadcast_to(taps[:, :, None, :], (kh, count, w.out, channels)).reshape(kh, count, w.out * channels)
        left = max(0, -((start - w.before) // w.stride))
        columns = len(range(start, w.span, w.stride))
        return Phase(columns, left, start - w.before + left * w.stride, offset, step, rows)

    def into(self, x: Array, results: Array, finish: Finish) -> None:
        """Writes results ``(N, Hout, Wout, C)`` of images ``(N, H, W, C / multiplier)`` of any dtype."""
        h, w, channels = self._h, self._w, self._channels
        sources = [np.empty((self._height, phase.count, channels), self._dtype) for phase in self._phases]
        for source in sources:
            source.fill(self._fill)
        views = [self._windows(source, phase) for source, phase in zip(sources, self._phases, strict=True)]
        rows = results.reshape(x.shape[0], h.out, w.out * channels)
        more = np.empty((self._step, w.out * channels), self._dtype) if len(views) > 1 else None
        for image, target in zip(x, rows, strict=True):
            for part, sums in blocks_of(target, self._step, self._dtype):
                for source, phase in zip(sources, self._phases, strict=True):
                    self._lay_out(image, part.start * h.stride - h.before, source, phase)
                self._add_up(views, sums, more)
                finish_rows(sums.reshape(-1, channels), target[part].reshape(-1, channels), finish)

    def _windows(self, source: Array, phase: Phase) -> Array:
        """The windows ``(step, Kh, taps, Wout * C)`` of laid out rows."""
        row, column, item = source.strides
        strides = (row * self._h.stride, row * self._h.dilation, column * phase.step, item)
        return np.ndarray((self._step, *phase.taps.shape), source.dtype, source, column * phase.offset, strides)

    def _lay_out(self, image: Array, top: int, source: Array, phase: Phase) -> None:
        """Copies rows of an image, from ``top`` on, with the fill where there are none."""
        above = min(max(0, -top), len(source))
        below = min(max(above, len(image) - top), len(source))
        if above:
            source[:above] = self._fill
        if below < len(source):
            source[below:] = self._fill
        inside = image[top + above : top + below, phase.start :: self._w.stride][:, : phase.count - phase.left]
        if self._multiplier > 1:
            inside = np.repeat(inside, self._multiplier, axis=2)
        source[above:below, phase.left : phase.left + inside.shape[1]] = inside

    def _add_up(self, views: list[Array], sums: Array, more: Array | None) -> None:
        count = len(sums)
        for number, (view, phase) in enumerate(zip(views, self._phases, strict=True)):
            target = sums if more is None or number == 0 else more[:count]
            np.einsum("hijc,ijc->hc", view[:count], phase.taps, out=target)
            if target is not sums:
                np.add(sums, target, out=sums)
