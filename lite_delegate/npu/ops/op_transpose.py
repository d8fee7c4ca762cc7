"""Transpose: a permute, or nothing at all where the layouts already differ by the permutation."""

from __future__ import annotations

from ...delegate import Kernel
from ..compiler import Builder, Layout, LayoutRule, Lowering
from ..compiler.layout import PACKED_RANK, Axes, model_axes
from ..operands import int_values, required

NWC_TO_NCW = (0, 2, 1)
"""What the four-long permutation (0, 3, 1, 2) or (0, 2, 3, 1) means for a tensor of rank 3."""


def resolved_permutation(given: Axes, rank: int) -> Axes:
    """The permutation for a tensor of that rank.

    None given reverses the axes; four axes for rank 3 swap the last two; any other length changes nothing.
    """
    if not given:
        return tuple(reversed(range(rank)))
    if len(given) == rank:
        return given
    return NWC_TO_NCW if (len(given), rank) == (4, 3) else tuple(range(rank))


def lower_transpose(kernel: Kernel, builder: Builder) -> None:
    """Finds a layout of the output that some buffer of the input holds already; else emits a permute.

    NOTE: MindSpore Lite's NPU takes only the two layout permutations and runs each on the host, between two
    device models. Here a permute is an instruction like any other, so every permutation is taken.
    """
    x, out = required(kernel, 0), kernel.outputs[0]
    rank = len(x.shape)
    permutation = resolved_permutation(int_values(required(kernel, 1)), rank)
    targets = tuple(Layout) if rank == PACKED_RANK else (Layout.PLAIN,)
    sources = (Layout.PLAIN,) if x.is_const else builder.layouts(x)
    for source in sources:
        for target in targets:
            if _axes(permutation, source, target) == tuple(range(rank)):
                return builder.alias(out, target, builder.read(x, source))
    source = sources[0]
    axes = _axes(permutation, source, Layout.PLAIN)
    return builder.alias(out, Layout.PLAIN, builder.permuted(builder.read(x, source), axes))


def _axes(permutation: Axes, source: Layout, target: Layout) -> Axes:
    """The device permutation from the input in ``source`` layout to the output in ``target`` layout."""
    rank = len(permutation)
    lying = model_axes(source, rank)
    return tuple(lying.index(permutation[axis]) for axis in model_axes(target, rank))


LOWERING = Lowering("Transpose", lower_transpose, LayoutRule.PLAIN)
