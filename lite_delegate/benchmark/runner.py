"""Benchmarking a built model: first without recording, then, on request, with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from lite_delegate_kernels import Array

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import InputError
from ..mindspore.model import Model
from ..runtime.records import PartitionRecord
from .checking import usable_check
from .in_flight import measure_requests
from .latency import Latency, RunLimits, timed, timed_runs
from .memory import PeakMemory, peak_resident
from .profiling import estimates, profile_of, profile_runs
from .ran_on import ran_on
from .recorder import CLOCK, Clock, Span
from .reports.report import BenchmarkReport
from .uncounted import uncounted

SIMULATED = (
    "All times but estimates are measured on this host. Where a device is simulated, it computes on this host, too: "
    "the measured time says nothing about the device, only its estimates do."
)
"""Note for delegates that give estimates."""


@dataclass(frozen=True, slots=True)
class BenchmarkOptions(Brief):
    """Options of a benchmark.

    Attributes:
        warmup: predictions after the first that are not measured; 0: none.
        limits: of the measured predictions, and of the profiled ones after them.
        profile: whether to find out where the time goes, in predictions of their own.
        requests: how many are to be in flight in measurements of their own; ``AUTO``: as many as it takes, which is
            found out; None: there are no such measurements.
        check: whether one prediction on the CPU alone shows if the outputs are usable, where a delegate stores real
            numbers in a coarser type.

    Raises:
        InputError: less than no predictions, or requests.
    """

    warmup: int = 3
    limits: RunLimits = field(default_factory=RunLimits)
    profile: bool = False
    requests: int | None = None
    check: bool = True

    def __post_init__(self) -> None:
        if self.warmup < 0:
            raise InputError(f"BenchmarkOptions: warmup must be at least 0, got {self.warmup}.")
        if self.requests is not None and self.requests < 0:
            raise InputError(f"BenchmarkOptions: requests must be at least 0, got {self.requests}.")


@dataclass(frozen=True, slots=True)
class Benchmark(Brief):
    """A report, and the spans of the first profiled predictions for ``trace_events``."""

    report: BenchmarkReport
    traced: tuple[tuple[Span, ...], ...] = ()


def benchmark(
    model: Model,
    inputs: Mapping[str, Array],
    options: BenchmarkOptions | None = None,
    *,
    threads: int = 0,
    build_ns: int | None = None,
    memory_before: int | None = None,
    clock: Clock = CLOCK,
) -> Benchmark:
    """Predicts repeatedly with the same inputs, in sequence.

    Args:
        model: built, for the shapes of the inputs.
        inputs: an array for each input, by name.
        options: what to measure; the defaults of ``BenchmarkOptions`` when None.
        threads: that the model's context asks for, for the report.
        build_ns: nanoseconds that building the model took, for the report.
        memory_before: what ``peak_resident`` gave before the model was built, for the report.
        clock: gives nanoseconds.

    Raises:
        LiteDelegateError: what ``Model.predict`` raises.
    """
    options = BenchmarkOptions() if options is None else options
    given = {name: np.asarray(array) for name, array in inputs.items()}
    memory = PeakMemory(memory_before, peak_resident())

    def call() -> object:
        return model.predict(given)

    first = timed(call, clock)
    for _ in range(options.warmup):
        call()
    latency = Latency.of(timed_runs(call, options.limits, clock))
    found = None
    if options.requests is not None:
        found = measure_requests(model.compiled_for(given), given, options.requests, options.limits, clock)
    report = replace(
        _report(model, latency, replace(memory, after_runs=peak_resident())),
        requests=found,
        threads=threads,
        build_ms=None if build_ns is None else build_ns / 1e6,
        first_run_ms=first / 1e6,
        warmup=options.warmup,
    )
    traced: Sequence[tuple[Span, ...]] = ()
    if options.profile:
        tally, traced = profile_runs(call, options.limits, clock)
        profile = profile_of(tally, model, latency.p50)
        report = replace(report, profile=profile, notes=(*_notes(model), *uncounted(profile, model)))
    usable = usable_check(model, given) if options.check else None  # last: it must not disturb the measurements
    return Benchmark(replace(report, usable=usable), tuple(traced))


def _report(model: Model, latency: Latency, memory: PeakMemory) -> BenchmarkReport:
    """The report of the model and its latency, without the caller's own figures."""
    record = model.get_partition()
    return BenchmarkReport(
        model=model.model_path_,
        delegate=record.delegate or "none",
        kernels_total=len(record.nodes),
        kernels_delegated=sum(node.subgraph is not None for node in record.nodes),
        subgraphs=len(record.subgraphs),
        threads=0,
        build_ms=None,
        first_run_ms=0.0,
        warmup=0,
        latency=latency,
        memory=memory,
        notes=_notes(model),
        alternatives=record.alternatives,
        calibration=record.calibration,
        cpu_groups=_cpu_groups(record),
        ran_on=ran_on(model),
        absent=tuple(each.name for each in record.delegates if each.absent),
    )


def _cpu_groups(record: PartitionRecord) -> dict[str, int]:
    """The number of CPU nodes that run on a runtime's kernels, by device."""
    found: Counter[str] = Counter()
    for group in record.cpu_groups:
        found[group.device] += len(group.kernels)
    return dict(found)


def _notes(model: Model) -> tuple[str, ...]:
    """Notes on the partition, and on the meaning of the times."""
    return (*model.get_partition().notes, *([SIMULATED] if estimates(model) else []))
