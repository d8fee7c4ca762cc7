"""From a device and options to the target that runs are compiled for."""

from __future__ import annotations

from dataclasses import replace

from ...basics.counted import counted
from ...errors import PropertyError
from ...ir.types.data_type import DataType
from ...properties import Values
from ..device.programs.program import ElementType
from ..ir.target import Priority, Target
from ..profiles import MOST_TILES, Profile, why_absent
from .mode_params import ModeParams

AUTO = "VPU_AUTO"
PRECISIONS = {"f16": DataType.FLOAT16, "f32": DataType.FLOAT32}


def target_of(profile: Profile, options: Values) -> Target:
    """The target for a device and options; options that are not set have the device's defaults.

    Raises:
        PropertyError: the options do not fit together.
    """
    check(profile, options)
    return Target(
        profile=profile.with_tiles(max(max_tiles(profile, options), profile.compute.tiles)),
        tiles=tiles_of(profile, options),
        dma_engines=dma_engines_of(profile, options),
        frequency=frequency_of(profile, options),
        optimization_level=mode_params_of(options).optimization_level,
        hw_stages=_is_on(options, "VPU_HW_STAGES_OPTIMIZATION"),
        precision=ElementType[PRECISIONS[str(options.effective("INFERENCE_PRECISION_HINT"))].name],
        islands=mode_params_of(options).islands,
        defer_weights_load=_is_on(options, "NPU_DEFER_WEIGHTS_LOAD"),
        compute_layout=layout_of(profile, options),
        compile_threads=number(options, "COMPILATION_NUM_THREADS"),
        priority=Priority[str(options.value("MODEL_PRIORITY"))],
        efficient=options.value("WORKLOAD_TYPE") == "EFFICIENT",
        exclusive=_is_on(options, "EXCLUSIVE_ASYNC_REQUESTS"),
        pin_cpu=_is_on(options, "ENABLE_CPU_PINNING"),
        profiling=_is_on(options, "PERF_COUNT"),
        print_receive_tensor_time=_is_on(options, "VPU_PRINT_RECEIVE_TENSOR_TIME"),
        transfer_chunk=number(options, "TRANSFER_CHUNK"),
    )


def why_absent_of(profile: Profile, options: Values) -> str:
    """The reason why the device is not there, with the expected and the found system; "" where it is there."""
    presence = replace(profile.presence, absent=_is_on(options, "NPU_SIMULATE_ABSENT"))
    return why_absent(presence, profile.driver_version) or ""


def check(profile: Profile, options: Values) -> None:
    """Values that have to fit together do.

    Raises:
        PropertyError: more tiles than there may be, or a precision that accuracy forbids.
    """
    tiles, most = number(options, "NPU_TILES"), max_tiles(profile, options)
    if tiles > most:
        raise PropertyError(f"Property NPU_TILES may be {most} at most (NPU_MAX_TILES), got {tiles}.")
    _check_accuracy(profile, options)


def check_there(profile: Profile, options: Values) -> None:
    """Checks that a device which is there has the requested tiles.

    Raises:
        PropertyError: the device has fewer tiles than NPU_MAX_TILES.
    """
    asked, has = max_tiles(profile, options), profile.compute.tiles
    if asked > has:
        raise PropertyError(
            f"Property NPU_MAX_TILES may be {has} at most, as many as NPU {profile.platform or profile.name} has, got "
            f"{asked}: more tiles, up to {MOST_TILES}, are for a device that is not there."
        )


def _check_accuracy(profile: Profile, options: Values) -> None:
    best, found = _accurate(profile), options.value("INFERENCE_PRECISION_HINT")
    is_given = "INFERENCE_PRECISION_HINT" in options.given
    if options.value("EXECUTION_MODE_HINT") == "ACCURACY" and is_given and found != best:
        raise PropertyError(
            f"Property INFERENCE_PRECISION_HINT must be {best} with EXECUTION_MODE_HINT ACCURACY, got {found}: "
            "leave one of them out."
        )


def _accurate(profile: Profile) -> str:
    """The most precise type of real numbers that a device computes in."""
    has = [name for name, dtype in PRECISIONS.items() if dtype in profile.precisions]
    return has[-1]


def max_tiles(profile: Profile, options: Values) -> int:
    """Compute tiles that programs may use at most."""
    return number(options, "NPU_MAX_TILES") or profile.compute.tiles


def number(options: Values, name: str) -> int:
    """The value of an option that is an integer."""
    value = options.value(name)
    assert isinstance(value, int)
    return value


