"""A conformance case as a graph that a model can be built from."""

from __future__ import annotations

from ...ir import Graph
from .case import Array, ConformanceCase
from .chain import chain_graph, chain_of


def case_graph(case: ConformanceCase) -> Graph:
    """A graph of the case's one node: its variable inputs are the graph's inputs, its outputs the graph's outputs."""
    return chain_graph(chain_of(case), case.outputs)


def variable_inputs(case: ConformanceCase) -> dict[str, Array]:
    """The inputs that are no constants, by their names in the graph."""
    return dict(chain_of(case).inputs)
