"""The properties of OpenVINO's delegate."""

from __future__ import annotations

from functools import cache

from ....properties import Choice, Integer, Or, PropertySpec, Registry, Text
from ...pairs import Pairs, PairsKind

MOST_THREADS = 1024
ANY_DEVICE = Text("the name of a device that OpenVINO has, see AVAILABLE_DEVICES", words=("CPU", "GPU", "NPU"))
PRECISION = "INFERENCE_PRECISION_HINT"
THREADS = "INFERENCE_NUM_THREADS"
HINT = "PERFORMANCE_HINT"
LATENCY = "LATENCY"
STREAMS = "NUM_STREAMS"
OF_THREADS = frozenset(
    {THREADS, STREAMS, "AFFINITY", "ENABLE_CPU_PINNING", "ENABLE_HYPER_THREADING", "SCHEDULING_CORE_TYPE"}
)
"""OpenVINO's properties that say how many threads of the CPU runs have, or where these run."""
INT8 = "INT8_KERNELS"
EXACT, ALL = "EXACT", "ALL"
LOW_PRECISION = "LP_TRANSFORMS_MODE"
"""OpenVINO's, of the CPU; it is not among those that the device lists."""
COUNT = "PERF_COUNT"
CONFIG = "OPENVINO_CONFIG"
AUTO = "AUTO"
SETTABLE = (
    PropertySpec(
        "DEVICE_ID",
        "the device of OpenVINO that models are compiled for: `OPENVINO` with GPU is `OPENVINO:GPU`",
        ANY_DEVICE,
        "CPU",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        THREADS,
        "threads of one run on the CPU; 0 leaves it to OpenVINO",
        Integer(0, MOST_THREADS),
        0,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        PRECISION,
        "the element type that float32 is computed in, where the device has kernels for it; where nobody sets it, a "
        "context's precision_mode counts; OpenVINO's own default is a lower one on some devices",
        Choice(("f32", "f16", "bf16")),
        "f32",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        HINT,
        "LATENCY: one run has all threads; THROUGHPUT: runs at once share them",
        Choice((LATENCY, "THROUGHPUT", "CUMULATIVE_THROUGHPUT")),
        LATENCY,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        STREAMS,
        "runs at once that threads are shared among; AUTO: as PERFORMANCE_HINT says",
        Or(AUTO, Integer(1, MOST_THREADS)),
        AUTO,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        INT8,
        "EXACT: weights of quantized models are multiplied as 8-bit integers where the device's products of them are "
        "exact, else as float32, and roundings stay in place then; ALL: as integers always, also on processors without "
        "VNNI, whose products saturate",
        Choice((EXACT, ALL)),
        EXACT,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        COUNT,
        "YES: OpenVINO measures its layers, which profiles of requests have",
        Choice(("NO", "YES")),
        "NO",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        CONFIG,
        "properties of OpenVINO that are not here, by its names; they come to OpenVINO as they are",
        PairsKind("OpenVINO's properties"),
        Pairs(),
        scope="dc",
        when="C",
    ),
)
"""The properties that can be set."""
FACTS = (
    PropertySpec("AVAILABLE_DEVICES", "the devices that OpenVINO lists; asking for them loads it"),
    PropertySpec("FULL_DEVICE_NAME", "OpenVINO's name of the device"),
    PropertySpec("OPTIMIZATION_CAPABILITIES", "element types that the device is fast with, and its other capabilities"),
    PropertySpec(
        "OPTIMAL_NUMBER_OF_INFER_REQUESTS",
        "OpenVINO's number for a model that is compiled with these properties; size of pools of requests",
        instead=HINT,
        usual="device and hint",
    ),
)
"""The read-only properties, whose values come from OpenVINO."""


@cache
def registry() -> Registry:
    """All of them."""
    return Registry("Device OPENVINO", (*SETTABLE, *FACTS))
