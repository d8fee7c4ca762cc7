"""The properties of the NPU that programs are compiled with. Their values and defaults come from the profile."""

from __future__ import annotations

from functools import partial

from ...properties import Choice, Integer, PropertySpec, YesNo
from ..device.transfer import CHUNK, LEAST_CHUNK, MOST_CHUNK
from ..profiles import MOST_TILES, Profile
from .custom_layers import CustomLayers, CustomLayersKind
from .mode_params import ModeParams, ModeParamsKind
from .resolve import PRECISIONS, implied_layout, implied_max_tiles, implied_precision, implied_tiles
from .yes_no import yes_no

_OF_DEVICE = "the device's"

MODE = (
    PropertySpec(
        "NPU_COMPILATION_MODE_PARAMS",
        "optimization level, extension of the hint LATENCY, precision islands, see below",
        ModeParamsKind(),
        ModeParams(),
        scope="dc",
        when="C",
        usual="empty",
    ),
    yes_no("NPU_TURBO", "the highest frequency level, whatever FREQUENCY says", "C"),
)
"""How programs are compiled."""
LOADING = (
    yes_no(
        "NPU_BYPASS_UMD_CACHING",
        "YES: each model is compiled anew; NO: parts that were compiled before for the same device are taken from the "
        "simulated driver's cache (in memory, and in the folder that the environment's LITE_DELEGATE_NPU_CACHE_DIR "
        "names), which is bypassed, too, where CACHE_DIR keeps compiled models",
        "L",
    ),
    yes_no(
        "NPU_DEFER_WEIGHTS_LOAD",
        "programs and weights take device memory with the first request or prediction, not when the model is built",
        "L",
    ),
    PropertySpec(
        "TRANSFER_CHUNK",
        "bytes of an input or output that cross at once: between two of them a run that is cancelled ends, and on the "
        "simulated clock the DMA engine takes transfers of runs of higher priority",
        Integer(LEAST_CHUNK, MOST_CHUNK),
        CHUNK,
        scope="dc",
        when="L",
    ),
)
"""How programs and tensors come to the device."""
PRINTING = (
    yes_no(
        "VPU_PRINT_RECEIVE_TENSOR_TIME",
        "performance counters begin with the time that the device waits for input, and `lite-delegate "
        "report` prints it (`input_wait_us` in JSON): the report has an estimate, for predictions that "
        "follow each other; a counter is that of the last run on the simulated clock",
        "L",
    ),
    yes_no(
        "VPU_IGNORE_IR_STATISTIC",
        "NO leaves a kernel to the host when the model records a range of its output that float16 does "
        "not hold; YES claims it all the same",
        "C",
    ),
    PropertySpec(
        "VPU_CUSTOM_LAYERS",
        "layers in the file are left to the host even where the device has them, see below",
        CustomLayersKind(),
        CustomLayers(),
        scope="dc",
        when="C",
        usual="empty",
    ),
)
"""Options of vision processors beside their layouts."""


def tiles(profile: Profile) -> tuple[PropertySpec, ...]:
    """The compute tiles of programs."""
    return (
        PropertySpec(
            "NPU_TILES",
            "compute tiles that programs are compiled for; -1 and 0: after the hint. Not more than NPU_MAX_TILES",
            Integer(-1, MOST_TILES, ", where -1 and 0 are automatic"),
            -1,
            scope="dc",
            when="C",
            implied=partial(implied_tiles, profile),
            automatic=(-1, 0),
        ),
        PropertySpec(
            "NPU_MAX_TILES",
            "compute tiles that programs may use: as many as the device has, where it is there, or fewer; 0: as many "
            "as it has. Where it is not there, a number compiles off-device for one that has so many, see below",
            Integer(0, MOST_TILES, ", where 0 is as many as the device has"),
            profile.compute.tiles,
            scope="dc",
            when="C",
            by_profile=True,
            implied=partial(implied_max_tiles, profile),
            automatic=(0,),
            usual=_OF_DEVICE,
        ),
    )


def arithmetic(profile: Profile) -> tuple[PropertySpec, ...]:
    """The options for the device's presence, its precision, and its speed."""
    return (
        PropertySpec(
            "NPU_SIMULATE_ABSENT",
            "YES: there is no device, so that `init` fails and models run on the CPU, with a warning, or are compiled "
            "off-device where NPU_MAX_TILES is set",
            YesNo(),
            profile.presence.absent,
            by_profile=True,
            values="YES, NO",
            usual="device",
        ),
        PropertySpec(
            "INFERENCE_PRECISION_HINT",
            "the type in which the device keeps real numbers; f32 takes constants and ranges beyond 65504, too",
            Choice(tuple(name for name, dtype in PRECISIONS.items() if dtype in profile.precisions)),
            _usual_precision(profile),
            scope="dc",
            when="C",
            by_profile=True,
            implied=partial(implied_precision, profile),
            usual=_OF_DEVICE,
        ),
        PropertySpec(
            "FREQUENCY",
            "clock level, for estimates: 1 low power, 2 balanced, 3 high performance, 4 extreme on devices with four",
            Integer(1, len(profile.compute.clock_mhz)),
            profile.defaults.frequency,
            scope="dc",
            when="C",
            by_profile=True,
            usual=_OF_DEVICE,
        ),
    )


def layout(profile: Profile) -> PropertySpec:
    """The layout in which tensors cross between host and device."""
    return PropertySpec(
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


def compiler_specs(profile: Profile) -> tuple[PropertySpec, ...]:
    """All of them, in order."""
    stages = yes_no(
        "VPU_HW_STAGES_OPTIMIZATION",
        "activations and pools become part of the instruction before them",
        "C",
        default=True,
    )
    return (*MODE, *tiles(profile), *LOADING, *arithmetic(profile), stages, layout(profile), *PRINTING)


def _usual_precision(profile: Profile) -> str:
    return next(name for name, dtype in PRECISIONS.items() if dtype == profile.precisions[0])
