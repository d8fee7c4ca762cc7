"""Times of the pieces of a model: each backend runs it once more, cut into subgraphs of a few kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from lite_delegate_kernels import Array

from ..data_class import dataclass
from ..delegate import SpanKind, recording
from ..runtime.planning.timing.host import Stopwatch
from .candidates import Candidate
from .turns import NS_PER_SECOND, NS_PER_US, TurnClock

KINDS = (SpanKind.CPU_KERNEL, SpanKind.GRAPH_KERNEL)
ROUNDS = 4
RUNS = 2
"""In a row, but in the first round."""
REST_SECONDS = 0.01
"""Before that, in which threads of other plans stop waiting for work."""
SECONDS = 0.1
"""No third round begins after as many."""
LEAST_START_US = 10.0
"""What a subgraph takes beside its kernels, at least."""


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
        start_us: what each piece takes beside its kernels.
        byte_us: the same for each byte at its boundary.
        scale: so that all kernels make up what they take where they are not cut.
    """

    pieces: tuple[Piece, ...] = ()
    host_us: Mapping[str, float] = field(default_factory=dict, hash=False)
    start_us: float = 0.0
    byte_us: float = 0.0
    scale: float = 1.0

    def inside_us(self, piece: Piece) -> float:
        """What the kernels of a piece take."""
        return self.scale * max(piece.us - self.boundary_us(1, piece.nbytes), 0.0)

    def boundary_us(self, starts: int, nbytes: int) -> float:
        """What so many subgraphs take beside their kernels."""
        return starts * self.start_us + nbytes * self.byte_us


class _Watched:
    """A plan that runs while its steps are timed."""

    def __init__(self, candidate: Candidate, arrays: Sequence[Array], clock: TurnClock) -> None:
        self.record = candidate.record
        self._predict = candidate.prediction(arrays)
        self._clock = clock
        self.shortest: dict[str, int] = {}
        self.total = float("inf")

    def run(self) -> None:
        """A prediction; the shortest time of each step counts."""
        watch, started = Stopwatch(self._clock.now, KINDS), self._clock.now()
        with recording(watch):
            self._predict()
        self.total = min(self.total, self._clock.now() - started)
        for name, ns in watch.times.items():
            self.shortest[name] = min(ns, self.shortest.get(name, ns))

    @property
    def starts(self) -> int:
        """How many subgraphs it starts."""
        return len(self.record.subgraphs)

    @property
    def nbytes(self) -> int:
        """The bytes that cross their boundaries."""
        return sum(each.boundary_bytes for each in self.record.subgraphs)

    def us(self, name: str) -> float:
        """Microseconds of a step."""
        return self.shortest.get(name, 0) / NS_PER_US


def measured_pieces(
    pairs: Sequence[tuple[Candidate, Candidate | None]], arrays: Sequence[Array], clock: TurnClock
) -> list[Pieces]:
    """The pieces of plans.

    All run in turns. What a plan that is cut takes longer than the one that is not is what the cuts take: half of it
    for each start, and half by the bytes that cross.

    Args:
        pairs: each plan as it is, and cut into more subgraphs; None for one without subgraphs.
        arrays: the inputs.
        clock: time.

    Raises:
        LiteDelegateError: a prediction failed.
    """
    wholes = [_Watched(whole, arrays, clock) for whole, _ in pairs]
    cuts = [None if cut is None else _Watched(cut, arrays, clock) for _, cut in pairs]
    began = clock.now()
    for number in range(ROUNDS):
        if number > 1 and clock.now() - began > SECONDS * NS_PER_SECOND:
            break
        for each in filter(None, (*wholes, *cuts)):
            clock.rest(REST_SECONDS)
            for _ in range(RUNS if number else 1):
                each.run()
    return [_pieces(whole, cut) for whole, cut in zip(wholes, cuts, strict=True)]


def _pieces(whole: _Watched, cut: _Watched | None) -> Pieces:
    host = {node.name: whole.us(node.name) for node in whole.record.nodes if node.subgraph is None}
    if cut is None:
        return Pieces(host_us=host)
    subgraphs = cut.record.subgraphs
    more, crossing = len(subgraphs) - whole.starts, cut.nbytes - whole.nbytes
    lost_us = max(cut.total - whole.total, 0.0) / NS_PER_US
    start_us = max(lost_us / 2 / more if more > 0 else 0.0, LEAST_START_US)
    byte_us = lost_us / 2 / crossing if crossing > 0 else 0.0
    parts = tuple(Piece(each.kernels, cut.us(each.name), each.boundary_bytes) for each in subgraphs)
    found = Pieces(parts, host, start_us, byte_us)
    inside = sum(map(found.inside_us, parts))
    rest = whole.total / NS_PER_US - sum(host.values()) - found.boundary_us(whole.starts, whole.nbytes)
    return replace(found, scale=rest / inside) if inside > 0 and rest > 0 else found
