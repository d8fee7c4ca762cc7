"""FollowLimitsPass: what exceeds a delegate's limits in an equal form that does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ...delegate import DelegateLimits
from ...ir import Graph, Value
from ..framework.base import PassResult
from ..framework.draft import Draft
from ..framework.graph_pass import GraphPass
from ..framework.rewriting import rewrite_drafts
from .axes import rewrite_axes
from .chains import rewrite_chains
from .facts import Ask, RewriteFacts
from .movement import Shape
from .rewrite import Rewrite
from .taken_apart import rewrite_in_parts

_ROUNDS = 8
"""Chains are gone through until none is rewritten, since each one is shorter then or the delegate takes more of it."""


class FollowLimitsPass(GraphPass):
    """Puts what exceeds a delegate's limits in an equal form that the delegate takes.

    1. Elementwise operators, Softmax, Concat, Stack, ReduceFusion, MatMulFusion and the like over too many axes are
       computed over fewer, where these can be merged.
    2. A chain of Reshape, Transpose, Squeeze, Unsqueeze, Split, Unstack, slices, Gather of one index, DepthToSpace and
       SpaceToDepth becomes what is left of it: at most a slice, a Reshape, a Transpose, a Reshape; several transposes
       where a device takes only few axes or permutations.
    3. An Activation, Clip, LayerNormFusion, BroadcastTo, TileFusion or Gather that is rejected becomes the operators
       that it consists of, where all of these are taken.
    4. A node stays where the delegate takes it, and where it would not take more nodes of the other form.
    5. Values of open shapes, variables, packed constants and nodes quantized by channel stay.
    6. Without limits nothing changes.

    By 1 and 2 elements are moved, none is changed; 3 rounds as the parts do. What is left without a reader is for
    ``DeadCodePass``.

    Args:
        limits: of the delegate.
        ask: the delegate's answer for a node, in the graph or not.
        shapes: of the graph's values, as far as they are known.

    Attributes:
        rewrites: what was rewritten, in order, once the pass has run.
    """

    name: ClassVar[str] = "follow-limits"

    def __init__(self, limits: DelegateLimits, ask: Ask, shapes: Mapping[Value, Shape | None]) -> None:
        self._limits = limits
        self._ask = ask
        self._shapes = shapes
        self.rewrites: tuple[Rewrite, ...] = ()

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with the forms that the delegate takes; idempotent."""
        if not self._limits.are_known:
            return PassResult(graph, modified=False)
        return rewrite_drafts(graph, self._rewrite)

    def _rewrite(self, draft: Draft) -> None:
        facts = RewriteFacts(draft, self._shapes, self._limits, self._ask)
        made: Sequence[Rewrite] = [*rewrite_in_parts(facts), *rewrite_axes(facts)]
        for _ in range(_ROUNDS):
            self.rewrites += tuple(made)
            made = list(rewrite_chains(facts))
            if not made:
                return
        self.rewrites += tuple(made)
