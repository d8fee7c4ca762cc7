"""The table of options: names, what they take, defaults, who may change them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ...ir.data_type import DataType
from ..device.pinning import CAN_PIN
from ..profiles import Profile
from .custom_layers import CustomLayers, CustomLayersKind
from .kinds import Choice, Integer, Kind, NameList, Only, YesNo, parsed
from .log import LEVELS
from .mode_params import ModeParams, ModeParamsKind
from .option import Option

LOG_VARIABLE = "LITE_DELEGATE_NPU_LOG_LEVEL"
"""The environment variable that says what ``LOG_LEVEL`` is when nobody sets it."""
PRECISIONS = {"f16": DataType.FLOAT16, "f32": DataType.FLOAT32}
MAX_THREADS = 1024


def _precision(profile: Profile) -> Kind:
    return Choice(tuple(name for name, dtype in PRECISIONS.items() if dtype in profile.precisions))


def _layout(profile: Profile) -> Kind:
    return Choice(("VPU_AUTO", *(f"VPU_{layout}" for layout in profile.layouts)))


def _tiles(profile: Profile) -> Kind:
    return Integer(-1, profile.compute.tiles, ", where -1 and 0 are automatic")


def _max_tiles(profile: Profile) -> Kind:
    return Integer(0, profile.compute.tiles, ", where 0 is as many as the device has")


def _usual_precision(profile: Profile) -> str:
    return next(name for name, dtype in PRECISIONS.items() if dtype == profile.precisions[0])


def _log_level(_: Profile) -> object:
    value = os.environ.get(LOG_VARIABLE, LEVELS[0])
    return parsed(f"LOG_LEVEL (environment variable {LOG_VARIABLE})", Choice(LEVELS), value)


def _caching(_: Profile) -> Kind:
    return NameList(tuple(OPTIONS), frozenset(COMPILED))


def _caching_default(_: Profile) -> object:
    return COMPILED


def usable_cpus() -> int:
    """The number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_CANNOT_PIN = "this system does not let a thread choose its CPU"
_NO_CACHE = "models are not cached; keep a compiled model as a blob instead"

_TABLE = (
    Option("SUPPORTED_PROPERTIES"),
    Option("CACHING_PROPERTIES", _caching, _caching_default),
    Option("COMPILATION_NUM_THREADS", lambda _: Integer(1, MAX_THREADS), lambda _: min(usable_cpus(), MAX_THREADS)),
    Option("NUM_STREAMS"),
    Option("OPTIMAL_NUMBER_OF_INFER_REQUESTS"),
    Option("RANGE_FOR_ASYNC_INFER_REQUESTS"),
    Option("RANGE_FOR_STREAMS"),
    Option("PERF_COUNT", lambda _: YesNo(), lambda _: False),
    Option(
        "PERFORMANCE_HINT",
        lambda _: Choice(("THROUGHPUT", "LATENCY", "UNDEFINED")),
        lambda _: "UNDEFINED",
        compiled=True,
    ),
    Option("PERFORMANCE_HINT_NUM_REQUESTS", lambda _: Integer(0), lambda _: 1),
    Option("MODEL_PRIORITY", lambda _: Choice(("LOW", "MEDIUM", "HIGH")), lambda _: "MEDIUM"),
    Option("ENABLE_CPU_PINNING", lambda _: YesNo("" if CAN_PIN else _CANNOT_PIN), lambda _: False),
    Option("LOG_LEVEL", lambda _: Choice(LEVELS), _log_level),
    Option("CACHE_DIR", lambda _: Only(_NO_CACHE)),
    Option("AVAILABLE_DEVICES"),
    Option("DEVICE_ID", lambda profile: Choice(("", profile.platform))),
    Option("DEVICE_UUID"),
    Option("DEVICE_ARCHITECTURE"),
    Option("FULL_DEVICE_NAME"),
    Option("EXCLUSIVE_ASYNC_REQUESTS", lambda _: YesNo(), lambda _: False),
    Option("DEVICE_TYPE"),
    Option("DEVICE_GOPS"),
    Option("DEVICE_PCI_INFO"),
    Option("NPU_DEVICE_ALLOC_MEM_SIZE"),
    Option("NPU_DEVICE_TOTAL_MEM_SIZE"),
    Option("NPU_DRIVER_VERSION"),
    Option("NPU_COMPILATION_MODE_PARAMS", lambda _: ModeParamsKind(), lambda _: ModeParams(), compiled=True),
    Option("NPU_TURBO", lambda _: YesNo(), lambda _: False, compiled=True),
    Option("NPU_TILES", _tiles, lambda _: -1, compiled=True),
    Option("NPU_MAX_TILES", _max_tiles, lambda profile: profile.compute.tiles, compiled=True),
    Option("NPU_BYPASS_UMD_CACHING", lambda _: YesNo(), lambda _: False),
    Option("NPU_SIMULATE_ABSENT", lambda _: YesNo(), lambda profile: profile.presence.absent),
    Option("NPU_DEFER_WEIGHTS_LOAD", lambda _: YesNo(), lambda _: False),
    Option("INFERENCE_PRECISION_HINT", _precision, _usual_precision, compiled=True),
    Option("FREQUENCY", lambda p: Integer(1, len(p.compute.clock_mhz)), lambda p: p.defaults.frequency, compiled=True),
    Option("VPU_HW_STAGES_OPTIMIZATION", lambda _: YesNo(), lambda _: True, compiled=True),
    Option("VPU_COMPUTE_LAYOUT", _layout, lambda _: "VPU_AUTO", compiled=True),
    Option("VPU_PRINT_RECEIVE_TENSOR_TIME", lambda _: YesNo(), lambda _: False),
    Option("VPU_IGNORE_IR_STATISTIC", lambda _: YesNo(), lambda _: False, compiled=True),
    Option("VPU_CUSTOM_LAYERS", lambda _: CustomLayersKind(), lambda _: CustomLayers(), compiled=True),
)

OPTIONS: Mapping[str, Option] = {option.name: option for option in _TABLE}
COMPILED: tuple[str, ...] = tuple(option.name for option in _TABLE if option.compiled)
"""The options that change the program that a run becomes: what a cache of programs must look at."""
