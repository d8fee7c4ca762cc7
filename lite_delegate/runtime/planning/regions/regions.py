"""Regions: loops and branches of a model as one kernel each, for delegates that take them whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite_delegate_kernels import ArraySpec

from ....delegate import Body, Branches
from ....ir import Graph
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from .inlining import target_of, targets_of
from .loop_region import loop_region
from .region import CallGraph, NoRegion, Region, spec_of, target_graph, wanted


def regions_of(model: Graph, graphs: Sequence[BoundGraph]) -> dict[HostKernel, Region | NoRegion]:
    """The calls of all graphs with their loops and choices, without calls that come back to their own graph.

    Args:
        model: the main graph.
        graphs: its called subgraphs, bound.
    """
    known = {graph.index: CallGraph(graph) for graph in graphs}
    found: dict[HostKernel, Region | NoRegion] = {}
    for each in known.values():
        for call in each.calls:
            if each.graph.index in _reached(_targets(call, each), model):
                continue
            try:
                found[call] = _region(call, each, known)
            except NoRegion as why:
                found[call] = why
    return found


def _targets(call: HostKernel, graph: CallGraph) -> set[int]:
    """The subgraphs that a call may run."""
    maker = graph.makers.get(call.inputs[0])
    handles = [] if maker is None else [maker, *(graph.makers.get(handle) for handle in maker.inputs)]
    return {target_of(kernel.node) for kernel in handles if kernel is not None and kernel.type == "PartialFusion"}


def _reached(targets: set[int], model: Graph) -> set[int]:
    """Subgraphs, and the further subgraphs that they may call."""
    found, left = set(targets), list(targets)
    while left:
        new = targets_of(model.subgraph(left.pop())) - found
        found |= new
        left += new
    return found


def _region(call: HostKernel, around: CallGraph, known: Mapping[int, CallGraph]) -> Region:
    (target, *more) = call.inputs
    wanted(not more, "a call must have all its inputs bound")
    wanted(not any(each.graph.variables for each in known.values()), "the model has variables")
    chooses = around.makers.get(target)
    if chooses is not None and chooses.type == "Switch":
        return _choice(call, around.alone(chooses, [call]), around, known)
    return loop_region(call, around.alone(around.maker(target, "PartialFusion"), [call]), around, known)


def _choice(call: HostKernel, switch: NodeKernel, around: CallGraph, known: Mapping[int, CallGraph]) -> Region:
    handles = switch.inputs[1:]
    partials = [around.alone(around.maker(handle, "PartialFusion"), [switch]) for handle in handles]
    targets = [target_graph(partial, known) for partial in partials]
    wanted(all(not target.host for target in targets), "branches may not have control flow, lists or variables in them")
    inputs: list[tuple[NodeKernel, int]] = [(switch, 0)]
    places: dict[Tensor, Tensor] = {}
    bodies = []
    given = dict.fromkeys(tensor for partial in partials for tensor in partial.inputs)
    inputs += [next((p, p.inputs.index(tensor)) for p in partials if tensor in p.inputs) for tensor in given]
    for partial, target in zip(partials, targets, strict=True):
        places = dict(zip(partial.inputs, target.graph.inputs, strict=True))
        wanted(len(places) == len(partial.inputs), "a branch must be given each tensor once")
        unread = [_like(tensor) for tensor in given]
        own = tuple(places.get(tensor, other) for tensor, other in zip(given, unread, strict=True))
        bodies.append(Body(own, target.others, target.graph.outputs))
    specs = tuple(_common(a, b) for a, b in zip(bodies[0].outputs, bodies[1].outputs, strict=True))
    nodes = (call.node, switch.node, *(partial.node for partial in partials))
    graphs = tuple(target.graph.index for target in targets)
    return Region(call, around.graph.index, nodes, graphs, tuple(inputs), Branches(*bodies), specs)


def _like(tensor: Tensor) -> Tensor:
    """A placeholder for a tensor that a branch is not given."""
    return Tensor.describe(tensor.name, tensor.dtype, tuple(tensor.shape))


def _common(a: Tensor, b: Tensor) -> ArraySpec:
    wanted(a.dtype == b.dtype and a.shape == b.shape, f"branches must give one shape, give {a.shape} and {b.shape}")
    return spec_of(a)
