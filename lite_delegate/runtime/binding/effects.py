"""Side effects: nodes that do more than give results keep their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from ...delegate import Kernel
from ...ir.traits import ASSIGNMENTS, SIDE_EFFECTS
from ...tensors.tensor import Tensor

ACTING = (SIDE_EFFECTS | {"TensorArrayRead"}) - ASSIGNMENTS - {"Depend"}
"""Operators that must not pass each other. Depend, which is kept for its order too, has that order from its inputs."""
NOTHING: Mapping[Kernel, Sequence[Kernel]] = MappingProxyType({})
"""No graph kernels."""


def effect_edges(
    kernels: Sequence[Kernel],
    variables: Collection[Tensor] = (),
    replaced: Mapping[Kernel, Sequence[Kernel]] = NOTHING,
) -> list[set[int]]:
    """For each kernel, the kernels before it that it must not overtake, beyond those it reads from.

    1. Kernels in ``ACTING`` keep their order among each other.
    2. An assignment stays between the kernels that read or assign its variable. It may pass assignments of other
       variables.
    3. A kernel that reads or assigns a variable stays between the acting kernels that it is between: any of them may
       be a call that assigns.
    4. A graph kernel counts as the kernels that it stands for (``replaced``) do.
    """
    known = frozenset(variables)
    edges: list[set[int]] = []
    acted: set[int] = set()
    assigned: dict[Tensor, int] = {}
    readers: defaultdict[Tensor, set[int]] = defaultdict(set)
    for i, kernel in enumerate(kernels):
        nodes = replaced.get(kernel, (kernel,))
        targets = {node.inputs[0] for node in nodes if node.type in ASSIGNMENTS}
        read = {t for node in nodes for t in node.inputs if t in known} - targets
        before: set[int] = set()
        if not ACTING.isdisjoint([node.type for node in nodes]):
            before = acted.union(assigned.values(), *readers.values())
            acted, assigned = {i}, {}
            readers.clear()
        elif targets or read:
            before = acted | {assigned[t] for t in targets | read if t in assigned}
            before.update(*(readers.pop(t, ()) for t in targets))
        assigned.update(dict.fromkeys(targets, i))
        for t in read:
            readers[t].add(i)
        edges.append(before)
    return edges
