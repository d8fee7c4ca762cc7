"""Shapes of operands and results: helpers for ``Instruction.result_shape``.

A shape that does not fit raises a ``ValueError`` with the expected and the found shape.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from ....basics.counted import counted
from .window import Window

Shape = tuple[int, ...]
MOST_PADDED = 2**28
"""Elements of an operand with its padding, unless ``PADDED_SHARE`` allows more."""
PADDED_SHARE = 8
"""An operand may become so many times larger by padding, however large it is."""


def unfit(expected: str, found: object) -> ValueError:
    """The error that says so."""
    return ValueError(f"expected {expected}, found {found}")


def check_axes(axes: Collection[int], shape: Shape) -> None:
    """Each axis is one of ``shape``, and named once."""
    if len(set(axes)) != len(axes) or (axes and not 0 <= min(axes) <= max(axes) < len(shape)):
        raise unfit(f"axes of {shape}, each once", tuple(axes))


def check_each(values: Sequence[int], shape: Shape, least: int) -> None:
    """There is one value for each axis of ``shape``, none below ``least``."""
    if len(values) != len(shape) or min(values, default=least) < least:
        raise unfit(f"a number from {least} on for each axis of {shape}", tuple(values))


def check_channels(channels: int, *each: Sequence[object]) -> None:
    """Each has one value, or one for each channel."""
    for values in each:
        if len(values) not in (1, channels):
            raise unfit(f"1 or {counted(channels, 'value')} of channels", len(values))


def channel_wise(shape: Shape, axis: int, *each: Sequence[object]) -> Shape:
    """``shape``; each has one value, or one for each channel along ``axis``."""
    if any(len(values) != 1 for values in each):
        check_axes([axis], shape)
        check_channels(shape[axis], *each)
    return shape


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape that the given shapes broadcast to."""
    if len(set(shapes)) == 1:
        return shapes[0]
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True)
    dims = [set(column) - {1} or {1} for column in columns]
    if max(map(len, dims), default=1) > 1:
        raise unfit("shapes that broadcast", tuple(shapes))
    return tuple(map(set.pop, dims))


def check_broadcast(operands: Sequence[Shape], result: Shape) -> Shape:
    """``result``, to which ``operands`` must broadcast."""
    if broadcast([result, *operands]) != result:
        raise unfit(f"operands that broadcast to {result}", tuple(operands))
    return result


def replaced(shape: Shape, axes: Sequence[int], sizes: Sequence[int]) -> Shape:
    """``shape`` with other sizes along some axes."""
    check_axes(axes, shape)
    if len(axes) != len(sizes) or min(sizes, default=1) < 1:
        raise unfit(f"a size from 1 on for each of the axes {tuple(axes)}", tuple(sizes))
    new = dict(zip(axes, sizes, strict=True))
    return tuple(new.get(axis, dim) for axis, dim in enumerate(shape))


def joined(shapes: Sequence[Shape], axis: int) -> Shape:
    """Shapes one after another along an axis."""
    first = shapes[0]
    check_axes([axis], first)
    before, behind = first[:axis], first[axis + 1 :]
    if any((shape[:axis], shape[axis + 1 :]) != (before, behind) for shape in shapes):
        raise unfit(f"shapes that differ from {first} along axis {axis} alone", tuple(shapes)[:8])
    return (*before, sum(shape[axis] for shape in shapes), *behind)


def top_shape(shape: Shape, axis: int, count: int) -> Shape:
    """``shape`` with the ``count`` largest elements along an axis."""
    found = replaced(shape, [axis], [count])
    if count > shape[axis]:
        raise unfit(f"{count} or more elements along axis {axis}", shape)
    return found


def matrix(shape: Shape, *, swap: bool) -> Shape:
    """The shape of matrices with the last two axes swapped, or as it is."""
    if len(shape) < 2:
        raise unfit("a matrix", shape)
    return (*shape[:-2], shape[-1], shape[-2]) if swap else shape


def product(left: Shape, right: Shape, bias: Sequence[Shape]) -> Shape:
    """The shape of a product of (..., M, K) and (..., K, N), plus a bias that broadcasts to it: (..., M, N)."""
    if left[-1] != right[-2]:
        raise unfit("as many columns of the first matrix as rows of the second", (left, right))
    return check_broadcast(bias, (*broadcast([left[:-2], right[:-2]]), left[-2], right[-1]))


def windows_over(window: Window, x: Shape) -> Shape:
    """x (N, C, H, W) with a window in the place of each position: (N, C, *window.output)."""
    _check_window(window, x)
    covered = math.prod(x[:2]) * math.prod(map(max, window.extent, x[2:]))
    if min(window.before) < 0 or covered > max(MOST_PADDED, PADDED_SHARE * math.prod(x)):
        raise unfit(f"windows that lie on {x} or near it", window)
    return (*x[:2], *window.output)


def convolution_shape(window: Window, operands: Sequence[Shape], group: int) -> Shape:
    """x (N, Cin, H, W), weight (Cout, Kh, Kw, Cin/group), bias (Cout,) if there is one: (N, Cout, *window.output)."""
    x, weight, *bias = operands
    windows = windows_over(window, x)
    fit = len(weight) == 4 and group >= 1 and weight[3] * group == x[1] and weight[0] % group == 0
    if not fit or weight[1:3] != window.size or any(shape != weight[:1] for shape in bias):
        raise unfit(
            f"weight and bias for {counted(group, 'group')} of {counted(x[1], 'channel')} and windows of {window.size}",
            operands[1:],
        )
    return (x[0], weight[0], *windows[2:])


def depthwise_shape(window: Window, operands: Sequence[Shape]) -> Shape:
    """x (N, C, H, W), weight (C, Kh, Kw, 1), bias (C,) if there is one: (N, C, *window.output)."""
    return convolution_shape(window, operands, operands[1][0] if operands[1] else 1)


def transposed_shape(window: Window, operands: Sequence[Shape], group: int) -> Shape:
    """x (N, Cin, H, W), weight (Cin, Kh, Kw, Cout/group), bias (Cout,) if there is one: (N, Cout, *window.output)."""
    x, weight, *bias = operands
    _check_window(window, x)
    fit = len(weight) == 4 and group >= 1 and weight[0] == x[1] and x[1] % group == 0
    if not fit or weight[1:3] != window.size or any(shape != (weight[3] * group,) for shape in bias):
        raise unfit(
            f"weight and bias for {counted(group, 'group')} of {counted(x[1], 'channel')} and windows of {window.size}",
            operands[1:],
        )
    return (x[0], weight[3] * group, *window.output)


def _check_window(window: Window, x: Shape) -> None:
    if len(x) != 4 or min((*window.size, *window.strides, *window.dilations, *window.output)) < 1:
        raise unfit("4 dimensions, and windows of sizes and steps from 1 on", (x, window))
