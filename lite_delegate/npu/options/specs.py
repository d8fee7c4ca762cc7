"""The properties of the NPU: names, what they take, defaults, who may change them, what they do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from ...delegate.log import LEVELS
from ...properties import (
    Choice,
    Integer,
    NameList,
    Or,
    PropertySpec,
    Registry,
    Text,
    YesNo,
)
from ..device.pinning import CAN_PIN
from ..profiles import Profile
from .custom_layers import CustomLayers, CustomLayersKind
from .mode_params import ModeParams, ModeParamsKind
from .resolve import PRECISIONS, implied_hint, implied_layout, implied_precision, implied_tiles

LOG_VARIABLE = "LITE_DELEGATE_NPU_LOG_LEVEL"
"""The environment variable that says what ``LOG_LEVEL`` is when nobody sets it."""
LOG_VARIABLES = (LOG_VARIABLE, "OV_NPU_LOG_LEVEL")
MAX_THREADS = 1024
MAX_REQUESTS = 1024
SUPPORTED = "SUPPORTED_PROPERTIES"
ALIASES = ("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS")
_CANNOT_PIN = "this system does not let a thread choose its CPU"
_NO_CACHE = "the cache of compiled models is not of a delegate, see Context.cache and Core.set_property"
_OF_DEVICE = "the device's"
_LEVELS = "use the optimization-level of NPU_COMPILATION_MODE_PARAMS"
_CHECK = "use check_compatibility()"
POINTERS = {
    "NPU_QDQ_OPTIMIZATION": _LEVELS,
    "NPU_QDQ_OPTIMIZATION_AGGRESSIVE": _LEVELS,
    "NPU_COMPILER_DYNAMIC_QUANTIZATION": _LEVELS,
    "NPU_PLATFORM": "set DEVICE_ID",
    "NPU_DISABLE_IDLE_MEMORY_PRUNING": "memory is given back when release_memory() is called, and not otherwise",
    "RUNTIME_REQUIREMENTS": _CHECK,
    "COMPATIBILITY_CHECK": _CHECK,
    "DEVICE_BIND_BUFFER": "requests take a device when they run",
}
"""What to say of names that people try."""


def usable_cpus() -> int:
    """The number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def registry_of(profile: Profile) -> Registry:
    """The properties that a device has."""
    specs = list(_specs(profile))
    names = tuple(spec.name for spec in specs)
    compiled = tuple(spec.name for spec in specs if spec.compiled and not spec.read_only)
    caching = PropertySpec(
        "CACHING_PROPERTIES",
        "what identifies a compiled program: written into blobs and compared by whoever keeps programs. "
        "Properties may "
        "be added; those that change programs cannot be left out",
        NameList(("CACHING_PROPERTIES", *names), frozenset(compiled)),
        compiled,
        values="names of properties",
        usual="those that change programs",
    )
    return Registry("The NPU", [specs[0], caching, *specs[1:]], POINTERS)


def _specs(profile: Profile) -> Iterator[PropertySpec]:
    yield PropertySpec(SUPPORTED, "the names of all properties", scope="kdc", aliases=ALIASES)
    yield PropertySpec(
        "INTERNAL_SUPPORTED_PROPERTIES", "the names of properties that are for other components", scope="d"
    )
    yield from _general(profile)
    yield from _facts()
    yield from _compiler(profile)
    yield from _vision(profile)


