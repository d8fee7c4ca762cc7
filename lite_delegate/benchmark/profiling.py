"""Profiling: predictions of a built model under a recorder, and the sum of their times."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from ..delegate import DeviceEstimate, Kernel, LayerEstimate, LayerTime, SpanKind
from ..mindspore.model import Model
from ..runtime.records import CpuGroupRecord, NodeRecord, SubgraphRecord
from .breakdown import Breakdown, KernelCall, TimePart, break_down
from .latency import Latency, RunLimits
from .profile import TimeProfile
from .recorder import CLOCK, Clock, Span, ThreadRecorder, recorded
from .times import KernelTime, LayerSum, SubgraphTime

MAX_SPANS = 100_000
"""Spans that are kept for a trace: of as many predictions as fit, and of the first in any case."""
BATCH_SPANS = 50_000
"""Spans after which predictions are looked at."""


class Tally:
    """The sum of breakdowns of predictions. It grows with the model, not with the number of predictions."""

    def __init__(self) -> None:
        self.walls: list[int] = []
        self.unexplained: list[float] = []
        self.parts: Counter[TimePart] = Counter()
        self.host: Counter[str] = Counter()
        self.calls: dict[tuple[SpanKind, str], KernelCall] = {}
        self.counts: Counter[tuple[SpanKind, str]] = Counter()
        self.times: dict[tuple[SpanKind, str], Counter[TimePart]] = {}
        self.layers: dict[str, dict[tuple[str, str, str], LayerSum]] = {}

    def add(self, found: Breakdown) -> None:
        """Adds one prediction."""
        self.walls.append(found.wall)
        self.unexplained.append(found.parts[TimePart.UNEXPLAINED] / found.wall if found.wall else 0.0)
        self.parts.update(found.parts)
        self.host.update(found.host)
        for call in found.calls:
            key = (call.span.kind, call.span.name)
            self.calls.setdefault(key, call)
            self.counts[key] += 1
            self.times.setdefault(key, Counter()).update(call.parts)

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """Adds the layers of one run of a graph kernel."""
        sums = self.layers.setdefault(kernel, {})
        for each in layers:
            if each.was_run:
                key = (each.name, each.type, each.implementation)
                before = sums.get(key, LayerSum(*key, 0, 0.0))
                cycles = before.total_cycles if each.cycles is None else (before.total_cycles or 0) + each.cycles
                total_us = before.total_us + each.real_us
                sums[key] = replace(before, count=before.count + 1, total_us=total_us, total_cycles=cycles)


def profile_runs(
    call: Callable[[], object], limits: RunLimits, clock: Clock = CLOCK
) -> tuple[Tally, list[tuple[Span, ...]]]:
    """Calls ``predict`` under a recorder until a limit is reached; the spans of the first predictions are kept."""
    tally = Tally()
    kept: list[tuple[Span, ...]] = []
    room = MAX_SPANS
    while not tally.walls or not limits.reached(len(tally.walls), sum(tally.walls)):
        for recorder in _batch(call, limits, len(tally.walls), sum(tally.walls), clock):
            spans = recorder.spans()
            tally.add(break_down(spans))
            for name, layers in recorder.layers:
                tally.add_layers(name, layers)
            if not kept or len(spans) <= room:
                kept.append(spans)
                room -= len(spans)
    return tally, kept


def _batch(
    call: Callable[[], object], limits: RunLimits, runs: int, elapsed: int, clock: Clock
) -> list[ThreadRecorder]:
    """Predictions one right after the other, as those without recording: looking at one would cool the next one's
    caches. As many as a limit allows after those that were made, and whose spans are worth keeping at once.
    """
    batch: list[ThreadRecorder] = []
    spans = 0
    while not batch or (spans < BATCH_SPANS and not limits.reached(runs + len(batch), elapsed)):
        batch.append(recorded(call, clock))
        elapsed += batch[-1].wall
        spans += len(batch[-1])
    return batch


def estimates(model: Model) -> dict[str, DeviceEstimate]:
    """The expected cost on their device of the graph kernels that can say so, by name.

    Those that the model's record has no estimate of could not say, and numbers that are none, or below 0, say nothing.
    """
    known = {record.name for record in model.get_partition().subgraphs if record.estimated_us is not None}
    found = {kernel.name: kernel.estimate() for kernel in model.get_graph_kernels() if kernel.name in known}
    return {name: estimate for name, estimate in found.items() if estimate is not None and _is_sound(estimate)}


def _is_sound(estimate: DeviceEstimate) -> bool:
    parts: tuple[DeviceEstimate | LayerEstimate, ...] = (estimate, *estimate.layers)
    numbers = [n for part in parts for n in (part.estimated_us, part.estimated_cycles, part.estimated_bytes)]
    for layer in estimate.layers:
        numbers += (layer.estimated_start_us or 0.0, layer.estimated_macs, layer.memory_bytes)
    return all(math.isfinite(number) and number >= 0 for number in numbers)


def profile_of(tally: Tally, model: Model, plain_p50_ms: float) -> TimeProfile:
    """The profile of a model's tallied spans."""
    record = model.get_partition()
    nodes = {node.name: node for node in record.nodes}
    kernels = [_kernel(key[1], tally, nodes) for key in tally.counts if key[0] is SpanKind.CPU_KERNEL]
    return TimeProfile(
        latency=Latency.of(tally.walls),
        plain_p50_ms=plain_p50_ms,
        wall_ns=sum(tally.walls),
        parts={part: tally.parts[part] for part in TimePart},
        host=dict(tally.host),
        unexplained_p50=median(tally.unexplained),
        subgraphs=_subgraphs(tally, model),
        kernels=tuple(sorted(kernels, key=lambda k: -k.total_ns)),
    )


