"""Growing: adds nodes to keep in float32, from the kernels that lose digits towards the model's inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...runtime.binding.node_kernel import NodeKernel
from ...tensors.tensor import Tensor
from ..loss import Loss
from .losses import WORTH_SHOWING

LossesOf = Callable[[frozenset[str]], Sequence[Loss]]


class Origins:
    """The makers of a model's values, by the nodes that read them.

    Args:
        nodes: that may be kept, in execution order.
    """

    def __init__(self, nodes: Iterable[NodeKernel]) -> None:
        self._nodes: Mapping[str, NodeKernel] = {node.name: node for node in nodes}
        self._makers: Mapping[Tensor, str] = {t: name for name, node in self._nodes.items() for t in node.outputs}

    def behind(self, name: str, depth: int) -> frozenset[str]:
        """A node, and all that lie at most so many steps before it."""
        found, front = {name}, {name}
        for _ in range(depth):
            before = {self._makers[t] for each in front for t in self._nodes[each].inputs if t in self._makers}
            front = before - found
            found |= front
        return frozenset(found)


def grown(nodes: Sequence[NodeKernel], holds: Callable[[frozenset[str]], bool], losses: LossesOf) -> frozenset[str]:
    """A set of nodes that holds: all nodes where nothing smaller is found on the way.

    1. The node that loses most digits is kept, with the nodes that make its inputs.
    2. Where the same node loses most again, its inputs were spoiled further up: one more step before it is kept.
    3. Where it has nothing further before it, the node that loses next most has its turn.
    4. Where no node loses more than a rounding, but all together too much, all nodes are kept.

    Keeping all is known to hold: nothing is rounded then. Each step keeps one node more at least.
    """
    origins, kept, depths = Origins(nodes), frozenset[str](), Counter[str]()
    while not holds(kept):
        added = _next(origins, kept, depths, losses(kept))
        if not added:
            return frozenset(node.name for node in nodes)
        kept |= added
    return kept


def _next(origins: Origins, kept: frozenset[str], depths: Counter[str], losses: Sequence[Loss]) -> frozenset[str]:
    """The nodes to keep next beside the kept ones; empty where every node before a node that loses digits is kept."""
    for loss in sorted(losses, key=lambda each: -each.lost_db):
        if loss.lost_bits < WORTH_SHOWING:
            break
        found = _further(origins, kept, depths, loss.kernel)
        if found:
            return found
    return frozenset()


def _further(origins: Origins, kept: frozenset[str], depths: Counter[str], name: str) -> frozenset[str]:
    """The nodes at and before a node that are not kept yet, going back by as few more steps than last time as add a
    node.
    """
    reached: frozenset[str] | None = None
    while reached is None or not reached - kept:
        depths[name] += 1
        found = origins.behind(name, depths[name])
        if found == reached:
            return frozenset()
        reached = found
    return reached - kept
