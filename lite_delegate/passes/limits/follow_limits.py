"""FollowLimitsPass: nodes that exceed a delegate's limits, in an equal form that does not."""

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
from .decomposition import rewrite_in_parts
from .facts import Ask, RewriteFacts
from .movement import Shape
from .rewrite import Rewrite

_ROUNDS = 8
"""The most rounds over the chains. Rounds end when no chain is rewritten: a rewrite shortens a chain, or makes the
delegate take more of its nodes.
"""


class FollowLimitsPass(GraphPass):
    """Puts nodes that exceed a delegate's limits in an equal form that the delegate takes.

    1. Elementwise operators, Softmax, Concat, Stack, ReduceFusion, MatMulFusion and the like over too many axes are
       computed over fewer axes, where axes can be merged.
    2. A chain of Reshape, Transpose, Squeeze, Unsqueeze, Split, Unstack, slices, Gather of one index, DepthToSpace and
       SpaceToDepth becomes its shortest form: at most a slice, a Reshape, a Transpose, a Reshape; several transposes
       where a device takes only few axes or permutations.
    3. An Activation, Clip, LayerNormFusion, BroadcastTo, TileFusion or Gather that is rejected becomes the operators
       that it consists of, where the delegate takes all of these.
    4. A node stays where the delegate takes it, and where it would not take more nodes of the other form.
    5. Values of open shapes, variables, packed constants and nodes quantized by channel stay.
    6. Without limits nothing changes.

    Rules 1 and 2 move elements and change none; rule 3 rounds as the parts do. ``DeadCodePass`` removes the nodes that
    are left without a reader.

    Args:
        limits: the delegate's limits.
        ask: the delegate's answer for a node, in the graph or not.
        shapes: the known shapes of the graph's values.

    Attributes:
        rewrites: the rewrites in order, once the pass has run.
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
