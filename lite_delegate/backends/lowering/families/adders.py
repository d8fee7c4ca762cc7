"""Convolutions that add up distances in place of products."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import AdderFusion
from ....semantics.geometry import WindowPlaces, conv_sliding, places_of
from ....semantics.operands import operand, primitive_of, required
from ....semantics.slicing import Grid
from ..lowering import Lowering, wanted
from ..term import Dtype, Lowered, Shape, Term
from .borders import padded
from .elementwise import cast, unary
from .fused import fused
from .movement import sliced
from .results import given_shape

MOST_TAPS = 64
CNHW = (3, 0, 1, 2)
"""Channels in front: a sum over them then adds up rows of places, which takes runtimes half the time of other orders.
"""


def lower_adder_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """``bias - sum |x - weight|``, tap by tap: the inputs of a tap (channels, 1, places) less its weights (channels,
    Cout, 1); float16 in float32.
    """
    primitive, x = primitive_of(kernel, AdderFusion), lowering.value(required(kernel, 0))
    weight, bias, shape = lowering.value(required(kernel, 1)), operand(kernel, 2), given_shape(kernel)
    places, own = places_of(conv_sliding(primitive, weight.shape), x.shape), x.dtype
    taps = math.prod(places.size)
    wanted(taps <= MOST_TAPS, RejectCode.ATTRIBUTE, f"distances of at most {MOST_TAPS} taps", f"has {taps}")
    wide = np.dtype(np.float32) if own == np.float16 else own
    seen, filters = _bordered(lowering, _laid(lowering, x, wide), places), _laid(lowering, weight, wide)
    total: Term | None = None
    for tap in product(*map(range, places.size)):
        distance = _distances(lowering, seen, filters, places, tap)
        total = distance if total is None else lowering.emit("Add", [total, distance], wide, distance.shape)
    assert total is not None
    y = unary(lowering, "Neg", total)
    if bias is not None:
        offsets = _reshaped(lowering, lowering.in_order(lowering.value(bias)), (y.shape[0], 1))
        y = lowering.emit("Add", [y, cast(lowering, offsets, wide)], wide, y.shape)
    y = cast(lowering, fused(lowering, y, primitive.activation_type), own)
    return Lowered(shape, own, CNHW, _reshaped(lowering, y, tuple(shape[axis] for axis in CNHW)))


def _laid(lowering: Lowering, x: Lowered, dtype: Dtype) -> Lowered:
    return Lowered(x.shape, dtype, CNHW, cast(lowering, lowering.in_order(x, CNHW), dtype))


def _bordered(lowering: Lowering, x: Lowered, places: WindowPlaces) -> Lowered:
    """The image with the zeros around it that windows reach."""
    after = [max(each, 0) for each in places.after(*x.shape[1:3])]
    pairs = [(0, 0), *zip(places.before, after, strict=True), (0, 0)]
    return padded(lowering, x, pairs) if any(map(any, pairs)) else x


def _distances(lowering: Lowering, x: Lowered, weight: Lowered, places: WindowPlaces, tap: tuple[int, ...]) -> Term:
    """The sum over channels (Cout, places) of one tap's distances."""
    (batch, *_, channels), outs = x.shape, weight.shape[0]
    starts = [at * step for at, step in zip(tap, places.dilations, strict=True)]
    seen = sliced(lowering, x, Grid((0, *starts, 0), (batch, *places.output, channels), (1, *places.strides, 1)))
    own = sliced(lowering, weight, Grid((0, *tap, 0), (outs, 1, 1, channels), (1,) * 4))
    count = batch * math.prod(places.output)
    pair = [
        _reshaped(lowering, lowering.in_order(each, CNHW), shape)
        for each, shape in ((seen, (channels, 1, count)), (own, (channels, outs, 1)))
    ]
    difference = unary(lowering, "Abs", lowering.emit("Sub", pair, x.dtype, (channels, outs, count)))
    return lowering.emit("ReduceSum", [difference, lowering.ints([0])], x.dtype, (outs, count), keepdims=0)


def _reshaped(lowering: Lowering, x: Term, shape: Shape) -> Term:
    return lowering.emit("Reshape", [x, lowering.ints(shape)], x.dtype, shape)


LOWERINGS = {"AdderFusion": lower_adder_fusion}
