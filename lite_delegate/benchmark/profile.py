"""Profile: where the time of a series of predictions went, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .breakdown import Part
from .latency import Latency


@dataclass(frozen=True, slots=True)
class KernelTime:
    """A node of the model on its CPU kernel, over all predictions.

    Attributes:
        name: of the node.
        type: its operator.
        graph: the subgraph of the model that it is in, "" in the main graph.
        subgraph: the graph kernel in whose place it ran, because the device failed; None as a rule.
        count: calls.
        total_ns: nanoseconds of all calls together.
    """

    name: str
    type: str
    graph: str
    subgraph: str | None
    count: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class TypeTime:
    """All CPU kernels of one operator type, over all predictions: how many nodes, calls, and nanoseconds."""

    type: str
    kernels: int
    count: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class SubgraphTime:
    """A graph kernel, over all predictions.

    Attributes:
        name: of the graph kernel.
        type: its kind.
        graph: the subgraph of the model that it is in, "" in the main graph.
        kernels: how many nodes it stands for.
        count: calls.
        total_ns: nanoseconds of all calls together, measured on the host.
        parts: the same by part; they add up to it.
        estimated_us: microseconds that one call takes on the device, as the delegate estimates; None where it does not.
    """

    name: str
    type: str
    graph: str
    kernels: int
    count: int
    total_ns: int
    parts: Mapping[Part, int]
    estimated_us: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time of profiled predictions went. All but ``estimated_us`` is measured on the host.

    Attributes:
        latency: of the profiled predictions; recording makes them slower than others.
        plain_p50_ms: median of the predictions without recording, in milliseconds.
        wall_ns: nanoseconds of all profiled predictions together.
        parts: the same by part, all of them; they add up to it exactly.
        host: the host overhead by what the runtime did; adds up to that part.
        unexplained_p50: median over the predictions of the share that is unexplained, 0 to 1.
        subgraphs: the graph kernels that ran, in the order of their first calls.
        kernels: the CPU kernels that ran, slowest first.
    """

    latency: Latency
    plain_p50_ms: float
    wall_ns: int
    parts: Mapping[Part, int]
    host: Mapping[str, int]
    unexplained_p50: float
    subgraphs: tuple[SubgraphTime, ...]
    kernels: tuple[KernelTime, ...]

    @property
    def overhead(self) -> float:
        """What recording adds to the median, as a share of the median without; 0 where the clock saw no time pass."""
        return self.latency.p50 / self.plain_p50_ms - 1 if self.plain_p50_ms else 0.0

    @property
    def estimated_us(self) -> float | None:
        """Estimated microseconds on the device per prediction; None where a delegate does not estimate."""
        estimates = [s.count * s.estimated_us for s in self.subgraphs if s.estimated_us is not None]
        return sum(estimates) / self.latency.runs if estimates and len(estimates) == len(self.subgraphs) else None

    @property
    def types(self) -> tuple[TypeTime, ...]:
        """The CPU kernels by operator type, slowest first."""
        grouped: dict[str, list[KernelTime]] = {}
        for kernel in self.kernels:
            grouped.setdefault(kernel.type, []).append(kernel)
        found = [
            TypeTime(type, len(rows), sum(r.count for r in rows), sum(r.total_ns for r in rows))
            for type, rows in grouped.items()
        ]
        return tuple(sorted(found, key=lambda t: -t.total_ns))

    def share(self, nanoseconds: int) -> float:
        """A part of the wall time, 0 to 1."""
        return nanoseconds / self.wall_ns if self.wall_ns else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain data, ready for JSON. Keys are only ever added."""
        from .plain import profile_data

        return profile_data(self)
