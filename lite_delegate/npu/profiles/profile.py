"""Profile: the facts about one device. ``parse`` reads it from a file, ``schema`` has the keys of a file."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated

from ...basics.data_class import dataclass
from ...ir.types.data_type import DataType
from .bounds import EVERY, OperatorBounds
from .number_range import NumberRange
from .presence import Presence

FLOATING = frozenset({DataType.FLOAT32, DataType.FLOAT16})
QUANTIZED = frozenset({DataType.INT8, DataType.UINT8})
MOST_TILES = 64
"""Compute tiles that a device may have: what a profile says, and what models are compiled for off-device."""


@dataclass(frozen=True, slots=True)
class OperatorLimits:
    """The limits of the device's operators; None, False and "" are no limit.

    Names that end in ``_since`` hold the first driver version that has a feature.

    Attributes:
        arithmetic_equal_ranks: both operands have one rank, or one is a scalar; MulFusion and Eltwise are free of this
            limit of drivers.
        avg_pool_any_area_since: ``avg_pool_max_input_area`` is a limit of older drivers only.
        avg_pool_max_input_area: height times width of the input of AvgPoolFusion.
        avg_pool_pad_at_most_stride: AvgPoolFusion pads at most as much as its stride, above and to the left.
        broadcast_to_since: BroadcastTo at all.
        conv_transpose_max_groups: groups of Conv2dTransposeFusion.
        ctc_merge_repeated_only: CTCGreedyDecoder merges repeated classes.
        detection_plain: DetectionPostProcess gives each box one class, and does not suppress within classes.
        equal_rejected_rank: Equal does not take an input 0 of this rank.
        gather_many_since: Gather with more than one index.
        less_rejected_rank: Less does not take an input 0 of this rank.
        l2_normalize_channels_only: L2NormalizeFusion sums along the last axis alone.
        l2_normalize_epsilon: the only epsilon of L2NormalizeFusion.
        matmul_max_dim: each dimension of a matrix product's operands, once one of them has more than two.
        moments_epsilon: the only epsilon of InstanceNorm and LayerNormFusion.
        mul_broadcast_max_area: height times width of a rank-4 product, when both factors are broadcast.
        pad_constant_only: PadFusion fills its border with one value, and does not mirror.
        pad_only_rank: the only number of dimensions that PadFusion takes.
        reduce_mean_and_sum_only: ReduceFusion has these two modes, without ``reduce_to_end``.
        resize_nearest_modes_since: Resize to the nearest with other coordinates than ASYMMETRIC.
        resize_upscale_only: Resize makes neither height nor width smaller.
        scale_offset_axes: ScaleFusion with an offset begins at one of these axes, counted from 0.
        scale_per_channel: ScaleFusion has a factor for each channel; none is shared by several.
        strided_slice_leading_axes: StridedSlice that names its axes names 0, 1, 2 and so on.
        transpose_layouts_only: Transpose has the permutations from NHWC to NCHW and back alone, of four dimensions.
    """

    arithmetic_equal_ranks: bool = False
    avg_pool_any_area_since: str = ""
    avg_pool_max_input_area: int | None = None
    avg_pool_pad_at_most_stride: bool = False
    broadcast_to_since: str = ""
    conv_transpose_max_groups: int | None = None
    ctc_merge_repeated_only: bool = False
    detection_plain: bool = False
    equal_rejected_rank: int | None = None
    gather_many_since: str = ""
    less_rejected_rank: int | None = None
    l2_normalize_channels_only: bool = False
    l2_normalize_epsilon: float | None = None
    matmul_max_dim: int | None = None
    moments_epsilon: float | None = None
    mul_broadcast_max_area: int | None = None
    pad_constant_only: bool = False
    pad_only_rank: int | None = None
    reduce_mean_and_sum_only: bool = False
    resize_nearest_modes_since: str = ""
    resize_upscale_only: bool = False
    scale_offset_axes: Annotated[tuple[int, ...] | None, NumberRange(0, 7)] = None
    scale_per_channel: bool = False
    strided_slice_leading_axes: bool = False
    transpose_layouts_only: bool = False


@dataclass(frozen=True, slots=True)
class Compute:
    """The device's compute units.

    Attributes:
        tiles: compute tiles, all alike.
        float16_macs: multiply-accumulates of float16 numbers per cycle and tile; of float32 numbers, a quarter as many.
        int8_macs: multiply-accumulates of 8-bit integers per cycle and tile.
        vector_lanes: element operations per cycle and tile; with float32 numbers half as many.
        clock_mhz: the clock of each frequency level, level 1 (low power) first.
        launch_us: microseconds to start one program.
    """

    tiles: Annotated[int, NumberRange(1, MOST_TILES)] = 1
    float16_macs: Annotated[int, NumberRange(1, 2**20)] = 1024
    int8_macs: Annotated[int, NumberRange(1, 2**20)] = 2048
    vector_lanes: Annotated[int, NumberRange(1, 2**16)] = 128
    clock_mhz: Annotated[tuple[int, ...], NumberRange(1, 10_000)] = (600,)
    launch_us: Annotated[float, NumberRange(0, 1e6)] = 50.0


@dataclass(frozen=True, slots=True)
class Memory:
    """The device's memories, and how fast data moves between them.

    Attributes:
        scratchpad_bytes: memory on the chip, per tile.
        dram_bytes: memory for weights, programs, and tensors that do not fit on the chip.
        dma_engines: engines that move data between DRAM and scratchpad.
        dma_bytes_per_cycle: bytes that an engine moves per cycle.
        dma_setup_cycles: cycles before each transfer.
    """

    scratchpad_bytes: Annotated[int, NumberRange(2**10, 2**32)] = 2 * 2**20
    dram_bytes: Annotated[int, NumberRange(2**20, 2**40)] = 2**30
    dma_engines: Annotated[int, NumberRange(1, 64)] = 1
    dma_bytes_per_cycle: Annotated[int, NumberRange(1, 2**12)] = 32
    dma_setup_cycles: Annotated[int, NumberRange(0, 10**6)] = 100


@dataclass(frozen=True, slots=True)
class Defaults:
    """The meaning of options that nobody gives on this device; None is all that the device has.

    Attributes:
        frequency: the frequency level.
        latency_tiles: compute tiles of a program when the performance hint is LATENCY, or there is none.
        throughput_tiles: compute tiles of a program when the performance hint is THROUGHPUT.
        latency_dma_engines: DMA engines of a program when the performance hint is LATENCY, or there is none.
        throughput_dma_engines: DMA engines of a program when the performance hint is THROUGHPUT.
        latency_requests: requests that an application should keep going when the hint is LATENCY, or there is none.
        throughput_requests: requests that an application should keep going when the hint is THROUGHPUT.
    """

    frequency: Annotated[int, NumberRange(1, 16)] = 1
    latency_tiles: Annotated[int | None, NumberRange(1, MOST_TILES)] = None
    throughput_tiles: Annotated[int | None, NumberRange(1, MOST_TILES)] = None
    latency_dma_engines: Annotated[int | None, NumberRange(1, 64)] = None
    throughput_dma_engines: Annotated[int | None, NumberRange(1, 64)] = None
    latency_requests: Annotated[int, NumberRange(1, 1024)] = 1
    throughput_requests: Annotated[int, NumberRange(1, 1024)] = 1


@dataclass(frozen=True, slots=True)
class Profile:
    """One device.

    Attributes:
        name: what ``NPUDelegate(profile=...)`` takes.
        description: one line for people.
        operators: the operators that the device has; None for every operator that this package can lower.
        dtypes: element types of floating tensors. All are ``storage`` on the device.
        max_rank: dimensions of a tensor at most.
        limits: limits of single operators.
        bounds: limits that any operator may have, by its name; see ``bounds_of``.
        compute: its compute tiles.
        memory: its memories and DMA engines.
        platform: the name of the device's generation, such as "3720".
        driver_version: dot-separated numbers; features that need a newer one are rejected.
        quantized: element types of quantized tensors, INT8 and UINT8; none: the device has no integer arithmetic.
        storage: the type in which the device keeps real numbers. Not in the file: compiling chooses it.
        defaults: what options that nobody gives mean.
        precisions: the types in which the device can keep real numbers, the usual one first.
        layouts: orders in which rank-4 tensors may cross to the device, the usual one first.
        device_type: INTEGRATED or DISCRETE.
        presence: when the device is there.
        driver_ir: versions of in-memory models that the compiler in its driver takes, such as "1.0"; none: every one.
    """

    name: str
    description: str
    operators: frozenset[str] | None
    dtypes: frozenset[DataType]
    max_rank: Annotated[int, NumberRange(1, 8)]
    limits: OperatorLimits
    compute: Compute = Compute()
    memory: Memory = Memory()
    platform: str = ""
    driver_version: str = ""
    quantized: frozenset[DataType] = frozenset()
    storage: DataType = DataType.FLOAT16
    defaults: Defaults = Defaults()
    precisions: tuple[DataType, ...] = (DataType.FLOAT16, DataType.FLOAT32)
    layouts: tuple[str, ...] = ("NCHW", "NHWC")
    device_type: str = "INTEGRATED"
    presence: Presence = field(default_factory=Presence)
    bounds: tuple[tuple[str, OperatorBounds], ...] = ()
    driver_ir: tuple[str, ...] = ()

    def bounds_of(self, op_type: str) -> OperatorBounds:
        """The bounds of an operator: its own, which have those of all operators in them, or just these."""
        found = dict(self.bounds)
        return found.get(op_type) or found.get(EVERY) or OperatorBounds()

    def with_tiles(self, tiles: int) -> Profile:
        """The profile with another number of compute tiles."""
        return replace(self, compute=replace(self.compute, tiles=tiles))
