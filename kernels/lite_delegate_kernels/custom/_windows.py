"""Shared by operators that move a window over the last axes of (N, C, ...): sizes, pads, strides, dilations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as combinations

from .._kernel import UNKNOWN, KernelInputError
from ._shared import listed


@dataclass(frozen=True)
class Windows:
    """The windows of an operator; each list has a number per spatial axis.

    Attributes:
        kernel: elements of a window.
        strides: from window to window.
        dilations: from element to element.
        before, after: padding at both ends.
    """

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    before: list[int]
    after: list[int]

    @property
    def extents(self) -> list[int]:
        """The extent of a window along each axis, from its first to its last element."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]

    def counts(self, sizes: Sequence[int]) -> list[int]:
        """The number of windows per axis, ``UNKNOWN`` where a size is; raises KernelInputError where none fits."""
        found = []
        for size, extent, stride, before, after in zip(
            sizes, self.extents, self.strides, self.before, self.after, strict=True
        ):
            count = UNKNOWN if size == UNKNOWN else (size + before + after - extent) // stride + 1
            if count != UNKNOWN and count < 1:
                raise KernelInputError(f"a window of {extent} does not fit into {size + before + after}")
            found.append(count)
        return found

    def places(self) -> Iterator[tuple[int, ...]]:
        """The places of a window's elements in it, in order."""
        return combinations(*map(range, self.kernel))

    def slices(self, place: Sequence[int], counts: Sequence[int]) -> tuple[slice, ...]:
        """Where the elements at one place of all windows are in the padded image."""
        return tuple(
            slice(p * d, p * d + (count - 1) * s + 1, s)
            for p, d, s, count in zip(place, self.dilations, self.strides, counts, strict=True)
        )


def windows_of(
    sizes: Sequence[int],
    kernel: Sequence[int],
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Windows:
    """The windows that ONNX's attributes mean for an image of ``sizes``.

    Raises:
        KernelInputError: a list of another length, or numbers that no window can have.
    """
    count = len(sizes)
    steps, gaps = listed(strides, count, 1, "strides", 1), listed(dilations, count, 1, "dilations", 1)
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, gaps, strict=True)]
    if auto_pad in ("NOTSET", "VALID"):
        ends = listed(pads if auto_pad == "NOTSET" else None, 2 * count, 0, "pads")
        return Windows(list(kernel), steps, gaps, ends[:count], ends[count:])
    if auto_pad not in ("SAME_UPPER", "SAME_LOWER"):
        raise KernelInputError(f"auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got '{auto_pad}'")
    totals = [
        0 if size == UNKNOWN else max(0, (-(-size // step) - 1) * step + extent - size)
        for size, step, extent in zip(sizes, steps, extents, strict=True)
    ]
    smaller, larger = [t // 2 for t in totals], [t - t // 2 for t in totals]
    if auto_pad == "SAME_LOWER":
        smaller, larger = larger, smaller
    return Windows(list(kernel), steps, gaps, smaller, larger)
