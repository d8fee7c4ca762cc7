"""Sameness: whether two plans have the same nodes, apart from the shapes of their tensors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from ....delegate import Kernel
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph

TensorTwins = dict[Tensor, Tensor]
"""The tensors of one plan by their counterparts in another plan; constants are left out."""


def twins_of(before: Sequence[BoundGraph], now: Sequence[BoundGraph]) -> TensorTwins | None:
    """The tensors of ``now`` by the tensors of ``before``; None where the nodes or the constants differ.

    Constants follow from shapes (``preparing``), and a graph kernel may hold copies of constants: it can go on in
    another plan only where the constants are the same.
    """
    if [graph.index for graph in before] != [graph.index for graph in now]:
        return None
    twins: TensorTwins = {}
    for a, b in zip(before, now, strict=True):
        ends = zip((*a.inputs, *a.outputs), (*b.inputs, *b.outputs), strict=True)
        named = {kernel.name: kernel for kernel in b.kernels}
        is_same = (
            len(a.kernels) == len(b.kernels)
            and all(_fit(x, y, twins) for x, y in ends)
            and all(_are_twins(kernel, named.get(kernel.name), twins) for kernel in a.kernels)
        )
        if not is_same:
            return None
    return twins


def same_kernels(before: Sequence[Kernel], now: Sequence[Kernel]) -> bool:
    """True if kernels have the same names, attributes and constants, one after the other."""
    twins: TensorTwins = {}
    return all(a is not None and _are_twins(a, b, twins) for a, b in zip_longest(before, now))


def _are_twins(a: Kernel, b: Kernel | None, twins: TensorTwins) -> bool:
    """True if two kernels are the same and their tensors are twins; adds their outputs to ``twins``."""
    if b is None or (a.name, a.type, a.primitive) != (b.name, b.type, b.primitive):
        return False
    pairs = zip_longest((*a.operands, *a.outputs), (*b.operands, *b.outputs))
    return len(a.operands) == len(b.operands) and all(_fit(x, y, twins) for x, y in pairs)


def _fit(a: Tensor | None, b: Tensor | None, twins: TensorTwins) -> bool:
    if a is None or b is None:
        return a is b
    if not a.is_const and not b.is_const:
        return twins.setdefault(a, b) is b
    if not (a.is_const and a.has_data and b.is_const and b.has_data):
        return False
    return a.data is b.data or (a.dtype == b.dtype and np.array_equal(a.data, b.data))