def _kernel(name: str, tally: Tally, nodes: Mapping[str, NodeRecord]) -> KernelTime:
    key = (SpanKind.CPU_KERNEL, name)
    kernel, node = tally.calls[key].span.kernel, nodes.get(name)
    return KernelTime(
        name=name,
        type="" if kernel is None else kernel.type,
        graph="" if node is None else node.graph,
        subgraph=None if node is None else node.subgraph,
        count=tally.counts[key],
        total_ns=tally.times[key].total(),
        sources=() if node is None else node.sources,
    )


def _subgraphs(tally: Tally, model: Model) -> tuple[SubgraphTime, ...]:
    partition = model.get_partition()
    records: dict[str, SubgraphRecord | CpuGroupRecord] = {record.name: record for record in partition.subgraphs}
    records |= {record.name: record for record in partition.cpu_groups}
    expected = estimates(model)
    found: list[SubgraphTime] = []
    for (kind, name), count in tally.counts.items():
        if kind is not SpanKind.GRAPH_KERNEL:
            continue
        kernel, record = tally.calls[kind, name].span.kernel, records.get(name)
        times = tally.times[kind, name]
        found.append(
            SubgraphTime(
                name=name,
                type="" if kernel is None else kernel.type,
                graph="" if record is None else record.graph,
                kernels=0 if record is None else len(record.kernels),
                count=count,
                total_ns=times.total(),
                parts={part: times[part] for part in TimePart if part not in (TimePart.CPU_KERNELS, TimePart.HOST)},
                estimated_us=expected[name].estimated_us if name in expected else None,
                layers=tuple(sorted(_layers(tally, kernel, name, count), key=lambda layer: -layer.total_us)),
            )
        )
    return tuple(found)


def _layers(tally: Tally, kernel: Kernel | None, name: str, count: int) -> list[LayerSum]:
    """The measured times of a graph kernel's layers, or else the kernel's own estimates."""
    if name in tally.layers or kernel is None or not kernel.counts_performance:
        return list(tally.layers.get(name, {}).values())
    estimate = kernel.estimate()
    if estimate is None or not _is_sound(estimate):
        return []
    return [_estimated(step, count) for step in estimate.layers if step.was_run]


def _estimated(step: LayerEstimate, count: int) -> LayerSum:
    return LayerSum(
        step.name,
        step.instruction,
        "",
        count,
        count * step.estimated_us,
        is_estimate=True,
        total_cycles=count * step.estimated_cycles or None,
        macs=step.estimated_macs or None,
        memory_bytes=step.memory_bytes or None,
    )
