"""The properties of ONNX Runtime's delegate."""

from __future__ import annotations

from functools import cache

from ....properties import Choice, Integer, PropertySpec, Registry, Text
from ...pairs import Pairs, PairsKind

MOST_THREADS = 1024
CPU_PROVIDER = "CPUExecutionProvider"
ANY_PROVIDER = Text("the name of an execution provider, as AVAILABLE_DEVICES lists them", words=(CPU_PROVIDER,))
THREADS = "INFERENCE_NUM_THREADS"
PROVIDER_OPTIONS = "PROVIDER_OPTIONS"
SESSION_CONFIG = "SESSION_CONFIG"
COUNT = "PERF_COUNT"
SETTABLE = (
    PropertySpec(
        "DEVICE_ID",
        "the execution provider; nodes that ONNX Runtime would run on its own CPU provider are not delegated",
        ANY_PROVIDER,
        CPU_PROVIDER,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        THREADS,
        "threads of one run on the CPU; 0 leaves it to ONNX Runtime",
        Integer(0, MOST_THREADS),
        0,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        PROVIDER_OPTIONS,
        "options of the execution provider, by ONNX Runtime's names",
        PairsKind("the provider's options"),
        Pairs(),
        scope="dc",
        when="C",
    ),
    PropertySpec(
        SESSION_CONFIG,
        "configuration entries of sessions, by ONNX Runtime's names",
        PairsKind("configuration entries"),
        Pairs(),
        scope="dc",
        when="C",
    ),
    PropertySpec(
        COUNT,
        "YES: the first run measures the layers in some runs of a second session, which profiles of requests have",
        Choice(("NO", "YES")),
        "NO",
        scope="dc",
        when="C",
    ),
)
"""The properties that can be set."""
FACTS = (PropertySpec("AVAILABLE_DEVICES", "the execution providers that there are; ONNX Runtime is loaded for it"),)
"""The read-only properties, whose values come from ONNX Runtime."""


@cache
def registry() -> Registry:
    """All of them."""
    return Registry("Device ONNXRUNTIME", (*SETTABLE, *FACTS))
