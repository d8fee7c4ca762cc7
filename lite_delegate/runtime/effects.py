"""Nodes that do something besides giving results stay in their order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..delegate import Kernel
from ..passes import SIDE_EFFECTS
from ..tensor import Tensor

ORDERED = (SIDE_EFFECTS | {"TensorArrayRead"}) - {"Depend"}
"""Operators that must not pass each other. Depend, which is kept for its order too, has that from what it reads."""


def effect_edges(kernels: Sequence[Kernel], variables: Collection[Tensor] = ()) -> list[set[int]]:
    """For each kernel, the kernels before it that it must not overtake, beyond those it reads from.

    1. Kernels in ``ORDERED`` keep their order among each other.
    2. A kernel that reads a variable stays between the ordered kernels that it is between: any of them may
       be a call that assigns.
    """
    edges: list[set[int]] = []
    last: int | None = None
    readers: list[int] = []
    for i, kernel in enumerate(kernels):
        is_ordered = kernel.type in ORDERED
        reads = bool(variables) and any(t in variables for t in kernel.inputs)
        edges.append({last} if last is not None and (is_ordered or reads) else set())
        if is_ordered:
            edges[i].update(readers)
            last, readers = i, []
        elif reads:
            readers.append(i)
    return edges
