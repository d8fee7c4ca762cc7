"""TimeProfile: the parts of the time of a series of predictions, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.words.one_line import OneLine, quoted
from ..reporting.plain import to_plain
from ..reporting.tables import FormTable, Tabular
from .breakdown import TimePart
from .latency import PLACES, Latency
from .times import KernelTime, SubgraphTime, TypeTime


@dataclass(frozen=True, slots=True)
class TimeProfile(Tabular, OneLine):
    """The parts of the time of profiled predictions. All but ``estimated_us`` is measured on the host.

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

    tables: ClassVar[Mapping[str, FormTable]] = {
        "parts": FormTable(("parts",), ("part", "mean_ms", "share")),
        "kernels": FormTable(("kernels",)),
        "subgraphs": FormTable(("subgraphs",)),
        "layers": FormTable(("subgraphs", "layers")),
        "host": FormTable(("host",)),
    }

    latency: Latency
    plain_p50_ms: float
    wall_ns: int
    parts: Mapping[TimePart, int]
    host: Mapping[str, int]
    unexplained_p50: float
    subgraphs: tuple[SubgraphTime, ...]
    kernels: tuple[KernelTime, ...]

    @property
    def overhead(self) -> float:
        """The share that recording adds to the median without it; 0 where the clock saw no time pass."""
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

    def _line(self) -> str:
        slowest = f", slowest on the CPU {quoted(self.kernels[0].name)}" if self.kernels else ""
        return f"of {counted(self.latency.runs, 'run')}, median {self.latency.p50:.3g} ms{slowest}"

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain data, ready for JSON. Keys are only ever added.

        Nanoseconds are whole numbers over all predictions, so that they add up exactly.
        """
        runs = self.latency.runs
        return {
            "runs": runs,
            "latency_ms": self.latency.to_dict(),
            "overhead": round(self.overhead, PLACES),
            "wall_ns": self.wall_ns,
            "parts": [{"part": part.key, "total_ns": ns, **self._mean(ns, runs)} for part, ns in self.parts.items()],
            "unexplained_p50": round(self.unexplained_p50, PLACES),
            "host": [
                {"what": what, "total_ns": ns, "share": round(self.share(ns), PLACES)} for what, ns in self.host.items()
            ],
            "subgraphs": [self._subgraph(s) for s in self.subgraphs],
            "estimated_us": self.estimated_us,
            "kernels": [{**to_plain(k), **self._mean(k.total_ns, k.count)} for k in self.kernels],
            "types": [{**to_plain(t), **self._mean(t.total_ns, t.count)} for t in self.types],
        }

    def _mean(self, ns: int, count: int) -> dict[str, float]:
        return {"mean_ms": round(ns / count / 1e6, PLACES), "share": round(self.share(ns), PLACES)}

    def _subgraph(self, s: SubgraphTime) -> dict[str, Any]:
        plain: dict[str, Any] = to_plain(s)
        parts, estimate = plain.pop("parts"), plain.pop("estimated_us")
        mean = self._mean(s.total_ns, s.count)
        return {**plain, **mean, "parts_ns": {part.key: ns for part, ns in parts.items()}, "estimated_us": estimate}
