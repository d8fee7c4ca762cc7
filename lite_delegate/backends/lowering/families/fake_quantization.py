"""Fake quantization: floats on the levels that integers of some bits can stand for."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import FakeQuantWithMinMaxVars, FakeQuantWithMinMaxVarsPerChannel
from ....semantics.operands import required
from ....tensors.tensor import Array
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .elementwise import as_it_lies, cast
from .results import like

FEWEST_BITS, MOST_BITS = 2, 16


def lower_fake_quantization(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Clamped to the range, which is moved so that 0 is a level, and rounded to the nearest level, halves upwards.

    The range is one for all elements, or one for each of the last axis. float16 is computed in float32.
    """
    x, bits = lowering.value(required(kernel, 0)), kernel.primitive
    assert isinstance(bits, FakeQuantWithMinMaxVars | FakeQuantWithMinMaxVarsPerChannel)
    wanted(FEWEST_BITS <= bits.num_bits <= MOST_BITS, RejectCode.ATTRIBUTE, "2 to 16 bits", f"are {bits.num_bits}")
    ends = [required(kernel, position) for position in (1, 2)]
    wanted(all(end.is_const for end in ends), RejectCode.NOT_CONSTANT, "the range must be constant")
    wide = np.dtype(np.float64 if x.dtype == np.float64 else np.float32)
    low, high = (end.data.reshape(-1).astype(wide) for end in ends)
    sound = bool(((low < high) | ((low == 0) & (high == 0))).all() and np.isfinite([low, high]).all())
    wanted(sound, RejectCode.ATTRIBUTE, "the range must go up", f"goes from {low} to {high}")
    term = cast(lowering, as_it_lies(lowering, x), wide)
    return like(x, cast(lowering, _on_levels(lowering, x, term, _Levels(low, high, bits)), x.dtype))


class _Levels:
    """Step, lowest and highest level, and the offset before levels are rounded down, one of each per range."""

    def __init__(
        self, low: Array, high: Array, bits: FakeQuantWithMinMaxVars | FakeQuantWithMinMaxVarsPerChannel
    ) -> None:
        first, last = int(bits.narrow_range), (1 << bits.num_bits) - 1
        step = (high - low) / low.dtype.type(last - first)
        self.factor = step
        self.step = step = np.where(step == 0, step.dtype.type(1), step)
        zero = np.floor(np.clip(first - low / step, first, last) + 0.5).astype(low.dtype)
        self.low, self.high, self.added = (first - zero) * step, (last - zero) * step, first - zero + 0.5


def _on_levels(lowering: Lowering, x: Lowered, term: Term, levels: _Levels) -> Term:
    spread = [1] * x.rank
    if x.rank:
        spread[x.order.index(x.rank - 1)] = -1

    def constant(numbers: Array) -> Term:
        one = numbers.size == 1
        return lowering.small(np.asarray(numbers.astype(term.dtype).reshape(() if one else spread)))

    y = term
    for op, numbers in (
        ("Max", levels.low),
        ("Min", levels.high),
        ("Sub", levels.low),
        ("Div", levels.step),
        ("Add", levels.added),
    ):
        y = lowering.emit(op, [y, constant(numbers)], term.dtype, term.shape)
    y = lowering.emit("Floor", [y], term.dtype, term.shape)
    return lowering.emit("Mul", [y, constant(levels.factor)], term.dtype, term.shape)


LOWERINGS = {
    "FakeQuantWithMinMaxVars": lower_fake_quantization,
    "FakeQuantWithMinMaxVarsPerChannel": lower_fake_quantization,
}
