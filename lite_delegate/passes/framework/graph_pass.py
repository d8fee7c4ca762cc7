"""Passes over graphs, and how they are run: every output and every replaced value stays what it was."""

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
    """Applies passes one after another, verifies the graph, and checks what each pass must keep (``kept.KeptChecks``).

    Nodes of the file that a pass leaves no node for are added to ``Graph.removed``.

    Args:
        graph: a verified graph.
        passes: in the order in which they run.
        progress: called with the name of each pass before it runs.
        after: called with the name of each pass and the graph after it.

    Raises:
        GraphError: a pass comes before one that it must follow, gives a graph that breaks a rule, changes what it
            was given, gives a value another type or shape than it had, or says that nothing changed but gives
            another graph; the message names the pass.
        ModelFormatError: a pass met what it was not made for; the message names it.
        RequestCancelled: nobody wants the graph any more; that is looked at before each pass.
    """
    if not passes:
        return PassResult(graph, modified=False)
    from .inferring import remembered  # here, because it imports the reference kernels
    from .kept import KeptChecks

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
    """Checks that every pass comes after those it must follow.

    Raises:
        GraphError: names the two passes.
    """
    check_order_of(passes, GraphError)
