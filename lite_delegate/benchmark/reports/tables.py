"""The tables of a benchmark report, which text and Markdown are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...basics.data_class import dataclass
from ...basics.words.one_line import printable
from ...reporting.terminal import page
from ...runtime.records import short_name
from ..breakdown import TimePart
from ..in_flight import RequestsFound
from ..latency import Latency
from ..profile import TimeProfile
from ..times import KernelTime, LayerSum, SubgraphTime
from .results import BenchmarkData

MAX_ROWS = 20
"""Rows of a table that are shown; --full shows them all."""
NAMES = ("operator", "in place of", "in", "by")
"""Columns of names behind the first."""
REQUESTS = "A run lasts from its start to its callback; estimated: on the clock of the simulated device."
COUNTS = "count: calls per prediction; ms: of one prediction; mean ms: of one call; share: of the wall time."

ESTIMATE = "estimate"
LAYER_ORIGINS = {
    False: "Measured by the backends; layers side by side count each.",
    True: "By estimate: the delegate's expectation of its device, not measured; parallel steps count one by one.",
}
"""The words for measured layers, and for estimated layers."""
LAYER_COUNTS = "count: calls per prediction; us: of one prediction; mean us: of one call."


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its title, its columns, and lines below it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The headings of the columns of names."""
        return (self.heads[0], *(head for head in self.heads if head in NAMES))

    @property
    def right(self) -> tuple[str, ...]:
        """The headings of the columns of figures, which are all other columns."""
        return tuple(head for head in self.heads if head not in self.names)


def _most() -> int | None:
    return None if page().full else MAX_ROWS


def tables_of(report: BenchmarkData) -> list[Table]:
    """Latency and, on request, the parts of the wall time and the times of kernels."""
    profile = report.profile
    tables = [_latency(report.latency, profile)]
    if report.requests is not None:
        tables.append(_requests(report.requests))
    if profile is None:
        return tables
    tables += [_parts(profile), _host(profile)]
    if profile.subgraphs:
        tables += [_subgraphs(profile), _subgraph_parts(profile)]
    if any(subgraph.layers for subgraph in profile.subgraphs):
        tables.append(_layers(profile))
    if profile.kernels:
        tables += [_types(profile), _kernels(profile)]
    return tables


def _requests(found: RequestsFound) -> Table:
    heads = ("requests in flight", "runs", "per second", "p50 ms", "p90 ms", "p99 ms", "max ms", "estimated /s")
    rows = [
        (
            str(each.requests),
            str(each.latency.runs),
            f"{each.throughput:,.2f}",
            *(f"{ms:,.3f}" for ms in (each.latency.p50, each.latency.p90, each.latency.p99, each.latency.max)),
            "" if each.estimated_throughput is None else f"{each.estimated_throughput:,.2f}",
        )
        for each in found.tried
    ]
    return Table("Several requests at once", heads, tuple(rows), (REQUESTS,))


def _latency(latency: Latency, profile: TimeProfile | None) -> Table:
    heads = ("latency in ms", "min", "p50", "p90", "p95", "p99", "max", "mean", "stdev")
    rows = [("plain", *_figures(latency))]
    if profile is not None:
        rows.append(("recorded", *_figures(profile.latency)))
    return Table("Latency, measured on this host", heads, tuple(rows))


def _figures(latency: Latency) -> tuple[str, ...]:
    figures = (latency.min, latency.p50, latency.p90, latency.p95, latency.p99, latency.max, latency.mean)
    return (*map(milliseconds, figures), "" if latency.stdev is None else milliseconds(latency.stdev))


def _parts(profile: TimeProfile) -> Table:
    runs = profile.latency.runs
    rows = [(part.value, _ms(ns, runs), f"{profile.share(ns):.2%}") for part, ns in profile.parts.items()]
    wall = ("wall time", _ms(profile.wall_ns, runs), "100.00%")
    heads = ("part", "ms", "share")
    return Table("Where the time of a prediction goes (mean)", heads, (*rows, wall))


def _host(profile: TimeProfile) -> Table:
    runs = profile.latency.runs
    rows = [(what, _ms(ns, runs), f"{profile.share(ns):.2%}") for what, ns in profile.host.items()]
    return Table("Host overhead", ("what", "ms", "share"), tuple(rows))


def _subgraphs(profile: TimeProfile) -> Table:
    heads: tuple[str, ...] = ("subgraph", "kernels", "count", "ms", "mean ms", "share")
    shown = profile.subgraphs[: _most()]
    rows = [_subgraph(profile, s) for s in shown]
    notes = [COUNTS, *_left_out(profile, [s.total_ns for s in profile.subgraphs])]
    if any(s.estimated_us is not None for s in shown):
        heads = (*heads, "estimated us")
        times = ["" if s.estimated_us is None else f"{s.estimated_us:,.1f}" for s in shown]
        rows = [(*row, time) for row, time in zip(rows, times, strict=True)]
        notes.append("estimated us: microseconds of one call on the device, estimated by the delegate, not measured.")
    return Table("Subgraphs, measured on this host", heads, tuple(rows), tuple(notes))


