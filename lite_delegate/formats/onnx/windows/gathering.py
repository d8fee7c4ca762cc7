"""Gathered windows, which the schema's pools and convolutions do not have: volumes, dilated pools, positions of maxima.

The elements of all windows are gathered by constant indices into the flattened image, with one more element behind it
for the padding, and then reduced. Every number is exact; it takes as much memory as the windows have elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from lite_delegate_kernels import Array

from ....basics.data_class import dataclass
from ....ir import Value
from ...rejection import Why
from ..conversion import OnnxNode

MAX_INDICES = 1 << 22
"""Most elements that all windows of one channel may have together."""


@dataclass(frozen=True)
class Windows:
    """Where windows lie in an image.

    Attributes:
        sizes: the image's spatial dimensions.
        kernel: the window's, in elements.
        strides: the steps between windows.
        dilations: the steps between a window's elements.
        before: padding before the image.
        outs: the number of windows.
        after: padding after the image.
    """

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    outs: tuple[int, ...]
    after: tuple[int, ...]

    def places(self) -> list[Array]:
        """Per axis the position (out, kernel) of each element, which may be outside the image."""
        return [
            np.arange(out)[:, None] * s - b + np.arange(k) * d
            for out, s, b, k, d in zip(self.outs, self.strides, self.before, self.kernel, self.dilations, strict=True)
        ]

    def indices(self) -> Array:
        """(windows, elements) into the flattened image; its number of elements stands for the padding."""
        return _flat(self.places(), [0] * len(self.sizes), self.sizes, self.sizes, prod(self.sizes))

    def counted(self) -> Array:
        """The number of elements of each window in the image or in its padding, (windows,)."""
        places = self.places()
        ends = [n + a for n, a in zip(self.sizes, self.after, strict=True)]
        marks = _flat(places, [-b for b in self.before], ends, self.sizes, -1, keep_outside=True)
        return np.asarray((marks >= 0).sum(axis=1))


def check_size(node: OnnxNode, windows: Windows) -> None:
    """Rejects the node where the windows have too many elements, or none."""
    count = prod(windows.outs) * prod(windows.kernel)
    fits = 0 < count <= MAX_INDICES and min(*windows.outs, *windows.kernel) > 0
    node.reject_unless(fits, Why.SHAPE, f"1 to {MAX_INDICES} window elements are supported, found {count}")


def _flat(
    places: Sequence[Array],
    starts: Sequence[int],
    ends: Sequence[int],
    sizes: Sequence[int],
    outside: int,
    keep_outside: bool = False,
) -> Array:
    """Flat indices (windows, elements) of the places between starts and ends; ``outside`` for all other places."""
    rank = len(sizes)
    index: Array = np.zeros((1,) * 2 * rank, np.int64)
    inside: Array = np.ones((1,) * 2 * rank, np.bool_)
    for axis, (place, start, end, size) in enumerate(zip(places, starts, ends, sizes, strict=True)):
        shape = [1] * 2 * rank
        shape[axis], shape[rank + axis] = place.shape
        index = index * size + (np.zeros_like(place) if keep_outside else place).reshape(shape)
        inside = inside & ((place >= start) & (place < end)).reshape(shape)
    windows = prod(p.shape[0] for p in places)
    return np.where(inside, index, outside).reshape(windows, -1)


def gathered(node: OnnxNode, x: Value, windows: Windows, padding: float) -> Value:
    """(N, C, ...) as (N, C, windows, elements), with ``padding`` outside the image."""
    flat = node.emit("Reshape", x, node.ints([0, 0, -1]))
    border = node.ints([0, 0, 0, 0, 0, 1])
    filled = node.emit("PadFusion", flat, border, node.scalar(padding, x))
    places = node.constant(windows.indices().astype(np.int32), "windows")
    return node.emit("Gather", filled, places, node.axis_operand(2))
