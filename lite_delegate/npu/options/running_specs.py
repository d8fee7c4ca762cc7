"""The properties of the NPU for running models: requests, hints, order on the device, the log."""

from __future__ import annotations

from ...delegate.calls.log import LEVELS
from ...properties import Choice, Integer, Or, PropertySpec, Text, YesNo
from ..device.pinning import CAN_PIN
from .resolve import implied_hint
from .yes_no import yes_no

LOG_VARIABLE = "LITE_DELEGATE_NPU_LOG_LEVEL"
"""The environment variable with the default of ``LOG_LEVEL``."""
LOG_VARIABLES = (LOG_VARIABLE, "OV_NPU_LOG_LEVEL")
MAX_REQUESTS = 1024
_CANNOT_PIN = "this system does not let a thread choose its CPU"
_NO_CACHE = "the cache of compiled models is not of a delegate, see Context.cache and Core.set_property"

REQUESTS = (
    PropertySpec(
        "NUM_STREAMS",
        "asynchronous runs of a compiled model at once, each in a thread; AUTO: the optimal number of requests. "
        "It can be set here; earlier plugins of real NPUs could only read it, and it was 1",
        Or("AUTO", Integer(1, MAX_REQUESTS)),
        "AUTO",
        scope="dc",
        when="L",
    ),
    PropertySpec(
        "OPTIMAL_NUMBER_OF_INFER_REQUESTS",
        "requests that an application had best keep going, see below",
        scope="dc",
        instead="PERFORMANCE_HINT or PERFORMANCE_HINT_NUM_REQUESTS",
        usual="device and hint",
    ),
    PropertySpec("RANGE_FOR_ASYNC_INFER_REQUESTS", "(1, optimal number, 1); not used, as in the original"),
    PropertySpec("RANGE_FOR_STREAMS", "(1, optimal number for THROUGHPUT); not used, as in the original"),
    yes_no("PERF_COUNT", "graph kernels have performance counters per layer", "L"),
)
"""Options for runs at once, and for their counters."""
HINTS = (
    PropertySpec(
        "PERFORMANCE_HINT",
        "tiles and DMA engines of a program and the optimal number of requests, see below",
        Choice(("THROUGHPUT", "LATENCY", "UNDEFINED")),
        "UNDEFINED",
        scope="dc",
        when="C",
        implied=implied_hint,
        automatic=("UNDEFINED",),
    ),
    PropertySpec(
        "PERFORMANCE_HINT_NUM_REQUESTS",
        "where it is set, not 0, and the hint is THROUGHPUT: the optimal number of requests is no larger",
        Integer(0, MAX_REQUESTS),
        1,
        scope="dc",
        when="L",
    ),
    PropertySpec(
        "EXECUTION_MODE_HINT",
        "ACCURACY: arithmetic in f32 where the device has it; another INFERENCE_PRECISION_HINT beside it is an error",
        Choice(("PERFORMANCE", "ACCURACY")),
        "PERFORMANCE",
        scope="dc",
        when="C",
    ),
)
"""Hints: a user's wishes, from which other properties follow."""
ORDER = (
    PropertySpec(
        "MODEL_PRIORITY",
        "of programs that wait for the device, those of higher priority run first",
        Choice(("LOW", "MEDIUM", "HIGH")),
        "MEDIUM",
        scope="dc",
        when="LR",
    ),
    PropertySpec(
        "WORKLOAD_TYPE",
        "EFFICIENT: of programs that wait for the device, it runs behind all that are not, whatever their "
        "MODEL_PRIORITY, and is estimated at a clock one frequency level lower, where there is one",
        Choice(("DEFAULT", "EFFICIENT")),
        "DEFAULT",
        scope="dc",
        when="LR",
    ),
    PropertySpec(
        "ENABLE_CPU_PINNING",
        "a thread of the host stays on one CPU while it drives the device; rejected where the system cannot do that",
        YesNo("" if CAN_PIN else _CANNOT_PIN),
        False,
        scope="dc",
        when="L",
        values="YES, NO",
    ),
)
"""Options for the order of programs, and for the CPU of the host that drives them."""
LOG_AND_CACHE = (
    PropertySpec(
        "LOG_LEVEL",
        "lines on standard error. ERROR: failures to compile or run. WARNING: a device that is absent. INFO: what is "
        "compiled, what the cache did, what falls back to the CPU, hand-overs of AUTO. DEBUG: rejected kernels, the "
        "stages of each run. TRACE: claimed kernels, the device's commands. Python's logging gets the same for "
        "`lite_delegate.DEVICE`, whatever this is. The environment variables "
        f"`{'` and `'.join(LOG_VARIABLES)}` change the default",
        Choice(LEVELS, "LOG_"),
        LEVELS[0],
        scope="kd",
        when="R",
        environment=LOG_VARIABLES,
    ),
    PropertySpec("CACHE_DIR", f"none: {_NO_CACHE}", Text(f"empty: {_NO_CACHE}", 0), scope="kd", when="L"),
)
"""Options for the log and for the cache."""
SEQUENTIAL = yes_no(
    "NPU_RUN_INFERENCES_SEQUENTIALLY",
    "YES: runs of requests and calls of a compiled model are computed one at a time, in the order in which they were "
    "started, whatever NUM_STREAMS says; `infer` waits its turn, and is an error in a callback. Of MULTI the first "
    "device counts, of AUTO where it does not begin on the CPU; BATCH, which joins runs, is an error with it",
    "L",
)
EXCLUSIVE = yes_no(
    "EXCLUSIVE_ASYNC_REQUESTS",
    "a program has the whole device for itself, whatever tiles it uses; others wait. Asynchronous runs of all models "
    "with YES on a device share one worker on the host",
    "L",
)
