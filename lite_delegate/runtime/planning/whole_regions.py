"""Loops and branches that a delegate takes whole: one node in their place, before delegates are asked for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from lite_delegate_kernels import Array, ArraySpec

from ...data_class import dataclass
from ...delegate import Delegate, Rejected, Rounds, Supported
from ...ir import Graph, Node, Value, custom_primitive, custom_type, from_numpy, joined_sources
from ...ir.custom import OUTPUTS
from ...tensor import Tensor
from ..binding.host import CustomOperator
from ..binding.node_kernel import NodeKernel
from ..lifetimes.session import Session
from ..records.notices import Notices
from .claims import ask
from .inferring import InferredModel
from .inlining import inlined, target_of
from .regions import Region, regions_of

RunAlone = Callable[[Graph, Mapping[Value, tuple[int, ...]], Sequence[Array]], Sequence[Array]]
"""Runs a graph on the CPU, for these shapes of its inputs."""


def with_whole_regions(
    inferred: InferredModel, session: Session, notices: Notices, most_rounds: int, run_alone: RunAlone
) -> InferredModel:
    """The model with one node for each loop and choice that a delegate takes whole.

    Args:
        inferred: the model, which calls subgraphs.
        session: with the delegates; those are asked that take control flow. Behind one that does not nobody is, since
            it comes first to what bodies run.
        notices: gets why one is not taken whole.
        most_rounds: that a loop may have: nothing ends one that runs on a device.
        run_alone: runs what stands there now, where the delegate fails.
    """
    there = [each for each in session.delegates if each.name not in session.absent]
    takers = list(takewhile(lambda each: each.takes_control_flow, there))
    if not takers:
        return inferred
    chosen: list[_Chosen] = []
    graph = inlined(inferred.graph)
    flat = inferred if graph is inferred.graph else inferred.of(graph)
    for call, region in regions_of(flat.bind()).items():
        why = str(region)
        if isinstance(region, Region):
            node = _node(region, f"{call.node.name or 'Call'}#{len(chosen)}", graph)
            why = _objection(takers, _kernel(node, region), notices, _too_many(region, most_rounds))
            if not why:
                chosen.append(_Chosen(region, node))
        if why:
            notices.note(f"'{call.name}' is not handed over whole, what it runs is: {why}.")
    if not chosen:
        return inferred
    operators = [_operator(each, graph, run_alone) for each in chosen]
    rewritten = _rewritten(graph, chosen, set(inferred.specs))
    return inferred.of(rewritten, {each.type: each for each in operators})


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """A region that is taken, and the node in its place."""

    region: Region
    node: Node


def _too_many(region: Region, most: int) -> str:
    """Why a loop has too many rounds for a device, on which nothing ends it; "" where it has not."""
    if not isinstance(region.control_flow, Rounds):
        return ""
    rounds = region.control_flow.most
    if rounds is None:
        return "a constant must bound its rounds: nothing ends it on a device"
    return "" if rounds <= most else f"its {rounds:,} rounds are more than Context.step_limit, {most:,}"


def _objection(takers: Sequence[Delegate], kernel: NodeKernel, notices: Notices, endless: str) -> str:
    """Why no delegate takes a kernel, "" where one does.

    Args:
        takers: to be asked.
        kernel: a loop or a choice.
        notices: gets what goes wrong when they are asked.
        endless: why the kernel is not for those that do not take endless loops; "" where it is for all.
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
    return "; ".join(dict.fromkeys(reasons)) or "no delegate says whether it takes it"


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
    """The node as a delegate is asked for it."""
    inputs = [kernel.inputs[place] for kernel, place in region.inputs]
    outputs = [
        Tensor.describe(value.name, from_numpy(spec.dtype), spec.shape)
        for value, spec in zip(node.outputs, region.outputs, strict=True)
    ]
    kernel = NodeKernel(node.name, node, inputs, outputs, None)
    kernel.control_flow = region.control_flow
    return kernel


def _operator(chosen: _Chosen, graph: Graph, run_alone: RunAlone) -> CustomOperator:
    """What the runtime knows of the node: its shapes, and what runs in its place."""
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
    """The graph with the nodes, and without what was in subgraphs that were called and are not any more."""
    places = {each.region.call.node: each.node for each in chosen}
    gone = {node for each in chosen for node in each.region.nodes} - places.keys()
    nodes = [places.get(node, node) for node in graph.nodes if node not in gone]
    called, left = {0}, [nodes]
    for each in left:
        new = {target_of(node) for node in each if node.op_type == "PartialFusion"} - called
        called |= new
        left += [graph.subgraph(index).nodes for index in sorted(new)]
    subgraphs = [
        Graph(each.name, [], [], []) if index in known - called else each
        for index, each in enumerate(graph.subgraphs, 1)
    ]
    return replace(graph, nodes=nodes, subgraphs=subgraphs)
