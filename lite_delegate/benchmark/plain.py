"""A profile as plain data, ready for JSON."""

from __future__ import annotations

from typing import Any

from .breakdown import Part
from .latency import Latency
from .profile import KernelTime, Profile, SubgraphTime, TypeTime

PLACES = 6
"""Decimal places of milliseconds, which are nanoseconds, and of shares."""


def part_key(part: Part) -> str:
    """The name of a part as a JSON key: ``"cpu_kernels"``."""
    return part.value.lower().replace(" ", "_")


def latency_data(latency: Latency) -> dict[str, Any]:
    """The figures in milliseconds, without the number of runs."""
    names = ("min", "p50", "p90", "p95", "p99", "max", "mean", "stdev")
    values = [getattr(latency, name) for name in names]
    return {n: None if v is None else round(v, PLACES) for n, v in zip(names, values, strict=True)}


def profile_data(profile: Profile) -> dict[str, Any]:
    """Nanoseconds are whole numbers over all predictions, so that they add up exactly."""
    return {
        "runs": profile.latency.runs,
        "latency_ms": latency_data(profile.latency),
        "overhead": round(profile.overhead, PLACES),
        "wall_ns": profile.wall_ns,
        "parts": [
            {"part": part_key(part), "total_ns": ns, **_mean(profile, ns, profile.latency.runs)}
            for part, ns in profile.parts.items()
        ],
        "unexplained_p50": round(profile.unexplained_p50, PLACES),
        "host": [{"what": what, "total_ns": ns, "share": _share(profile, ns)} for what, ns in profile.host.items()],
        "subgraphs": [_subgraph(profile, s) for s in profile.subgraphs],
        "estimated_us": profile.estimated_us,
        "kernels": [_kernel(profile, k) for k in profile.kernels],
        "types": [_type(profile, t) for t in profile.types],
    }


def _share(profile: Profile, ns: int) -> float:
    return round(profile.share(ns), PLACES)


def _mean(profile: Profile, ns: int, count: int) -> dict[str, float]:
    return {"mean_ms": round(ns / count / 1e6, PLACES), "share": _share(profile, ns)}


def _subgraph(profile: Profile, s: SubgraphTime) -> dict[str, Any]:
    return {
        "name": s.name,
        "type": s.type,
        "graph": s.graph,
        "kernels": s.kernels,
        "count": s.count,
        "total_ns": s.total_ns,
        **_mean(profile, s.total_ns, s.count),
        "parts_ns": {part_key(part): ns for part, ns in s.parts.items()},
        "estimated_us": s.estimated_us,
    }


def _kernel(profile: Profile, k: KernelTime) -> dict[str, Any]:
    return {
        "name": k.name,
        "type": k.type,
        "graph": k.graph,
        "subgraph": k.subgraph,
        "count": k.count,
        "total_ns": k.total_ns,
        **_mean(profile, k.total_ns, k.count),
    }


def _type(profile: Profile, t: TypeTime) -> dict[str, Any]:
    return {
        "type": t.type,
        "kernels": t.kernels,
        "count": t.count,
        "total_ns": t.total_ns,
        **_mean(profile, t.total_ns, t.count),
    }
