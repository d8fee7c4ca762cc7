"""Cases of convolutions whose weight and bias are constants, in either direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...judging.case import Array, ConformanceCase

Pair = tuple[int, int]
Loop = Callable[[Array, Array, Array | None, Pair, Pair, Mapping[str, Any]], Array]


def convolution_case(
    op_type: str,
    loop: Loop,
    name: str,
    x: Array,
    weight: Array,
    bias: Array | None,
    out: Pair,
    start: Pair,
    attributes: Mapping[str, Any],
    tolerance: float = 1e-5,
) -> ConformanceCase:
    """A case with the outputs of a loop.

    Args:
        op_type: the operator.
        loop: the function from input, weight, bias, ``out``, ``start`` and attributes to the output.
        name: of the case.
        x: the input.
        weight: the weight.
        bias: the bias, None for none.
        out: rows and columns of the output.
        start: where the output begins, as the loop counts.
        attributes: of the node.
        tolerance: relative and absolute.
    """
    inputs = (x, weight) if bias is None else (x, weight, bias)
    outputs = (loop(x, weight, bias, out, start, attributes),)
    return ConformanceCase(name, op_type, inputs, outputs, attributes, frozenset({1, 2}), tolerance, tolerance)
