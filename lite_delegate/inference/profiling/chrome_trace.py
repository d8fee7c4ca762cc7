"""Traces of requests for a trace viewer: a lane for each request, its stages one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .profile import RequestProfile

NS_PER_US = 1000


def to_chrome_trace(profiles: Mapping[str, RequestProfile]) -> dict[str, Any]:
    """The stages of runs as trace events, for ``json.dump``, ``chrome://tracing`` and Perfetto.

    Args:
        profiles: by the name of the profile's lane.

    Returns:
        An object of the Trace Event Format: complete events in microseconds from the first start, and names of lanes.
    """
    origin = min((profile.start_ns for profile in profiles.values()), default=0)
    events: list[dict[str, Any]] = []
    for lane, (name, profile) in enumerate(profiles.items(), 1):
        events.append({"name": "thread_name", "ph": "M", "pid": 1, "tid": lane, "args": {"name": name}})
        events += [
            {
                "name": str(stretch.stage),
                "cat": "stage",
                "ph": "X",
                "pid": 1,
                "tid": lane,
                "ts": (stretch.start_ns - origin) / NS_PER_US,
                "dur": stretch.duration_ns / NS_PER_US,
            }
            for stretch in (*profile.stretches, *((profile.callback,) if profile.callback else ()))
        ]
    return {"traceEvents": events, "displayTimeUnit": "ns"}