def _is_on(options: Values, name: str) -> bool:
    return options.value(name) is True


def implied_hint(_: Values) -> tuple[object, str]:
    """UNDEFINED is taken as LATENCY."""
    return "LATENCY", "predict runs one request at a time"


def implied_tiles(profile: Profile, options: Values) -> tuple[object, str]:
    """The tiles of the platform's table."""
    return _hinted_tiles(profile, options), f"PERFORMANCE_HINT {options.effective('PERFORMANCE_HINT')}"


def implied_max_tiles(profile: Profile, options: Values) -> tuple[object, str] | None:
    """As many tiles as the device has, where 0 says so."""
    is_automatic = options.value("NPU_MAX_TILES") == 0
    return (profile.compute.tiles, f"as many as {profile.platform} has") if is_automatic else None


def implied_layout(profile: Profile, _: Values) -> tuple[object, str]:
    """The layout that the device usually has."""
    return f"VPU_{profile.layouts[0]}", f"the usual one of {profile.platform}"


def implied_precision(profile: Profile, options: Values) -> tuple[object, str] | None:
    """The most precise type, where accuracy is asked for."""
    wanted = options.value("EXECUTION_MODE_HINT") == "ACCURACY"
    return (_accurate(profile), "EXECUTION_MODE_HINT ACCURACY") if wanted else None


def mode_params_of(options: Values) -> ModeParams:
    """The compilation mode parameters."""
    params = options.value("NPU_COMPILATION_MODE_PARAMS")
    assert isinstance(params, ModeParams)
    return params


def is_throughput(options: Values) -> bool:
    """True when the performance hint is THROUGHPUT. UNDEFINED is taken as LATENCY: one request at a time."""
    return options.value("PERFORMANCE_HINT") == "THROUGHPUT"


def tiles_of(profile: Profile, options: Values) -> int:
    """Compute tiles of a program: the requested number, else the platform's number for the performance hint."""
    asked = number(options, "NPU_TILES")
    return asked if asked > 0 else _hinted_tiles(profile, options)


def _hinted_tiles(profile: Profile, options: Values) -> int:
    most = max_tiles(profile, options)
    hinted = profile.defaults.throughput_tiles if is_throughput(options) else profile.defaults.latency_tiles
    if hinted is None or _wants_all(options):
        return most
    return min(hinted, most)


def dma_engines_of(profile: Profile, options: Values) -> int:
    """DMA engines of a program, after the platform's table for the performance hint."""
    defaults = profile.defaults
    throughput = is_throughput(options)
    hinted = defaults.throughput_dma_engines if throughput else defaults.latency_dma_engines
    if hinted is None or _wants_all(options):
        return profile.memory.dma_engines
    return hinted


def _wants_all(options: Values) -> bool:
    """``performance-hint-override=latency``, which means something only when the hint is LATENCY."""
    is_latency = options.value("PERFORMANCE_HINT") == "LATENCY"
    return is_latency and mode_params_of(options).hint_override == "latency"


def frequency_of(profile: Profile, options: Values) -> int:
    """The frequency level: the highest with NPU_TURBO, else the one asked for."""
    if _is_on(options, "NPU_TURBO"):
        return len(profile.compute.clock_mhz)
    return number(options, "FREQUENCY")


def layout_of(profile: Profile, options: Values) -> str:
    """The order in which rank-4 tensors cross, NCHW or NHWC; the device's usual one unless it is asked for."""
    value = str(options.value("VPU_COMPUTE_LAYOUT"))
    return profile.layouts[0] if value == AUTO else value.removeprefix("VPU_")


def optimal_requests(profile: Profile, options: Values) -> int:
    """Requests that an application had best keep going.

    The platform's table for the performance hint; with THROUGHPUT no more than PERFORMANCE_HINT_NUM_REQUESTS, where
    that is set and not 0.
    """
    if not is_throughput(options):
        return profile.defaults.latency_requests
    most = options.given.get("PERFORMANCE_HINT_NUM_REQUESTS", 0)
    best = profile.defaults.throughput_requests
    return min(best, most) if isinstance(most, int) and most > 0 else best


def described(target: Target) -> str:
    """The choices made for a program, for people."""
    units = f"{counted(target.tiles, 'tile')}, {counted(target.dma_engines, 'DMA engine')}, {target.clock_mhz} MHz"
    return f"{units}, {target.precision}, optimization level {target.optimization_level}"
