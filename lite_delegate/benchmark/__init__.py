"""Benchmarks: the latency of a model, and the parts of the time."""

from .breakdown import TimePart
from .checking import UsableCheck
from .in_flight import AUTO, InFlight, RequestsFound
from .latency import Latency, RunLimits
from .profile import TimeProfile
from .reports.report import RENDERERS, BenchmarkReport, benchmark_schema
from .runner import Benchmark, BenchmarkOptions, benchmark
from .trace import trace_json

__all__ = [
    "AUTO",
    "Benchmark",
    "BenchmarkOptions",
    "BenchmarkReport",
    "InFlight",
    "Latency",
    "RequestsFound",
    "RunLimits",
    "TimePart",
    "TimeProfile",
    "RENDERERS",
    "UsableCheck",
    "benchmark",
    "benchmark_schema",
    "trace_json",
]
