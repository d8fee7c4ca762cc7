"""From a device and options to the target that runs are compiled for."""

from __future__ import annotations

from dataclasses import replace

from ..device.program import ElementType
from ..ir.target import Priority, Target
from ..profiles import Profile, why_absent
from .mode_params import ModeParams
from .options import Options
from .table import PRECISIONS

AUTO = "VPU_AUTO"


def target_of(profile: Profile, options: Options | None = None) -> Target:
    """The target for a device and options; options that are not set have the device's defaults.

    Raises:
        InputError: the options do not fit the device.
    """
    options = Options() if options is None else options
    options.check(profile)
    return Target(
        profile=profile,
        tiles=tiles_of(profile, options),
        dma_engines=dma_engines_of(profile, options),
        frequency=frequency_of(profile, options),
        optimization_level=mode_params_of(profile, options).optimization_level,
        hw_stages=options.is_on("VPU_HW_STAGES_OPTIMIZATION", profile),
        precision=ElementType[PRECISIONS[str(options.value("INFERENCE_PRECISION_HINT", profile))].name],
        defer_weights_load=options.is_on("NPU_DEFER_WEIGHTS_LOAD", profile),
        compute_layout=layout_of(profile, options),
        compile_threads=options.number("COMPILATION_NUM_THREADS", profile),
        priority=Priority[str(options.value("MODEL_PRIORITY", profile))],
        exclusive=options.is_on("EXCLUSIVE_ASYNC_REQUESTS", profile),
        pin_cpu=options.is_on("ENABLE_CPU_PINNING", profile),
        profiling=options.is_on("PERF_COUNT", profile),
        print_receive_tensor_time=options.is_on("VPU_PRINT_RECEIVE_TENSOR_TIME", profile),
    )


def why_absent_of(profile: Profile, options: Options) -> str | None:
    """The reason why there is no device, with what is expected and what was found; None where there is one."""
    presence = replace(profile.presence, absent=options.is_on("NPU_SIMULATE_ABSENT", profile))
    return why_absent(presence, profile.driver_version)


def mode_params_of(profile: Profile, options: Options) -> ModeParams:
    """The compilation mode parameters."""
    params = options.value("NPU_COMPILATION_MODE_PARAMS", profile)
    assert isinstance(params, ModeParams)
    return params


def is_throughput(profile: Profile, options: Options) -> bool:
    """True when the performance hint is THROUGHPUT. UNDEFINED is taken as LATENCY: one request at a time."""
    return options.value("PERFORMANCE_HINT", profile) == "THROUGHPUT"


def tiles_of(profile: Profile, options: Options) -> int:
    """Compute tiles of a program: those asked for, else those of the platform's table for the performance hint."""
    asked, most = options.number("NPU_TILES", profile), options.max_tiles(profile)
    if asked > 0:
        return asked
    hinted = profile.defaults.throughput_tiles if is_throughput(profile, options) else profile.defaults.latency_tiles
    if hinted is None or _wants_all(profile, options):
        return most
    return min(hinted, most)


def dma_engines_of(profile: Profile, options: Options) -> int:
    """DMA engines of a program, after the platform's table for the performance hint."""
    defaults = profile.defaults
    throughput = is_throughput(profile, options)
    hinted = defaults.throughput_dma_engines if throughput else defaults.latency_dma_engines
    if hinted is None or _wants_all(profile, options):
        return profile.memory.dma_engines
    return hinted


def _wants_all(profile: Profile, options: Options) -> bool:
    """``performance-hint-override=latency``, which means something only when the hint is LATENCY."""
    is_latency = options.value("PERFORMANCE_HINT", profile) == "LATENCY"
    return is_latency and mode_params_of(profile, options).hint_override == "latency"


def frequency_of(profile: Profile, options: Options) -> int:
    """The frequency level: the highest with NPU_TURBO, else the one asked for."""
    if options.is_on("NPU_TURBO", profile):
        return len(profile.compute.clock_mhz)
    return options.number("FREQUENCY", profile)


def layout_of(profile: Profile, options: Options) -> str:
    """The order in which rank-4 tensors cross, NCHW or NHWC; the device's usual one unless it is asked for."""
    value = str(options.value("VPU_COMPUTE_LAYOUT", profile))
    return profile.layouts[0] if value == AUTO else value.removeprefix("VPU_")


def optimal_requests(profile: Profile, options: Options) -> int:
    """Requests that an application had best keep going.

    The platform's table for the performance hint; with THROUGHPUT no more than PERFORMANCE_HINT_NUM_REQUESTS, where
    that is set and not 0.
    """
    if not is_throughput(profile, options):
        return profile.defaults.latency_requests
    most = options.given.get("PERFORMANCE_HINT_NUM_REQUESTS", 0)
    best = profile.defaults.throughput_requests
    return min(best, most) if isinstance(most, int) and most > 0 else best


def described(target: Target) -> str:
    """The choices made for a program, for people."""
    clock = target.profile.compute.clock_mhz[target.frequency - 1]
    units = f"{target.tiles} tiles, {target.dma_engines} DMA engines, {clock} MHz"
    return f"{units}, {target.precision}, optimization level {target.optimization_level}"
