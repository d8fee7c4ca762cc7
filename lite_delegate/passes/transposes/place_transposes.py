"""PlaceTransposesPass: moves transposes across nodes that allow it, until no move saves elements any more."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from ...ir import Graph, Node, Value
from ..framework.base import PassResult
from ..framework.graph_pass import GraphPass
from ..framework.rewriting import rewrite_graphs
from ..framework.variables import variables_of
from .network import Network, network_of, permutation
from .rebuild import rebuilt
from .search import best_labels


class PlaceTransposesPass(GraphPass):
    """Chooses for each node the order of axes in which it runs so that transposes move the fewest elements.

    A node may run in another order as far as its contract allows (``transposes/table.py``); a node without a contract
    stays as it is, and no transpose crosses it. The rules that follow:

    1. A transpose and its inverse around nodes that may run in either order go away, and so do transposes on all arms
       of a diamond, in front of all operands of an addition or a concatenation, and behind their result.
    2. A transpose in front of one operand alone moves behind the node when the other operands are constants (which are
       permuted once, and get leading dimensions of 1 where they have fewer dimensions), or are cheaper to transpose.
    3. Axes that a node names, as attribute or as constant, are named anew: of Concat, Split, Softmax, ReduceFusion with
       and without ``keep_dims``, ArgMaxFusion, Squeeze, Unsqueeze, Stack, Unstack, Gather, CumSum. So are entries that
       stand for an axis each: of SliceFusion, StridedSlice (with named axes), PadFusion, TileFusion.
    4. Transposes that leave the last axis last cross operators with parameters for it (BatchNorm, PReLU, ...).
    5. A transpose crosses a Reshape or Flatten whose groups of axes it keeps together, such as one that adds or drops
       axes of one element.
    6. Successive transposes become one, equal transposes become one, and transposes that change nothing go away.
    7. Inputs and outputs of the graph keep name, order and shape: a transpose that an input or output needs stays.
    8. Values with quantization parameters for each channel, packed constants and variables are not permuted; values
       with one parameter, or none, may be, also between quantized nodes.

    The result moves fewer elements than the given graph, or as many with fewer transposes; or nothing is changed.
    Sums along permuted axes may be added up in another order; all other results are the same bit for bit.

    NOTE: where the groups of a Reshape follow from the declared shapes alone, the Reshape gets the declared numbers, so
    a model that is resized to shapes with other groups fails there instead of giving wrong results.
    """

    name: ClassVar[str] = "place-transposes"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with fewer transposes; idempotent."""
        variables = variables_of(graph)

        return rewrite_graphs(graph, lambda each: _placed(each, variables))


def _placed(graph: Graph, variables: frozenset[Value]) -> Graph:
    """The graph after repeated searches, each from the result of the one before, until no search finds savings."""
    if not any(node.op_type == "Transpose" for node in graph.nodes):
        return graph
    network, is_rebuilt = network_of(graph, variables), False
    while (moved := _moved(graph, network)) > (0, 0):
        labels = best_labels(network)
        if is_rebuilt and not labels:
            break  # nothing can move, and transposes behind each other have been joined
        made = rebuilt(network, labels)
        after = network_of(made, variables)
        if _moved(made, after) >= moved:
            break
        graph, network, is_rebuilt = made, after, True
    return graph


def _moved(graph: Graph, network: Network) -> tuple[int, int]:
    """The elements that all transposes of a graph move, and their number."""
    found = [node for node in graph.nodes if permutation(node, network.facts) is not None]
    return sum(_elements(node, network) for node in found), len(found)


def _elements(node: Node, network: Network) -> int:
    spec = network.facts.specs.get(node.outputs[0])
    return 0 if spec is None else prod(abs(d) for d in spec.shape or ())
