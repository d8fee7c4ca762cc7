"""Profile: the limits of one device, read from a TOML file of this package."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

from ...errors import InputError
from ...ir.data_type import DataType

FLOATING = frozenset({DataType.FLOAT32, DataType.FLOAT16})
QUANTISED = frozenset({DataType.INT8, DataType.UINT8})
NOT_IN_FILE = frozenset({"name", "quantised", "storage"})
"""Fields of a profile that its file does not have: the list ``dtypes`` gives both sets of types."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes that the device's operators can do; None is no limit.

    Attributes:
        avg_pool_max_input_area: height times width of what is averaged.
        avg_pool_pad_at_most_stride: the padding above (left) is at most the vertical (horizontal) stride.
        matmul_max_dim: each dimension of a matrix product's operands, once one of them has more than two.
        mul_broadcast_max_area: height times width of a rank-4 product, when both factors are broadcast.
    """

    avg_pool_max_input_area: int | None = None
    avg_pool_pad_at_most_stride: bool = False
    matmul_max_dim: int | None = None
    mul_broadcast_max_area: int | None = None


@dataclass(frozen=True, slots=True)
class Compute:
    """What the device computes with.

    Attributes:
        tiles: equal compute tiles.
        float16_macs: multiply-accumulates of float16 numbers per cycle and tile; of float32 numbers, a quarter as many.
        int8_macs: multiply-accumulates of 8-bit integers per cycle and tile.
        vector_lanes: element operations per cycle and tile.
        clock_mhz: clock per frequency level, level 1 (low power) first.
        launch_us: microseconds to start one program.
    """

    tiles: int = 1
    float16_macs: int = 1024
    int8_macs: int = 2048
    vector_lanes: int = 128
    clock_mhz: tuple[int, ...] = (600,)
    launch_us: float = 50.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the device keeps data, and how fast it moves.

    Attributes:
        scratchpad_bytes: on-chip memory per tile.
        dram_bytes: memory for weights, programs and what does not fit on the chip.
        dma_engines: that move data between the two.
        dma_bytes_per_cycle: per engine.
        dma_setup_cycles: per transfer.
    """

    scratchpad_bytes: int = 2 * 2**20
    dram_bytes: int = 2**30
    dma_engines: int = 1
    dma_bytes_per_cycle: int = 32
    dma_setup_cycles: int = 100


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
        compute: its compute tiles.
        memory: its memories and DMA engines.
        platform: the name of the device's generation, such as "3720".
        driver_version: dot-separated numbers; features that need a newer one are refused.
        quantised: element types of quantised tensors, INT8 and UINT8; none: the device has no integer arithmetic.
        storage: the type in which the device keeps real numbers. Not in the file: compiling chooses it.
    """

    name: str
    description: str
    operators: frozenset[str] | None
    dtypes: frozenset[DataType]
    max_rank: int
    limits: Limits
    compute: Compute = Compute()
    memory: Memory = Memory()
    platform: str = ""
    driver_version: str = ""
    quantised: frozenset[DataType] = frozenset()
    storage: DataType = DataType.FLOAT16


def profile_names() -> tuple[str, ...]:
    """The names of the packaged profiles, sorted."""
    files = resources.files(__package__).iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


def load_profile(name: str) -> Profile:
    """The packaged profile of that name.

    Raises:
        InputError: (a ValueError) there is none; the message lists those that exist.
    """
    if name not in profile_names():
        raise InputError(f"No NPU profile '{name}'. Profiles: {', '.join(profile_names())}.")
    text = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse_profile(name, tomllib.loads(text))


def parse_profile(name: str, data: Mapping[str, Any]) -> Profile:
    """A profile from the contents of its file.

    Raises:
        InputError: a key that no profile has, one that is missing, or a value that does not fit.
    """
    limits = data.get("limits", {})
    _check_keys(name, data, {f.name for f in fields(Profile)} - NOT_IN_FILE, required={"description", "operators"})
    _check_keys(name, limits, {f.name for f in fields(Limits)}, required=set())
    operators = data["operators"]
    if operators != "all" and not isinstance(operators, list):
        raise InputError(f"NPU profile '{name}': operators must be \"all\" or a list of names, got {operators!r}.")
    dtypes = data.get("dtypes", ["FLOAT32", "FLOAT16"])
    unknown = sorted(set(dtypes) - {d.name for d in FLOATING | QUANTISED})
    if unknown:
        known = ", ".join(d.name for d in sorted(FLOATING | QUANTISED))
        raise InputError(f"NPU profile '{name}': dtypes must be of {known}, got {', '.join(unknown)}.")
    return Profile(
        name=name,
        description=data["description"],
        operators=None if operators == "all" else frozenset(operators),
        dtypes=frozenset(DataType[d] for d in dtypes) & FLOATING,
        quantised=frozenset(DataType[d] for d in dtypes) & QUANTISED,
        max_rank=data.get("max_rank", 4),
        limits=Limits(**limits),
    )


def _check_keys(name: str, data: Mapping[str, Any], known: set[str], required: set[str]) -> None:
    unknown, missing = sorted(set(data) - known), sorted(required - set(data))
    if unknown:
        raise InputError(f"NPU profile '{name}' has no key {', '.join(unknown)}. Keys: {', '.join(sorted(known))}.")
    if missing:
        raise InputError(f"NPU profile '{name}' lacks {', '.join(missing)}.")
