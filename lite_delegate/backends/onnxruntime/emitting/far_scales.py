"""Far scales: ratios of scales at which ONNX Runtime's kernels on 8-bit integers fail, or their results overflow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...lowering import Term

LARGEST_STEPS = 2.0**15
"""Results of 8-bit integers are below 2**16 times the steps of what they are made of. ONNX Runtime turns them into
int32 before it saturates them, and what does not fit becomes the lowest integer."""
LIMITS = {
    "GlobalAveragePool": (2.0**-8, 2.0**8),
    "AveragePool": (0.0, LARGEST_STEPS),
    "Add": (0.0, LARGEST_STEPS),
    "Mul": (0.0, LARGEST_STEPS),
}
"""By operator that ONNX Runtime computes on integers: the lowest and the highest step of what it reads, in steps of
what it gives. QLinearGlobalAveragePool fails where that, over the elements of a plane, is not from 2**-32 to 2**8;
planes have less than 2**24. Found by experiment with onnxruntime 1.32.0."""
PASSED = frozenset({"Relu", "Clip"})
"""Operators that ONNX Runtime leaves out before a quantization that does the same."""


class FarScales:
    """The scales of the results that ONNX Runtime may compute on integers, by name."""

    def __init__(self) -> None:
        self._steps: dict[str, float] = {}
        self._results: dict[str, tuple[str, float]] = {}

    def see(self, op: str, operands: Sequence[Term | None], made: str) -> None:
        """Takes note of a node.

        Args:
            op: its operator.
            operands: what it reads.
            made: the name of its first result.
        """
        first = str(operands[0].handle) if operands and operands[0] is not None else ""
        if op == "DequantizeLinear":
            self._steps[made] = _step(operands[1])
        elif op in PASSED and first in self._results:
            self._results[made] = self._results[first]
        elif op in LIMITS:
            read = [self._steps.get(str(term.handle)) for term in operands if term is not None]
            steps = [step for step in read if step is not None]
            if len(steps) == len(read):
                self._results[made] = op, math.prod(steps) if op == "Mul" else max(steps)

    def are_far(self, x: Term, scale: Term | None) -> bool:
        """Whether the integers that stand for a result must not be computed from integers."""
        found = self._results.get(str(x.handle))
        if found is None:
            return False
        op, step = found
        low, high = LIMITS[op]
        return not low <= step / _step(scale) < high


def _step(scale: Term | None) -> float:
    """The scale; NaN, which is far from all, where it is not known."""
    known = None if scale is None else scale.constant
    return math.nan if known is None or known.size != 1 else float(known.item())
