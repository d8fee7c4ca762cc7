"""Preparing: from the user's graph and the shapes of its inputs to the graph of one plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lite_delegate_kernels import ArraySpec

from ....ir import Graph, Source, Value, joined_sources
from ....passes import Draft, rewrite_drafts, run_passes, with_removed
from ....passes.constants.constant_folding import fold_constants
from ...binding.inference import Operators
from ...binding.specs import Specs


def prepare(graph: Graph, specs: Mapping[int, Specs], operators: Operators) -> Graph:
    """The graph that a plan is made of. The given graph stays as it is, for the next plan.

    1. Values that follow from the shapes become constants: Shape, values computed from it, and tensors filled to such
       a size.
    2. Where rule 1 changed the graph, nodes that do nothing in these shapes are removed, and patterns that only known
       shapes show become one operator (``passes.optimize.passes_for_plan``).
    3. Nodes that nobody reads any more are removed.

    Inputs and outputs are the given objects, and so is every value that a node still gives. ``Graph.removed`` lists the
    nodes of the file that no node comes from any more.

    Args:
        graph: a verified graph.
        specs: the specs of its values in the shapes of the plan, by graph index.
        operators: the kernels of the CPU, which compute the constants.
    """
    by_graph = {index: _arrays(found) for index, found in specs.items()}
    known = {graph.subgraph(index): found for index, found in by_graph.items()}

    def fold(draft: Draft) -> None:
        fold_constants(draft, known.get(draft.graph, {}), operators.fast)

    folded = rewrite_drafts(graph, fold)
    if not folded.modified:
        return graph
    from ....passes.optimize import passes_for_plan  # models of known shapes have nothing to fold

    everything = {value: spec for found in by_graph.values() for value, spec in found.items()}
    fused = run_passes(folded.graph, passes_for_plan(everything)).graph
    return _with_names(graph, with_removed(graph, fused))


def _with_names(before: Graph, after: Graph) -> Graph:
    """The graph whose removed nodes include, by name, those that come from no file."""
    kept = {value for each in after.all_graphs() for node in each.nodes for value in node.outputs}
    nodes = [node for each in before.all_graphs() for node in each.nodes if not node.sources]
    gone = [Source(node.name, node.op_type) for node in nodes if kept.isdisjoint(node.outputs)]
    return replace(after, removed=joined_sources([after.removed, gone]))


def _arrays(specs: Specs) -> dict[Value, ArraySpec]:
    return {value: spec for value, spec in specs.items() if isinstance(spec, ArraySpec)}