def _general(profile: Profile) -> Iterator[PropertySpec]:
    threads = min(usable_cpus(), MAX_THREADS)
    yield PropertySpec(
        "COMPILATION_NUM_THREADS",
        "threads that pack constants (weights) while a model is built",
        Integer(1, MAX_THREADS),
        threads,
        scope="dc",
        when="L",
        usual="CPUs of this process",
    )
    yield PropertySpec(
        "NUM_STREAMS",
        "asynchronous runs of a compiled model at once, each in a thread; AUTO: the optimal number of requests",
        Or("AUTO", Integer(1, MAX_REQUESTS)),
        "AUTO",
        scope="dc",
        when="L",
    )
    yield PropertySpec(
        "OPTIMAL_NUMBER_OF_INFER_REQUESTS",
        "requests that an application had best keep going, see below",
        scope="dc",
        instead="PERFORMANCE_HINT or PERFORMANCE_HINT_NUM_REQUESTS",
        usual="device and hint",
    )
    yield PropertySpec("RANGE_FOR_ASYNC_INFER_REQUESTS", "(1, optimal number, 1); not used, as in the original")
    yield PropertySpec("RANGE_FOR_STREAMS", "(1, optimal number for THROUGHPUT); not used, as in the original")
    yield _yes_no("PERF_COUNT", "graph kernels have performance counters per layer", "L")
    yield PropertySpec(
        "PERFORMANCE_HINT",
        "tiles and DMA engines of a program and the optimal number of requests, see below",
        Choice(("THROUGHPUT", "LATENCY", "UNDEFINED")),
        "UNDEFINED",
        scope="dc",
        when="C",
        implied=implied_hint,
        automatic=("UNDEFINED",),
    )
    yield PropertySpec(
        "PERFORMANCE_HINT_NUM_REQUESTS",
        "where it is set, not 0, and the hint is THROUGHPUT: the optimal number of requests is no larger",
        Integer(0, MAX_REQUESTS),
        1,
        scope="dc",
        when="L",
    )
    yield PropertySpec(
        "EXECUTION_MODE_HINT",
        "ACCURACY: arithmetic in f32 where the device has it; another INFERENCE_PRECISION_HINT beside it is an error",
        Choice(("PERFORMANCE", "ACCURACY")),
        "PERFORMANCE",
        scope="dc",
        when="C",
    )
    yield PropertySpec(
        "MODEL_PRIORITY",
        "of programs that wait for the device, those of higher priority run first",
        Choice(("LOW", "MEDIUM", "HIGH")),
        "MEDIUM",
        scope="dc",
        when="LR",
    )
    yield PropertySpec(
        "WORKLOAD_TYPE",
        "EFFICIENT: of programs that wait for the device, it runs behind all that are not, whatever their "
        "MODEL_PRIORITY, and is estimated at a clock one frequency level lower, where there is one",
        Choice(("DEFAULT", "EFFICIENT")),
        "DEFAULT",
        scope="dc",
        when="LR",
    )
    yield PropertySpec(
        "ENABLE_CPU_PINNING",
        "a thread of the host stays on one CPU while it drives the device; rejected where the system cannot do that",
        YesNo("" if CAN_PIN else _CANNOT_PIN),
        False,
        scope="dc",
        when="L",
        values="YES, NO",
    )
    yield PropertySpec(
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
    )
    yield PropertySpec("CACHE_DIR", f"none: {_NO_CACHE}", Text(f"empty: {_NO_CACHE}", 0), scope="kd", when="L")
    yield PropertySpec(
        "DEVICE_ID",
        "which of several devices, platforms or profiles: `NPU` with 4000 is `NPU.4000`. Of a delegate that was made "
        "for a profile it is a check: another platform is rejected",
        Choice(("", profile.platform)),
        scope="dc",
        when="C",
        values="empty, an id, a platform or a profile; of a delegate empty or its platform",
    )
    yield _yes_no(
        "EXCLUSIVE_ASYNC_REQUESTS",
        "a program has the whole device for itself, whatever tiles it uses; others wait",
        "L",
    )


def _facts() -> Iterator[PropertySpec]:
    yield PropertySpec(
        "AVAILABLE_DEVICES",
        "the platform, or the ids of all that LITE_DELEGATE_NPU_DEVICES lists; nothing where the device is absent",
        scope="kd",
    )
    yield PropertySpec(
        "DEVICE_UUID", "of the profile's name and the number of the device; the same in every process", scope="dc"
    )
    yield PropertySpec("DEVICE_ARCHITECTURE", "the platform", scope="dc", when="C", usual="device")
    yield PropertySpec("FULL_DEVICE_NAME", "the platform and the profile's description", scope="dc", usual="device")
    yield PropertySpec(
        "OPTIMIZATION_CAPABILITIES",
        "the types that the device computes in, and what else it can do: EXPORT_IMPORT, STATE (models that keep state)",
        usual="device",
    )
    yield PropertySpec("DEVICE_TYPE", "INTEGRATED or DISCRETE", scope="dc", usual="device")
    yield PropertySpec(
        "DEVICE_GOPS",
        "nominal 10^9 operations per second for each type: two for each multiply-accumulate, all tiles, "
        "highest clock. "
        "No estimate of what a model reaches",
        scope="dc",
        usual="device",
    )
    yield PropertySpec(
        "DEVICE_PCI_INFO",
        "simulated: zeros, and of several devices the place in LITE_DELEGATE_NPU_DEVICES as bus",
        scope="dc",
    )
    yield PropertySpec("NPU_DEVICE_ALLOC_MEM_SIZE", "bytes of device memory that are taken now")
    yield PropertySpec("NPU_DEVICE_TOTAL_MEM_SIZE", "bytes of device memory", scope="dc", usual="device")
    yield PropertySpec(
        "NPU_DRIVER_VERSION", "decides about limits that end in `_since`", scope="dc", when="C", usual="device"
    )


