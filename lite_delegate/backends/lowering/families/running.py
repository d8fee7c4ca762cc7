"""Running products along an axis."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel
from ....semantics.operands import normalized, required
from ....semantics.slicing import Grid
from ..lowering import Lowering, constant_value
from ..term import Lowered
from .borders import padded
from .elementwise import as_it_lies, cast
from .movement import known, sliced
from .onnx_operators import attributes_of
from .results import like


def lower_cum_prod(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Each element times what is 1, 2, 4, ... places before it, which is then the product of twice as many; of halves
    in float32.

    Hillis and Steele, "Data Parallel Algorithms" (1986): as many steps as the axis' size has binary digits.
    """
    x, found = lowering.value(required(kernel, 0)), attributes_of(kernel)
    axis = normalized(known(kernel, 1, "the axis")[0], x.rank)
    size, is_reverse, is_exclusive = x.shape[axis], bool(found.get("reverse", 0)), bool(found.get("exclusive", 0))
    if is_exclusive and size == 1:
        return constant_value(np.ones(x.shape, x.dtype))
    wide = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
    y = like(x, cast(lowering, as_it_lies(lowering, x), wide))
    if is_exclusive:
        y = _moved(lowering, y, axis, 1, is_reverse)
    step = 1
    while step < size:
        factors = [as_it_lies(lowering, each) for each in (y, _moved(lowering, y, axis, step, is_reverse))]
        y = like(x, lowering.emit("Mul", factors, wide, factors[0].shape))
        step *= 2
    return like(x, cast(lowering, as_it_lies(lowering, y), x.dtype))


def _moved(lowering: Lowering, x: Lowered, axis: int, step: int, is_reverse: bool) -> Lowered:
    """Elements some places later along an axis, or earlier in reverse, and ones where they were."""
    kept = x.shape[axis] - step
    starts, pairs = [0] * x.rank, [(0, 0)] * x.rank
    starts[axis], pairs[axis] = (step, (0, step)) if is_reverse else (0, (step, 0))
    counts = (*x.shape[:axis], kept, *x.shape[axis + 1 :])
    rest = sliced(lowering, x, Grid(tuple(starts), counts, (1,) * x.rank))
    return padded(lowering, rest, pairs, filling=lowering.scalar(1, x.dtype))


LOWERINGS = {"ai.onnx.CumProd": lower_cum_prod}
