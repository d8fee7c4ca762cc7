"""The contract of a pass: graph in, graph out, and an honest word on whether anything changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..errors import GraphError
from ..ir import Graph, verify
from .provenance import with_removed


@dataclass(frozen=True, slots=True)
class PassResult:
    """What a pass made.

    Attributes:
        graph: the new graph; the given one when nothing changed.
        modified: whether anything changed.
    """

    graph: Graph
    modified: bool


class GraphPass(ABC):
    """A rewrite of graphs. Values, nodes and graphs that it is given are never changed: it makes new ones.

    Attributes:
        name: for messages and reports.
        runs_after: passes that must have run before this one.
    """

    name: ClassVar[str]
    runs_after: ClassVar[tuple[type[GraphPass], ...]] = ()

    @abstractmethod
    def call(self, graph: Graph) -> PassResult:
        """The graph rewritten. ``modified`` is true exactly when the result differs from what was given."""


def run_passes(graph: Graph, passes: Sequence[GraphPass], progress: Callable[[str], None] | None = None) -> PassResult:
    """Applies passes one after another, and verifies the graph after each that changed it.

    Nodes of the file that a pass leaves no node for are added to ``Graph.removed``.

    Args:
        graph: a verified graph.
        passes: in the order in which they run.
        progress: called with the name of each pass before it runs.

    Raises:
        GraphError: a pass comes before one that it must follow, gives a graph that breaks a rule, or says that
            nothing changed but gives another graph; the message names the pass.
    """
    check_order(passes)
    modified = False
    for each in passes:
        if progress is not None:
            progress(each.name)
        result = each.call(graph)
        if not result.modified and result.graph is not graph:
            raise GraphError(f"Pass '{each.name}' says that nothing changed, but gives another graph.")
        if result.modified:
            _verify_after(each, result.graph)
        graph, modified = with_removed(graph, result.graph), modified or result.modified
    return PassResult(graph, modified)


def check_order(passes: Sequence[GraphPass]) -> None:
    """Checks that every pass comes after those it must follow.

    Raises:
        GraphError: names the two passes.
    """
    for position, each in enumerate(passes):
        before = {type(p) for p in passes[:position]}
        for required in each.runs_after:
            if required not in before:
                raise GraphError(f"Pass '{each.name}' must run after pass '{required.name}'; put that one before it.")


def _verify_after(each: GraphPass, graph: Graph) -> None:
    try:
        verify(graph)
    except GraphError as e:
        raise GraphError(f"Pass '{each.name}' made a graph that breaks a rule: {e}") from e
