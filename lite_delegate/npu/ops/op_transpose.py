"""Transpose: a permute."""

from __future__ import annotations

from ...delegate import Kernel
from ..ir.builder import Builder
from ..ir.layout import Axes
from ..ir.lowering import Lowering
from ..semantics.operands import int_values, normalized, required

NWC_TO_NCW = (0, 2, 1)
"""What the four-long permutation (0, 3, 1, 2) or (0, 2, 3, 1) means for a tensor of rank 3."""


def resolved_permutation(given: Axes, rank: int) -> Axes:
    """The permutation for a tensor of that rank.

    None given reverses the axes; four axes for rank 3 swap the last two; any other length changes nothing.
    Negative axes count from the end.
    """
    if not given:
        return tuple(reversed(range(rank)))
    if len(given) == rank:
        return tuple(normalized(axis, rank) for axis in given)
    return NWC_TO_NCW if (len(given), rank) == (4, 3) else tuple(range(rank))


def lower_transpose(kernel: Kernel, builder: Builder) -> None:
    """Emits a permute.

    NOTE: MindSpore Lite's NPU takes only the two layout permutations and runs each on the host, between two
    device models. Here a permute is an instruction like any other, so every permutation is taken.
    """
    x, out = required(kernel, 0), kernel.outputs[0]
    permutation = resolved_permutation(int_values(required(kernel, 1)), len(x.shape))
    builder.alias(out, builder.permuted(builder.read(x), permutation))


LOWERING = Lowering("Transpose", lower_transpose)