def _subgraph(profile: TimeProfile, s: SubgraphTime) -> tuple[str, ...]:
    runs = profile.latency.runs
    times = (_ms(s.total_ns, runs), _ms(s.total_ns, s.count), _share(profile, s.total_ns))
    return (printable(s.name), str(s.kernels), _count(s.count, runs), *times)


def _subgraph_parts(profile: TimeProfile) -> Table:
    """Milliseconds of a prediction in each part of each graph kernel."""
    parts = (
        TimePart.PACK,
        TimePart.ENQUEUE,
        TimePart.COMPUTE,
        TimePart.UNPACK,
        TimePart.RECORDING,
        TimePart.UNEXPLAINED,
    )
    runs = profile.latency.runs
    shown = profile.subgraphs[: _most()]
    rows = [(printable(s.name), *(_ms(s.parts[part], runs) for part in parts)) for s in shown]
    heads = ("subgraph", *(part.value for part in parts))
    return Table("Parts of the subgraphs in ms of one prediction", heads, tuple(rows))


def _mean_cycles(layer: LayerSum) -> float | None:
    return None if layer.total_cycles is None else layer.total_cycles / layer.count


COUNTED: Mapping[str, Callable[[LayerSum], float | None]] = {
    "mean cycles": _mean_cycles,
    "MACs": lambda layer: layer.macs,
    "memory": lambda layer: layer.memory_bytes,
}
"""Columns that are there where a layer has a number for them; memory is in bytes."""


def _layers(profile: TimeProfile) -> Table:
    runs = profile.latency.runs
    found = sorted(((s.name, each) for s in profile.subgraphs for each in s.layers), key=lambda row: -row[1].total_us)
    heads: tuple[str, ...] = ("layer", "operator", "in", "by", "count", "us", "mean us")
    rows: list[tuple[str, ...]] = [
        (
            printable(each.name),
            printable(each.type),
            printable(name),
            ESTIMATE if each.is_estimate else printable(each.implementation),
            _count(each.count, runs),
            f"{each.total_us / runs:,.3f}",
            f"{each.total_us / each.count:,.3f}",
        )
        for name, each in found[: _most()]
    ]
    for head, count in COUNTED.items():
        if any(count(each) is not None for _, each in found):
            heads = (*heads, head)
            rows = [(*row, _whole(count(each))) for row, (_, each) in zip(rows, found[: _most()], strict=True)]
    rest = found[MAX_ROWS:] if _most() else []
    took = sum(each.total_us for _, each in rest) / runs
    origins = {each.is_estimate for _, each in found}
    notes = [*(LAYER_ORIGINS[each] for each in sorted(origins)), LAYER_COUNTS]
    if rest:
        notes.append(f"{len(rest)} more, {took:,.3f} us of one prediction together: --full shows them all.")
    return Table("Layers of the subgraphs", heads, tuple(rows), tuple(notes))


def _whole(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def _types(profile: TimeProfile) -> Table:
    runs = profile.latency.runs
    rows = []
    for t in profile.types:
        times = (_ms(t.total_ns, runs), _ms(t.total_ns, t.count), _share(profile, t.total_ns))
        rows.append((printable(t.type), str(t.kernels), _count(t.count, runs), *times))
    heads = ("operator", "nodes", "count", "ms", "mean ms", "share")
    return Table("CPU kernels by operator", heads, tuple(rows), (COUNTS,))


def _kernels(profile: TimeProfile) -> Table:
    shown = profile.kernels[: _most()]
    in_place = any(k.subgraph for k in shown)
    heads: tuple[str, ...] = ("kernel", "operator", "count", "ms", "mean ms", "share")
    rows = [_kernel(profile, k) for k in shown]
    if in_place:
        heads = (*heads, "in place of")
        rows = [(*row, printable(k.subgraph or "")) for row, k in zip(rows, shown, strict=True)]
    notes = [COUNTS, *_left_out(profile, [k.total_ns for k in profile.kernels])]
    return Table("CPU kernels", heads, tuple(rows), tuple(notes))


def _left_out(profile: TimeProfile, nanoseconds: Sequence[int]) -> list[str]:
    """A line on the rows that are not shown, if there are some."""
    rest = nanoseconds[MAX_ROWS:] if _most() else []
    took = _share(profile, sum(rest))
    return [f"{len(rest)} more, {took} of the wall time together: --full shows them all."] if rest else []


def _kernel(profile: TimeProfile, k: KernelTime) -> tuple[str, ...]:
    runs = profile.latency.runs
    times = (_ms(k.total_ns, runs), _ms(k.total_ns, k.count), _share(profile, k.total_ns))
    return (printable(short_name(k.sources) or k.name), printable(k.type), _count(k.count, runs), *times)


def _ms(ns: int, count: int) -> str:
    return milliseconds(ns / count / 1e6)


def milliseconds(ms: float) -> str:
    """Milliseconds with as many places as matter."""
    return f"{ms:.3f}" if ms < 10_000 else f"{ms:.0f}"


def _count(count: int, runs: int) -> str:
    """Calls per prediction."""
    return f"{count / runs:g}"


def _share(profile: TimeProfile, ns: int) -> str:
    return f"{profile.share(ns):.2%}"
