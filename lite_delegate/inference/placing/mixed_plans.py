"""Mixed plans: plans of several devices, found by the times of the model's pieces on each, and measured whole later."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lite_delegate_kernels import Array

from ...delegate import RejectCode
from ...errors import LiteDelegateError, RequestCancelled
from ...partition import PartitionGraph
from ...partition.mixed import MixedPlacement, MixedTimes, best_placements, stretches
from ...runtime.records import PartitionRecord
from ...runtime.records.records import CPU
from .candidates import Candidate, Planner
from .piece_times import Pieces, Whole, measured_pieces

PIECES = 8
"""The number of pieces that a model is cut into."""
FEW = 3
"""The number of subgraphs from which a plan gives the times of pieces without a cut."""
FASTER = "with what is around it, it was measured to be faster here"
MOST_PLANS = 2
"""The number of best placements that are measured whole."""


def same_graph(singles: Sequence[Candidate]) -> PartitionGraph | None:
    """The graph of all plans; None where the graphs differ, or a delegate does not state its claims."""
    asked = [each.record.asked for each in singles if each.delegates]
    if not asked or any(len(graphs) != 1 for graphs in asked):
        return None
    first = asked[0][0].graph
    same = all((g.graph.names, g.graph.predecessors) == (first.names, first.predecessors) for (g,) in asked)
    return first if same and len(set(first.names)) == len(first) else None


def needs_cut(plan: Candidate) -> bool:
    """Whether a plan must be cut into pieces: a plan of several subgraphs is in pieces already."""
    return bool(plan.delegates) and len(plan.record.subgraphs) < FEW


def pieces_of(
    graph: PartitionGraph, singles: Mapping[Candidate, float], planner: Planner, arrays: Sequence[Array]
) -> list[Pieces]:
    """The times of the model's pieces with each plan; the pieces are equal, except for nodes that a delegate leaves.

    Args:
        graph: the model.
        singles: the plans, with the times of predictions.
        planner: makes the plans that are cut.
        arrays: the inputs.

    Raises:
        LiteDelegateError: a plan that is cut cannot be made, or does not run.
    """
    most = -(-len(graph) // PIECES)
    cuts: list[Candidate | None] = []
    try:
        for each in singles:
            groups = _claimed_parts(graph, stretches(graph, most), each)
            cuts.append(planner.candidate(each.delegates, most=most, groups=groups) if needs_cut(each) else None)
        wholes = [Whole(each, us, cut) for (each, us), cut in zip(singles.items(), cuts, strict=True)]
        return measured_pieces(wholes, arrays, planner.clock)
    finally:
        planner.give_back(*[each for each in cuts if each is not None])


def _claimed_parts(graph: PartitionGraph, pieces: Sequence[range], single: Candidate) -> list[list[str]]:
    """The parts of pieces that a delegate claims without a gap and that have several nodes, as names."""
    claimed = claimed_by([single])
    parts: list[list[str]] = []
    for piece in pieces:
        part: list[str] = []
        for node in piece:
            if node in claimed:
                part.append(graph.names[node])
            else:
                parts.append(part)
                part = []
        parts.append(part)
    return [part for part in parts if len(part) > 1]


def mixed_times(
    graph: PartitionGraph, found: Mapping[str, Pieces], host_us: Mapping[str, float], weights: Mapping[str, float]
) -> tuple[MixedTimes, list[list[int]]]:
    """The times of nodes, and the groups of nodes that stay together because their times are not known apart.

    The time of a piece is shared among its nodes by their weights.

    Args:
        graph: the model.
        found: the pieces, by delegate name.
        host_us: the known times of nodes on the host.
        weights: of nodes.
    """
    inside: dict[str, list[float]] = {name: [host_us.get(name, math.inf)] for name in graph.names}
    places: dict[str, list[int]] = {name: [] for name in graph.names}
    for pieces in found.values():
        us, place = _shared(pieces, weights)
        for name in graph.names:
            inside[name].append(us.get(name, math.inf))
            places[name].append(place.get(name, -1))
    groups: dict[tuple[object, ...], list[int]] = {}
    for node, name in enumerate(graph.names):
        alone = (node,) if not any(us < math.inf for us in inside[name][1:]) else ()
        groups.setdefault((*places[name], inside[name][0] < math.inf, *alone), []).append(node)
    starts = (0.0, *(each.start_us for each in found.values()))
    nbytes = (0.0, *(each.byte_us for each in found.values()))
    times = MixedTimes(tuple(tuple(inside[name]) for name in graph.names), starts, nbytes)
    return times, list(groups.values())


def _shared(pieces: Pieces, weights: Mapping[str, float]) -> tuple[dict[str, float], dict[str, int]]:
    """The microseconds of nodes, and the number of each node's piece."""
    us: dict[str, float] = {}
    place: dict[str, int] = {}
    for number, piece in enumerate(pieces.pieces):
        total = sum(weights[name] for name in piece.nodes)
        for name in piece.nodes:
            us[name] = pieces.inside_us(piece) * weights[name] / total
            place[name] = number
    return us, place


def mixed_placements(
    graph: PartitionGraph, record: PartitionRecord, singles: Sequence[Candidate], pieces: Sequence[Pieces]
) -> list[MixedPlacement]:
    """The best placements by the times of pieces, see ``best_placements``."""
    found = {each.delegates[0].name: piece for each, piece in zip(singles, pieces, strict=True) if each.delegates}
    host_us = {name: us for piece in pieces for name, us in piece.host_us.items()}
    weights = {node.name: node.host_us or 1.0 for node in record.nodes}
    return best_placements(graph, *mixed_times(graph, found, host_us, weights), most=MOST_PLANS)


def claimed_by(singles: Sequence[Candidate]) -> set[int]:
    """The nodes that a delegate claims."""
    return {node for each in singles for graph in each.record.asked for a in graph.answers for node in a.claimed}


def mixed_plans(
    graph: PartitionGraph, placements: Sequence[MixedPlacement], singles: Sequence[Candidate], planner: Planner
) -> list[Candidate]:
    """The plans of placements.

    A plan that the partition's rules forbid is left out. A node that no delegate claims has no affinity, and keeps its
    reason.
    """
    delegates = [each.delegates[0] for each in singles if each.delegates]
    names = (CPU, *(each.name for each in delegates))
    free = claimed_by(singles)
    plans = []
    for placement in placements:
        used = tuple(each for number, each in enumerate(delegates, 1) if number in placement.devices)
        affinity = {graph.names[node]: names[placement.devices[node]] for node in sorted(free)}
        try:
            plans.append(planner.candidate(used, affinity, estimated_us=placement.us))
        except RequestCancelled:
            raise
        except LiteDelegateError:
            continue
    return plans


def with_reasons(record: PartitionRecord, affinity: Mapping[str, str]) -> PartitionRecord:
    """A mixture's record without the affinity of its plan: the measurement chose the affinity, not the user."""
    nodes = tuple(
        replace(node, code=RejectCode.COST, reason=FASTER) if node.subgraph is None and node.name in affinity else node
        for node in record.nodes
    )
    return replace(record, nodes=nodes, options=replace(record.options, affinity={}, groups=()))
