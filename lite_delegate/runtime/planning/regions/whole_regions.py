"""Loops and branches that a delegate takes whole: one node takes their place before delegates claim other nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from lite_delegate_kernels import Array, ArraySpec

from ....basics.data_class import dataclass
from ....delegate import Delegate, Rejected, Supported
from ....ir import Graph, Node, Value, custom_primitive, custom_type, from_numpy, joined_sources
from ....ir.custom import OUTPUTS
from ....tensors.tensor import Tensor
from ...binding.host import CustomOperator
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from ...lifetimes.session import Session
from ...records.notices import Notices
from ..claims.claims import ask
from ..shapes.inferring import InferredModel
from .endless import too_many
from .inlining import inlined, targets_of
from .region import NoRegion, Region
from .regions import regions_of

RunAlone = Callable[[Graph, Mapping[Value, tuple[int, ...]], Sequence[Array]], Sequence[Array]]
"""Runs a graph on the CPU, for these shapes of its inputs."""


def with_whole_regions(
    inferred: InferredModel, session: Session, notices: Notices, most_rounds: int, run_alone: RunAlone
) -> InferredModel:
    """The model with one node for each loop and choice that a delegate takes whole, the inner ones first.

    Args:
        inferred: the model, which calls subgraphs.
        session: the session of the delegates. The delegates that take control flow are asked, up to the first that does
            not: that delegate comes first to the nodes of the bodies.
        notices: gets the reasons why regions are not taken whole.
        most_rounds: the most rounds that a loop may have: no limit ends a loop that runs on a device.
        run_alone: runs the original nodes where the delegate fails.
    """
    there = [each for each in session.delegates if each.name not in session.absent]
    takers = list(takewhile(lambda each: each.takes_control_flow, there))
    if not takers:
        return inferred
    graph = inlined(inferred.graph)
    flat = inferred if graph is inferred.graph else inferred.of(graph)
    search = _RegionSearch(takers, notices, most_rounds)
    while chosen := search.chosen(flat):
        operators = [_operator(each, graph, run_alone) for each in chosen]
        flat = flat.of(_rewritten(flat.graph, chosen, set(flat.specs)), {each.type: each for each in operators})
    for name, why in search.reasons:
        notices.note(f"'{name}' is not handed over whole, but its subgraphs are: {why}.")
    return flat if search.made else inferred


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """A region that is taken, and the node in its place."""

    region: Region
    node: Node


class _RegionSearch:
    """Finds the regions that delegates take, in a model whose inner regions become nodes.

    Args:
        takers: delegates to be asked.
        notices: gets the errors of the questions.
        most_rounds: the most rounds that a loop may have.

    Attributes:
        made: the number of nodes that were made.
    """

    def __init__(self, takers: Sequence[Delegate], notices: Notices, most_rounds: int) -> None:
        self._takers, self._notices, self._most_rounds = takers, notices, most_rounds
        self._objections: dict[Node, str] = {}  # by calls that are regions: they are asked for once
        self._left: dict[HostKernel, str] = {}
        self.made = 0

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """The names of calls that are left, and why each is."""
        return [(call.name, why) for call, why in self._left.items()]

    def chosen(self, model: InferredModel) -> list[_Chosen]:
        """The regions of a model that are taken."""
        found: list[_Chosen] = []
        self._left = {}
        for call, region in regions_of(model.graph, model.bind()).items():
            why = str(region) if isinstance(region, NoRegion) else self._objections.get(call.node)
            if why is None and isinstance(region, Region):
                node = _node(region, f"{call.node.name or 'Call'}#{self.made}", model.graph)
                why = self._objection(node, region)
                if not why:
                    found.append(_Chosen(region, node))
                    self.made += 1
                    continue
                self._objections[call.node] = why
            self._left[call] = str(why)
        return found

    def _objection(self, node: Node, region: Region) -> str:
        endless = too_many(region.control_flow, self._most_rounds)
        return _objection(self._takers, _kernel(node, region), self._notices, endless)


def _objection(takers: Sequence[Delegate], kernel: NodeKernel, notices: Notices, endless: str) -> str:
    """The reason why no delegate takes a kernel, "" where one does.

    Args:
        takers: the delegates to be asked.
        kernel: a loop or a choice.
        notices: gets the errors of the questions.
        endless: why the kernel is not for delegates that refuse endless loops; "" where it is for all delegates.
    """
    reasons = []
    for delegate in takers:
        if endless and not delegate.takes_endless_loops:
            reasons.append(endless)
            continue
        answer = ask(delegate, [kernel], notices.warnings)[kernel]
        if isinstance(answer, Supported):
            return ""
        if isinstance(answer, Rejected):
            reasons.append(f"{delegate.name}: {answer.reason}")
    return "; ".join(dict.fromkeys(reasons)) or "no delegate says whether it takes the node"


def _node(region: Region, name: str, graph: Graph) -> Node:
    call = region.call.node
    inside = [node for index in region.graphs for node in graph.subgraph(index).nodes]
    sources = joined_sources([node.sources for node in (*region.nodes, *inside)])
    kind = type(region.control_flow).__name__
    values = [kernel.node.inputs[place] for kernel, place in region.inputs]
    told = [[spec.dtype.name, list(spec.shape or ())] for spec in region.outputs]
    primitive = custom_primitive(f"{kind}@{name}", {OUTPUTS: told})
    return Node(call.name, primitive, values, list(call.outputs), sources=sources)


def _kernel(node: Node, region: Region) -> NodeKernel:
    """The kernel of the node that delegates are asked about."""
    inputs = [kernel.inputs[place] for kernel, place in region.inputs]
    outputs = [
        Tensor.describe(value.name, from_numpy(spec.dtype), spec.shape)
        for value, spec in zip(node.outputs, region.outputs, strict=True)
    ]
    kernel = NodeKernel(node.name, node, inputs, outputs, None)
    kernel.control_flow = region.control_flow
    return kernel


def _operator(chosen: _Chosen, graph: Graph, run_alone: RunAlone) -> CustomOperator:
    """The custom operator that the runtime knows a region's node by: its shapes, and the function that runs in its
    place.
    """
    region, node = chosen.region, chosen.node
    values = {value: place for place, value in enumerate(node.inputs) if value is not None and not value.is_constant}
    alone = Graph(node.name, list(values), list(node.outputs), list(region.nodes), graph.subgraphs)

    def run(arrays: Sequence[Array | None], _: Mapping[str, bytes]) -> Sequence[Array]:
        given = [array for place in values.values() if (array := arrays[place]) is not None]
        shapes = {value: array.shape for value, array in zip(values, given, strict=True)}
        return run_alone(alone, shapes, given)

    def infer(*_: object) -> Sequence[ArraySpec]:
        return region.outputs

    return CustomOperator(custom_type(node.primitive), run, infer, region.control_flow)


def _rewritten(graph: Graph, chosen: Sequence[_Chosen], known: set[int]) -> Graph:
    """The graph with the nodes in place of the regions, and without the subgraphs that no call names any more."""
    graphs = [_with_nodes(each, chosen) for each in enumerate(graph.all_graphs())]
    called, left = {0}, [0]
    for index in left:
        new = targets_of(graphs[index]) - called
        called |= new
        left += sorted(new)
    main, *subgraphs = [
        Graph(each.name, [], [], []) if index in known - called else each for index, each in enumerate(graphs)
    ]
    return replace(main, subgraphs=subgraphs)


def _with_nodes(numbered: tuple[int, Graph], chosen: Sequence[_Chosen]) -> Graph:
    """One graph with the nodes that are in it."""
    index, graph = numbered
    own = [each for each in chosen if each.region.index == index]
    places = {each.region.call.node: each.node for each in own}
    gone = {node for each in own for node in each.region.nodes} - places.keys()
    return replace(graph, nodes=[places.get(node, node) for node in graph.nodes if node not in gone])
