"""Passes over graphs, and their runner: every output and every replaced value keeps its type, shape and meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from ...basics.unforeseen import rejecting_unforeseen
from ...delegate.calls.progress import progressed
from ...errors import GraphError
from ...ir import Graph
from .base import Pass, PassResult, PassRunner
from .base import check_order as check_order_of


class GraphPass(Pass[Graph]):
    """A rewrite of graphs. Values, nodes and graphs that it is given are never changed: it makes new ones.

    Inputs and outputs keep count, order, names, types and shapes, and so does every value that another node now gives.
    """


def run_passes(
    graph: Graph,
    passes: Sequence[GraphPass],
    progress: Callable[[str], None] | None = None,
    after: Callable[[str, Graph], None] | None = None,
) -> PassResult[Graph]:
    """Applies passes one after another, verifies the graph, and checks each pass (``kept_checks.KeptChecks``).

    Nodes of the file that no node comes from after a pass are added to ``Graph.removed``.

    Args:
        graph: a verified graph.
        passes: in the order in which they run.
        progress: called with the name of each pass before it runs.
        after: called with the name of each pass and the graph after it.

    Raises:
        GraphError: a pass comes before a pass that it must follow, returns a graph that breaks a rule, changes the
            given graph, changes a value's type or shape, or says that nothing changed but returns another graph; the
            message names the pass.
        ModelFormatError: a pass met a model that it was not made for; the message names the pass.
        RequestCancelled: the request was cancelled; the runner checks for that before each pass.
    """
    if not passes:
        return PassResult(graph, modified=False)
    from .inference_memory import remembered  # here, because it imports the reference kernels
    from .kept_checks import KeptChecks

    with remembered() as memory:
        with rejecting_unforeseen("What is known of the graph before any pass"):
            checks = KeptChecks(graph, memory)

        numbers = count()

        def before(name: str) -> None:
            progressed(next(numbers), len(passes))
            if progress is not None:
                progress(name)

        return PassRunner(GraphError, checks.after).run(graph, passes, before, after)


def check_order(passes: Sequence[GraphPass]) -> None:
    """Checks that every pass comes after the passes it must follow.

    Raises:
        GraphError: names the two passes.
    """
    check_order_of(passes, GraphError)
