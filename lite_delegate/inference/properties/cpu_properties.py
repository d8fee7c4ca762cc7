"""Properties of the CPU: facts about it, and the threads of its kernels."""

from __future__ import annotations

import platform

from ...basics.counted import counted
from ...delegate.calls.log import LEVELS
from ...errors import PropertyError
from ...properties import Choice, Integer, Or, PropertySpec, Registry, Values, YesNo
from ...runtime.records import CPU

MOST_THREADS = 1024
STREAMS = "NUM_STREAMS"
HINT = "PERFORMANCE_HINT"
COUNT = "PERF_COUNT"
THREADS = "INFERENCE_NUM_THREADS"
STREAM_THREADS = "THREADS_PER_STREAM"
LOG = "LOG_LEVEL"
BACKENDS = "CPU_BACKENDS"
NONE = "NONE"
AUTO = "AUTO"
BACKEND_NAMES = ("ONNXRUNTIME", "OPENVINO")
"""The names of CPU runtimes, in order of preference."""
CAPABILITIES = ("FP64", "FP32", "FP16", "INT8", "EXPORT_IMPORT", "STATE", "DYNAMIC")
"""The types and the other capabilities of CPU kernels, in the words of the NPU."""


def implied_streams(values: Values) -> tuple[object, str] | None:
    """NUM_STREAMS by the hint: 1 for LATENCY, AUTO for THROUGHPUT; None for UNDEFINED."""
    streams = {"LATENCY": 1, "THROUGHPUT": AUTO}.get(str(values.value(HINT)))
    return None if streams is None else (streams, f"{HINT} {values.value(HINT)}")


CPU_PROPERTIES = (
    PropertySpec(
        "SUPPORTED_PROPERTIES",
        "the names of all properties of the CPU",
        aliases=("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS"),
    ),
    PropertySpec("FULL_DEVICE_NAME", "what the system calls the processor"),
    PropertySpec("DEVICE_ARCHITECTURE", "the kind of its machine code"),
    PropertySpec("DEVICE_TYPE", "INTEGRATED: the CPU computes in the memory of the host"),
    PropertySpec(
        "OPTIMIZATION_CAPABILITIES",
        "the types that CPU kernels compute in, and what else the CPU can do: EXPORT_IMPORT, STATE, DYNAMIC",
    ),
    PropertySpec("AVAILABLE_DEVICES", "the ids of CPUs: one, which is empty, because CPU alone is its name"),
    PropertySpec("EXECUTION_DEVICES", "CPU; that of a compiled model has the devices that have kernels of it"),
    PropertySpec(
        HINT,
        f"LATENCY: {STREAMS} is 1 where nobody sets it. THROUGHPUT: it is the optimal number of requests. UNDEFINED: "
        "the hint changes nothing",
        Choice(("THROUGHPUT", "LATENCY", "UNDEFINED")),
        "UNDEFINED",
        scope="dc",
        when="L",
    ),
    PropertySpec(
        COUNT,
        "YES: `InferRequest.get_profiling_info` has an entry for each CPU kernel that ran, with the time that was "
        "measured. Kernels in groups of CPU_BACKENDS are not in it",
        YesNo(),
        False,
        scope="dc",
        when="L",
    ),
    PropertySpec(
        STREAMS,
        "asynchronous runs of a compiled model at once, each in a thread; AUTO: the optimal number of requests. Of "
        "devices that share a model, the first for which it is set counts",
        Or("AUTO", Integer(1, MOST_THREADS)),
        "AUTO",
        scope="dc",
        when="L",
        implied=implied_streams,
    ),
    PropertySpec(
        THREADS,
        "threads of the matrix products of all runs that an executor computes at once, shared out among them, and of "
        "one run in the caller's thread; 0: as many as the math library takes",
        Integer(0, MOST_THREADS),
        0,
        scope="dc",
        when="L",
    ),
    PropertySpec(
        STREAM_THREADS,
        f"threads of the matrix products of one run; 0: a share of {THREADS}, than which neither it nor all {STREAMS} "
        "together can be more",
        Integer(0, MOST_THREADS),
        0,
        scope="dc",
        when="L",
    ),
    PropertySpec(
        BACKENDS,
        "the runtimes that run the nodes which no delegate takes, in groups, where that is faster; AUTO: the runtimes "
        "that are installed",
        Choice((NONE, AUTO, *BACKEND_NAMES)),
        NONE,
        scope="dc",
        when="L",
    ),
    PropertySpec(
        LOG,
        "lines on standard error, INFO: what is compiled, what the cache did; DEBUG: the stages of each run. Python's "
        "logging gets the same for `lite_delegate.CPU`, whatever this is",
        Choice(LEVELS, "LOG_"),
        LEVELS[0],
        scope="dc",
        when="R",
    ),
)
_BATCH = "it is of models, read it of one that is compiled for BATCH"
POINTERS = {
    "PERFORMANCE_HINT_NUM_REQUESTS": f"set {STREAMS}",
    "MAX_BATCH_SIZE": _BATCH,
    "OPTIMAL_BATCH_SIZE": _BATCH,
}
"""Hints for names that users try."""
CPU_REGISTRY = Registry("The CPU", CPU_PROPERTIES, POINTERS)


def cpu_fact(name: str) -> object:
    """The value of a property that can only be read."""
    facts: dict[str, object] = {
        "FULL_DEVICE_NAME": platform.processor() or platform.machine(),
        "DEVICE_ARCHITECTURE": platform.machine(),
        "DEVICE_TYPE": "INTEGRATED",
        "OPTIMIZATION_CAPABILITIES": CAPABILITIES,
        "AVAILABLE_DEVICES": ("",),
        "EXECUTION_DEVICES": (CPU,),
    }
    return facts[name]


def check_threads(values: Values) -> None:
    """Checks that the numbers of threads do not contradict each other.

    Raises:
        PropertyError: one run, or all streams together, would have more threads than INFERENCE_NUM_THREADS.
    """
    every, each = values.number(THREADS), values.number(STREAM_THREADS)
    if not every or not each:
        return
    runs = values.effective(STREAMS)
    if each > every:
        raise PropertyError(
            f"{STREAM_THREADS} {each} is more than {THREADS} {every}, which all streams have together: lower the one, "
            "or raise the other."
        )
    if isinstance(runs, int) and runs * each > every:
        raise PropertyError(
            f"{STREAMS} {runs} of {STREAM_THREADS} {each} are {counted(runs * each, 'thread')}, more "
            f"than {THREADS} {every}; "
            "lower one of the first two, or raise the last."
        )
