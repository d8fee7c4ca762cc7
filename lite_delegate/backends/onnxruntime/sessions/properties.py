"""The properties of ONNX Runtime's delegate."""

from __future__ import annotations

from functools import cache

from ....properties import Choice, Integer, PropertySpec, Registry, Text
from ...pairs import Pairs, PairsKind

MOST_THREADS = 1024
MOST_SECONDS = 86400
CPU_PROVIDER = "CPUExecutionProvider"
ANY_PROVIDER = Text("the name of an execution provider, as AVAILABLE_DEVICES lists them", words=(CPU_PROVIDER,))
THREADS = "INFERENCE_NUM_THREADS"
PROVIDER_OPTIONS = "PROVIDER_OPTIONS"
SESSION_CONFIG = "SESSION_CONFIG"
COUNT = "PERF_COUNT"
PLUGIN = "PLUGIN"
HARDWARE = "HARDWARE"
TRIAL_SECONDS = "TRIAL_SECONDS"
TRIAL_FOLDER = "TRIAL_FOLDER"
ANY_PLUGIN = Text("a path, or the name of an installed package; empty: installed packages are searched")
ANY_HARDWARE = Text("NPU, GPU or CPU, or a position counted from 0; empty: the first of NPU, GPU, CPU that is there")
ANY_FOLDER = Text("a folder; empty: the answers are kept in memory")
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
        PLUGIN,
        "the library of the provider's plugin, or the Python package that has it",
        ANY_PLUGIN,
        "",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        HARDWARE,
        "the device that a plugin's provider runs on, where it has several",
        ANY_HARDWARE,
        "",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        TRIAL_SECONDS,
        "seconds that another provider than the CPU's has to compile kernels on trial, before they are claimed",
        Integer(1, MOST_SECONDS),
        60,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        TRIAL_FOLDER,
        "where the provider's answers about kernels are kept between processes",
        ANY_FOLDER,
        "",
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
    """All properties."""
    return Registry("Device ONNXRUNTIME", (*SETTABLE, *FACTS))
