"""Optimization of an imported graph before it is run or written: one list of passes, in order."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError
from ..ir import Graph, read_through
from .activation_forms import ActivationFormsPass
from .common_subexpressions import CommonSubexpressionsPass
from .constants.constant_folding import ConstantFoldingPass
from .dead_code import DeadCodePass
from .framework.base import PassResult
from .framework.graph_pass import GraphPass, run_passes
from .framework.specs import Specs
from .fusion import (
    ActivationFusionPass,
    AffineFusionPass,
    GeluFusionPass,
    HardSwishFusionPass,
    LayerNormFusionPass,
    MatMulTransposesPass,
    OneHotFusionPass,
    SoftmaxFusionPass,
    SwishFusionPass,
)
from .fusion.forms.pattern_pass import PatternPass
from .identities import IdentityRemovalPass
from .quantized import QuantizedFusionPass
from .transposes import PlaceTransposesPass

PATTERNS: tuple[type[PatternPass], ...] = (
    LayerNormFusionPass,
    GeluFusionPass,
    HardSwishFusionPass,
    SwishFusionPass,
    SoftmaxFusionPass,
    OneHotFusionPass,
)
"""Passes that replace the nodes that spell an operator out by the operator."""

GENERAL: tuple[GraphPass, ...] = (
    DeadCodePass(),
    ConstantFoldingPass(),
    IdentityRemovalPass(),
    ActivationFormsPass(),
    CommonSubexpressionsPass(),
    PlaceTransposesPass(),
    MatMulTransposesPass(),
    *(each() for each in PATTERNS),
    AffineFusionPass(),
    ActivationFusionPass(),
    QuantizedFusionPass(),
    CommonSubexpressionsPass(),
    DeadCodePass(),
)
"""The passes of the level "general". They keep results: bit for bit, within the rounding of a few operations, or
one quantum where integers take the place of floats."""


def passes_for_plan(specs: Specs) -> tuple[GraphPass, ...]:
    """The passes for a graph in which the shapes of one plan have just become constants.

    The passes find identities and patterns between reshapes that only known shapes show. The graph belongs to this
    plan alone.

    Args:
        specs: the specs of the graph's values in the shapes of the plan.
    """
    return (IdentityRemovalPass(specs), *(each(specs) for each in PATTERNS), DeadCodePass())


LEVELS: dict[str, tuple[GraphPass, ...]] = {"none": (), "general": GENERAL}
"""By name of the level, as ``--optimize`` takes it."""


def optimize(graph: Graph, level: str = "general", progress: Callable[[str], None] | None = None) -> PassResult[Graph]:
    """A graph that computes the same results with less work.

    Args:
        graph: a verified graph.
        level: "none" or "general".
        progress: called with the name of each pass before it runs.

    Raises:
        InputError: the level is unknown.
        GraphError: a pass made a graph that breaks a rule; the message names the pass.
    """
    if level not in LEVELS:
        raise InputError(f"optimization level must be one of {', '.join(LEVELS)}, got '{level}'.")
    result = run_passes(graph, LEVELS[level], progress)
    read = read_through(graph, result.graph, lambda other: run_passes(other, LEVELS[level]).graph)
    return PassResult(read, result.modified)
