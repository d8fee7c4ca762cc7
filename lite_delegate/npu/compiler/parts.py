"""Parts of a run that no tensor connects: each becomes a device model of its own."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...delegate import Boundary, Kernel
from ...tensors.tensor import Tensor


@dataclass(frozen=True, slots=True)
class RunPart:
    """Kernels of a run that depend on each other and on no other kernel of the run.

    Attributes:
        kernels: in execution order.
        boundary: theirs, in the order of the run's boundary.
    """

    kernels: tuple[Kernel, ...]
    boundary: Boundary


def connected_parts(run: Sequence[Kernel], boundary: Boundary) -> list[RunPart]:
    """The connected parts of a run, in the order of their first kernels.

    Two kernels are in one part if one reads an output of the other, directly or through other kernels. Constants and
    tensors from outside connect no kernels: each part has its own. A part without outputs is left out.

    Args:
        run: kernels in execution order.
        boundary: the boundary of the run.
    """
    groups = _groups(run)
    parts = [_part(tuple(kernels), boundary) for kernels in groups]
    return [part for part in parts if part.boundary.outputs]


def _groups(run: Sequence[Kernel]) -> list[list[Kernel]]:
    """The connected components of the kernels: a forest whose roots are the first kernels of their groups."""
    parent = list(range(len(run)))
    maker: dict[Tensor, int] = {}
    for i, kernel in enumerate(run):
        for j in {maker[t] for t in kernel.inputs if t in maker}:
            a, b = sorted((_root(parent, i), _root(parent, j)))
            parent[b] = a
        maker.update(dict.fromkeys(kernel.outputs, i))
    groups: dict[int, list[Kernel]] = {}
    for i, kernel in enumerate(run):
        groups.setdefault(_root(parent, i), []).append(kernel)
    return list(groups.values())


def _root(parent: list[int], i: int) -> int:
    """The root of a tree of the forest; the path to it is halved on the way, so that paths stay short."""
    while parent[i] != i:
        parent[i] = i = parent[parent[i]]
    return i


def _part(kernels: tuple[Kernel, ...], boundary: Boundary) -> RunPart:
    read = {t for k in kernels for t in k.inputs}
    made = {t for k in kernels for t in k.outputs}
    return RunPart(
        kernels,
        Boundary(
            inputs=tuple(t for t in boundary.inputs if t in read),
            outputs=tuple(t for t in boundary.outputs if t in made),
            constants=tuple(t for t in boundary.constants if t in read),
        ),
    )
