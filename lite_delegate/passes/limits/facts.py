"""RewriteFacts: facts about a graph for the rewrites that limits of a delegate require."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...basics.data_class import dataclass
from ...delegate import DelegateLimits, Rejected
from ...ir import Node, Value
from ..framework.draft import Array, Draft
from .movement import Shape

Ask = Callable[[Node], Rejected | None]
"""Why a delegate does not take a node, None where it does; also for nodes that are in no graph yet."""


@dataclass(frozen=True, slots=True)
class RewriteFacts:
    """The facts about a graph, and about the delegate that it is rewritten for.

    Attributes:
        draft: the present graph.
        shapes: the known shapes of the values of the first graph.
        limits: the delegate's limits.
        ask: the delegate's answer for a node.
    """

    draft: Draft
    shapes: Mapping[Value, Shape | None]
    limits: DelegateLimits
    ask: Ask

    def shape(self, value: Value | None) -> Shape | None:
        """The shape of a value; None where it is not known, or has a dimension of 0."""
        shape = None if value is None else self.shapes.get(value, value.shape)
        return None if shape is None or min(shape, default=1) < 1 else tuple(shape)

    def constant(self, value: Value | None) -> Array | None:
        """The elements of a constant, as ``Draft.constant``."""
        return self.draft.constant(value)

    def ints(self, value: Value | None) -> list[int] | None:
        """The elements of a constant of whole numbers; None for everything else."""
        data = self.constant(value)
        return None if data is None or data.dtype.kind not in "iu" else [int(n) for n in data.reshape(-1)]

    def is_tall(self, value: Value | None) -> bool:
        """True for a value of more dimensions than the delegate takes."""
        shape = self.shape(value)
        return shape is not None and not self.limits.allows_rank(len(shape))
