"""BenchmarkData: measured results, as frozen data."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.processors import usable_processors
from ...basics.words.one_line import Brief, model_words
from ...reporting.forms import ReportData
from ...reporting.plain import to_plain
from ...reporting.tables import FormTable
from ...runtime.records import AlternativeRecord, CalibrationRecord
from ..checking import UsableCheck
from ..in_flight import RequestsFound
from ..latency import PLACES, Latency
from ..memory import PeakMemory
from ..profile import TimeProfile
from ..ran_on import RanOn


@dataclass(frozen=True, slots=True)
class Environment(Brief):
    """The place of measuring: versions, kind of processor, CPUs that this process may use."""

    python: str = field(default_factory=platform.python_version)
    numpy: str = np.__version__
    machine: str = field(default_factory=platform.machine)
    cpus: int = field(default_factory=usable_processors)


@dataclass(frozen=True, slots=True)
class BenchmarkData(ReportData):
    """One benchmark of a model with one delegate and one set of inputs. Times are measured on the host.

    Attributes:
        model: path of the model file, "" for a model in memory.
        delegate: the delegate's name, "none" without one.
        kernels_total: nodes of the model.
        kernels_delegated: those in subgraphs.
        subgraphs: how many.
        threads: of one prediction (``Context.cpu.thread_num``); 0: left to the runtime.
        build_ms: milliseconds to read, optimize, partition and compile the model; None when it was not measured.
        first_run_ms: milliseconds of the first prediction after that.
        warmup: predictions between the first and the measured ones.
        latency: of the measured predictions, made without recording.
        memory: most bytes that the process had resident.
        notes: what the user should know of the partition, failures of the device among it.
        profile: where the time goes; None when it was not asked for.
        environment: where it was measured.
        requests: what several requests in flight give; None when it was not asked for.
        alternatives: the plans among which the fastest was looked for; none with another placement.
        calibration: what looking for it took; None with another placement.
        cpu_groups: how many of the CPU's nodes run on a runtime's kernels, by "CPU (RUNTIME)".
        usable: whether the outputs are near enough to the CPU's; None where no delegate stores a coarser type.
        ran_on: what ran where, and in which precision.
        absent: names of the delegates whose devices are not there.
    """

    tables: ClassVar[Mapping[str, FormTable]] = {
        "latency": FormTable(("latency_ms",), ("min", "p50", "p90", "p99", "max", "mean")),
        "kernels": FormTable(("profile", "kernels")),
        "subgraphs": FormTable(("profile", "subgraphs")),
        "layers": FormTable(("profile", "subgraphs", "layers")),
        "requests": FormTable(("requests", "tried")),
        "ran_on": FormTable(("ran_on",)),
    }

    model: str
    delegate: str
    kernels_total: int
    kernels_delegated: int
    subgraphs: int
    threads: int
    build_ms: float | None
    first_run_ms: float
    warmup: int
    latency: Latency
    memory: PeakMemory = field(default_factory=PeakMemory)
    notes: tuple[str, ...] = ()
    profile: TimeProfile | None = None
    environment: Environment = field(default_factory=Environment)
    requests: RequestsFound | None = None
    alternatives: tuple[AlternativeRecord, ...] = ()
    calibration: CalibrationRecord | None = None
    cpu_groups: Mapping[str, int] = field(default_factory=dict, hash=False)
    usable: UsableCheck | None = None
    ran_on: tuple[RanOn, ...] = ()
    absent: tuple[str, ...] = ()

    def _line(self) -> str:
        measured = f"median {self.latency.p50:.3g} ms of {counted(self.latency.runs, 'run')}"
        return f"{model_words(self.model)}delegate {self.delegate}, {measured}"

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, ready for JSON. Keys are only ever added."""
        return {
            "model": self.model,
            "delegate": self.delegate,
            "kernels_total": self.kernels_total,
            "kernels_delegated": self.kernels_delegated,
            "subgraphs": self.subgraphs,
            "threads": self.threads,
            "build_ms": None if self.build_ms is None else round(self.build_ms, PLACES),
            "first_run_ms": round(self.first_run_ms, PLACES),
            "warmup": self.warmup,
            "runs": self.latency.runs,
            "latency_ms": self.latency.to_dict(),
            "throughput_per_second": round(self.latency.throughput, PLACES),
            "peak_resident_bytes": to_plain(self.memory),
            "notes": list(self.notes),
            "environment": to_plain(self.environment),
            "profile": None if self.profile is None else self.profile.to_dict(),
            "requests": None if self.requests is None else self.requests.to_dict(),
            "alternatives": to_plain(self.alternatives),
            "calibration": to_plain(self.calibration),
            "cpu_groups": dict(self.cpu_groups),
            "usable": to_plain(self.usable),
            "ran_on": to_plain(self.ran_on),
            "absent": list(self.absent),
        }
