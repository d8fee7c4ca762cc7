"""Side effects: nodes that do more than give results keep their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from ...delegate import Kernel
from ...ir.traits import SIDE_EFFECTS
from ...tensors.tensor import Tensor

ORDERED = (SIDE_EFFECTS | {"TensorArrayRead"}) - {"Depend"}
"""Operators that must not pass each other. Depend, which is kept for its order too, has that order from its inputs."""
NOTHING: Mapping[Kernel, Sequence[Kernel]] = MappingProxyType({})
"""No graph kernels."""


def effect_edges(
    kernels: Sequence[Kernel],
    variables: Collection[Tensor] = (),
    replaced: Mapping[Kernel, Sequence[Kernel]] = NOTHING,
) -> list[set[int]]:
    """For each kernel, the kernels before it that it must not overtake, beyond those it reads from.

    1. Kernels in ``ORDERED`` keep their order among each other.
    2. A kernel that reads a variable stays between the ordered kernels that it is between: any of them may
       be a call that assigns.
    3. A graph kernel counts as the kernels that it stands for (``replaced``) do.
    """
    edges: list[set[int]] = []
    last: int | None = None
    readers: list[int] = []
    for i, kernel in enumerate(kernels):
        nodes = replaced.get(kernel, (kernel,))
        is_ordered = any(node.type in ORDERED for node in nodes)
        reads = bool(variables) and any(t in variables for node in nodes for t in node.inputs)
        edges.append({last} if last is not None and (is_ordered or reads) else set())
        if is_ordered:
            edges[i].update(readers)
            last, readers = i, []
        elif reads:
            readers.append(i)
    return edges