def _compiler(profile: Profile) -> Iterator[PropertySpec]:
    yield PropertySpec(
        "NPU_COMPILATION_MODE_PARAMS",
        "optimization level, extension of the hint LATENCY, see below",
        ModeParamsKind(),
        ModeParams(),
        scope="dc",
        when="C",
        usual="empty",
    )
    yield _yes_no("NPU_TURBO", "the highest frequency level, whatever FREQUENCY says", "C")
    yield PropertySpec(
        "NPU_TILES",
        "compute tiles that programs are compiled for; -1 and 0: after the hint. Not more than NPU_MAX_TILES",
        Integer(-1, profile.compute.tiles, ", where -1 and 0 are automatic"),
        -1,
        scope="dc",
        when="C",
        implied=partial(implied_tiles, profile),
        automatic=(-1, 0),
    )
    yield PropertySpec(
        "NPU_MAX_TILES",
        "compiles for a device of the same kind with fewer tiles; 0: as many as there are",
        Integer(0, profile.compute.tiles, ", where 0 is as many as the device has"),
        profile.compute.tiles,
        scope="dc",
        when="C",
        by_profile=True,
        automatic=(0,),
        usual=_OF_DEVICE,
    )
    yield _yes_no(
        "NPU_BYPASS_UMD_CACHING",
        "YES: each model is compiled anew; NO: parts that were compiled before for the same device are taken from the "
        "simulated driver's cache in memory, which is bypassed, too, where CACHE_DIR keeps compiled models",
        "L",
    )
    yield _yes_no(
        "NPU_DEFER_WEIGHTS_LOAD",
        "programs and weights take device memory with the first request or prediction, not when the model is built",
        "L",
    )
    yield PropertySpec(
        "NPU_SIMULATE_ABSENT",
        "YES: there is no device, so that `init` fails and models run on the CPU, with a warning",
        YesNo(),
        profile.presence.absent,
        by_profile=True,
        values="YES, NO",
        usual="device",
    )
    yield PropertySpec(
        "INFERENCE_PRECISION_HINT",
        "the type in which the device keeps real numbers; f32 takes constants and ranges beyond 65504, too",
        Choice(tuple(name for name, dtype in PRECISIONS.items() if dtype in profile.precisions)),
        _usual_precision(profile),
        scope="dc",
        when="C",
        by_profile=True,
        implied=partial(implied_precision, profile),
        usual=_OF_DEVICE,
    )
    yield PropertySpec(
        "FREQUENCY",
        "clock level, for estimates: 1 low power, 2 balanced, 3 high performance, 4 extreme on devices with four",
        Integer(1, len(profile.compute.clock_mhz)),
        profile.defaults.frequency,
        scope="dc",
        when="C",
        by_profile=True,
        usual=_OF_DEVICE,
    )


def _vision(profile: Profile) -> Iterator[PropertySpec]:
    yield _yes_no(
        "VPU_HW_STAGES_OPTIMIZATION",
        "activations and pools become part of the instruction before them",
        "C",
        default=True,
    )
    yield PropertySpec(
        "VPU_COMPUTE_LAYOUT",
        "how rank-4 tensors cross: packed by the host where the device wants them packed (NCHW), or as "
        "the host has them, to be "
        "permuted on the device (NHWC). AUTO is the device's usual one",
        Choice(("VPU_AUTO", *(f"VPU_{layout}" for layout in profile.layouts))),
        "VPU_AUTO",
        scope="dc",
        when="C",
        implied=partial(implied_layout, profile),
        automatic=("VPU_AUTO",),
    )
    yield _yes_no(
        "VPU_PRINT_RECEIVE_TENSOR_TIME",
        "performance counters begin with the time that the device waits for input, and `lite-delegate "
        "report` prints it (`input_wait_us` in JSON): the report has an estimate, for predictions that "
        "follow each other; a counter is that of the last run on the simulated clock",
        "L",
    )
    yield _yes_no(
        "VPU_IGNORE_IR_STATISTIC",
        "NO leaves a kernel to the host when the model records a range of its output that float16 does "
        "not hold; YES claims it all the same",
        "C",
    )
    yield PropertySpec(
        "VPU_CUSTOM_LAYERS",
        "layers in the file are left to the host even where the device has them, see below",
        CustomLayersKind(),
        CustomLayers(),
        scope="dc",
        when="C",
        usual="empty",
    )


def _yes_no(name: str, effect: str, when: str, *, default: bool = False) -> PropertySpec:
    return PropertySpec(name, effect, YesNo(), default, scope="dc", when=when, values="YES, NO")


def _usual_precision(profile: Profile) -> str:
    return next(name for name, dtype in PRECISIONS.items() if dtype == profile.precisions[0])
