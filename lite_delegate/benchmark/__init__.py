"""Measurements of how long a model takes, and of where the time goes."""

from .breakdown import Part
from .latency import Latency, Limits
from .profile import Profile
from .report import RENDERERS, BenchmarkReport
from .runner import Benchmark, BenchmarkOptions, benchmark
from .schema import benchmark_schema
from .trace import trace_json

__all__ = [
    "Benchmark",
    "BenchmarkOptions",
    "BenchmarkReport",
    "Latency",
    "Limits",
    "Part",
    "Profile",
    "RENDERERS",
    "benchmark",
    "benchmark_schema",
    "trace_json",
]
