"""Times of the pieces of a model: each backend runs the model again, cut into subgraphs of a few kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...delegate import SpanKind, recording
from ...runtime.planning.timing.host import Stopwatch
from ...runtime.records import SubgraphRecord
from .candidates import Candidate
from .measurement import NS_PER_SECOND, NS_PER_US, TurnClock

KINDS = (SpanKind.CPU_KERNEL, SpanKind.GRAPH_KERNEL)
ROUNDS = 3
RUNS = 2
"""Predictions in a row, after the first round."""
REST_SECONDS = 0.01
"""The rest before predictions, in which threads of other plans stop waiting for work."""
SECONDS = 0.05
"""The seconds after which no third round begins."""
LEAST_START_US = 10.0
"""The least time of a subgraph beside its kernels."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A subgraph: the names of its nodes, microseconds of a run, bytes at its boundary."""

    nodes: tuple[str, ...]
    us: float
    nbytes: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """A model on one backend, in pieces.

    Attributes:
        pieces: in execution order.
        host_us: of the nodes that the host runs, by name.
        start_us: the time of each piece beside its kernels.
        byte_us: the time of each byte at a piece's boundary.
        scale: the factor by which the times of kernels add up to the time of the plan without a cut.
    """

    pieces: tuple[Piece, ...] = ()
    host_us: Mapping[str, float] = field(default_factory=dict, hash=False)
    start_us: float = 0.0
    byte_us: float = 0.0
    scale: float = 1.0

    def inside_us(self, piece: Piece) -> float:
        """The microseconds of a piece's kernels."""
        return self.scale * max(piece.us - self.boundary_us(1, piece.nbytes), 0.0)

    def boundary_us(self, starts: int, nbytes: int) -> float:
        """The microseconds of subgraphs beside their kernels, for their starts and the bytes at their boundaries."""
        return starts * self.start_us + nbytes * self.byte_us


class Watched:
    """A plan that runs while its steps are timed.

    Args:
        candidate: the plan.
        arrays: the inputs.
        clock: time.
    """

    def __init__(self, candidate: Candidate, arrays: Sequence[Array], clock: TurnClock) -> None:
        self.record = candidate.record
        self._predict = candidate.prediction(arrays)
        self._clock = clock
        self._shortest: dict[str, int] = {}
        self._total = float("inf")

    def run(self, times: int) -> None:
        """Predicts several times after a rest; the shortest time of each step counts."""
        self._clock.rest(REST_SECONDS)
        for _ in range(times):
            watch, started = Stopwatch(self._clock.now, KINDS), self._clock.now()
            with recording(watch):
                self._predict()
            self._total = min(self._total, self._clock.now() - started)
            for name, ns in watch.times.items():
                self._shortest[name] = min(ns, self._shortest.get(name, ns))

    @property
    def total_us(self) -> float:
        """Microseconds of a prediction."""
        return self._total / NS_PER_US

    @property
    def subgraphs_us(self) -> float:
        """Microseconds of all subgraphs."""
        return sum(self.us(each.name) for each in self.record.subgraphs)

    def us(self, name: str) -> float:
        """Microseconds of a step."""
        return self._shortest.get(name, 0) / NS_PER_US


@dataclass(frozen=True, slots=True)
class Whole:
    """A plan whose pieces are to be timed.

    Attributes:
        plan: without a cut.
        us: the time of a prediction.
        cut: the plan cut into more subgraphs; None where its own subgraphs are the pieces.
    """

    plan: Candidate
    us: float
    cut: Candidate | None


def measured_pieces(wholes: Sequence[Whole], arrays: Sequence[Array], clock: TurnClock) -> list[Pieces]:
    """The times of the pieces of plans.

    All plans run in turns. The extra time of the plan with a cut is the time of the cuts: one half for the starts of
    subgraphs, and one half for the bytes that cross.

    Args:
        wholes: the plans.
        arrays: the inputs.
        clock: time.

    Raises:
        LiteDelegateError: a prediction failed.
    """
    watched = [Watched(each.cut or each.plan, arrays, clock) for each in wholes]
    began = clock.now()
    for number in range(ROUNDS):
        if number > 1 and clock.now() - began > SECONDS * NS_PER_SECOND:
            break
        for each in watched:
            each.run(RUNS if number else 1)
    return [_pieces(whole, each) for whole, each in zip(wholes, watched, strict=True)]


def _pieces(whole: Whole, watched: Watched) -> Pieces:
    host = {node.name: watched.us(node.name) for node in watched.record.nodes if node.subgraph is None}
    subgraphs, before = watched.record.subgraphs, whole.plan.record.subgraphs
    if not subgraphs:
        return Pieces(host_us=host)
    more, crossing = len(subgraphs) - len(before), _crossing(subgraphs) - _crossing(before)
    lost_us = max(watched.total_us - whole.us, 0.0)
    start_us = max(lost_us / 2 / more if more > 0 else 0.0, LEAST_START_US)
    byte_us = lost_us / 2 / crossing if crossing > 0 else 0.0
    parts = tuple(Piece(each.kernels, watched.us(each.name), each.boundary_bytes) for each in subgraphs)
    found = Pieces(parts, host, start_us, byte_us)
    inside = sum(map(found.inside_us, parts))
    rest = whole.us - sum(host.values()) - found.boundary_us(len(before), _crossing(before))
    return replace(found, scale=rest / inside) if inside > 0 and rest > 0 else found


def _crossing(subgraphs: Sequence[SubgraphRecord]) -> int:
    """The bytes that cross the boundaries of subgraphs."""
    return sum(each.boundary_bytes for each in subgraphs)
