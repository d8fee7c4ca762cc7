"""Operators that repeat elements: pads, tiles, broadcasts."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import PadFusion, TileFusion
from ....semantics.borders import border_value
from ....semantics.operands import normalized, operand, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import as_it_lies
from .movement import known
from .reshaping import reshaped
from .results import as_model, given_shape

MODES = {"CONSTANT": "constant", "REFLECT": "reflect"}


def lower_pad_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A border around a tensor."""
    primitive, x = primitive_of(kernel, PadFusion), lowering.value(required(kernel, 0))
    given = known(kernel, 1, "paddings")
    fits = len(given) == 2 * x.rank and min(given, default=0) >= 0
    wanted(fits, RejectCode.ATTRIBUTE, "two paddings of 0 and more for each axis", f"are {given}")
    pairs = list(zip(given[::2], given[1::2], strict=True))
    if not any(given):
        return x
    mode = primitive.padding_mode.name
    if mode == "SYMMETRIC":
        return _mirrored(lowering, x, pairs)
    wanted(mode in MODES, RejectCode.ATTRIBUTE, "a known padding_mode", f"is {mode}")
    return padded(lowering, x, pairs, MODES[mode], _filling(kernel, lowering) if mode == "CONSTANT" else None)


def padded(
    lowering: Lowering, x: Lowered, pairs: list[tuple[int, int]], mode: str = "constant", filling: Term | None = None
) -> Lowered:
    """A tensor with so much before and after it along each axis."""
    shape = tuple(before + dim + after for dim, (before, after) in zip(x.shape, pairs, strict=True))
    pads = [pairs[axis][side] for side in (0, 1) for axis in x.order]
    physical = tuple(shape[axis] for axis in x.order)
    operands = [as_it_lies(lowering, x), lowering.ints(pads), filling]
    return Lowered(shape, x.dtype, x.order, lowering.emit("Pad", operands, x.dtype, physical, mode=mode))


def _filling(kernel: Kernel, lowering: Lowering) -> Term:
    given, x = operand(kernel, 2), required(kernel, 0)
    if given is not None and (not given.is_const or given.dtype == x.dtype):
        return lowering.in_order(reshaped(lowering, lowering.value(given), ()))
    return lowering.scalar(border_value(kernel), lowering.value(x).dtype)


def _mirrored(lowering: Lowering, x: Lowered, pairs: list[tuple[int, int]]) -> Lowered:
    """A border that mirrors with the edge: places along each axis, gathered."""
    for axis, (before, after) in enumerate(pairs):
        size = x.shape[axis]
        wanted(max(before, after) <= size, RejectCode.ATTRIBUTE, "a border not wider than there is to mirror")
        if before or after:
            places = [*range(before)][::-1] + [*range(size)] + [size - 1 - step for step in range(after)]
            shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
            physical = tuple(shape[each] for each in x.order)
            operands = [as_it_lies(lowering, x), lowering.ints(places)]
            made = lowering.emit("Gather", operands, x.dtype, physical, axis=x.order.index(axis))
            x = Lowered(shape, x.dtype, x.order, made)
    return x


def lower_tile_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor again and again along axes."""
    x, multiples = lowering.value(required(kernel, 0)), known(kernel, 1, "multiples")
    axes = primitive_of(kernel, TileFusion).dims or range(len(multiples))
    repeats = [1] * x.rank
    for axis, times in zip(axes, multiples, strict=True):
        repeats[normalized(axis, x.rank)] = times
    shape = tuple(dim * times for dim, times in zip(x.shape, repeats, strict=True))
    if shape == x.shape:
        return x
    operands = [as_it_lies(lowering, x), lowering.ints([repeats[axis] for axis in x.order])]
    y = lowering.emit("Tile", operands, x.dtype, tuple(shape[axis] for axis in x.order))
    return Lowered(shape, x.dtype, x.order, y)


def lower_broadcast_to(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A tensor repeated to a shape."""
    x, shape = lowering.value(required(kernel, 0)), given_shape(kernel)
    if operand(kernel, 1) is not None:
        known(kernel, 1, "the target")
    return expanded(lowering, x, shape)


def expanded(lowering: Lowering, x: Lowered, shape: tuple[int, ...]) -> Lowered:
    """A tensor repeated to a shape that it broadcasts to."""
    if shape == x.shape:
        return x
    sizes = np.array(shape, np.int64)
    return as_model(lowering.emit("Expand", [lowering.in_order(x), lowering.small(sizes)], x.dtype, shape))


LOWERINGS = {
    "PadFusion": lower_pad_fusion,
    "TileFusion": lower_tile_fusion,
    "BroadcastTo": lower_broadcast_to,
}
