"""The properties of the Ethos-U delegate."""

from __future__ import annotations

from functools import cache

from ...properties import Choice, Integer, PropertySpec, Registry, Text
from .accelerators import ACCELERATORS, DEFAULT

CONFIG, SYSTEM, MEMORY = "VELA_CONFIG", "SYSTEM_CONFIG", "MEMORY_MODE"
OPTIMISE, ARENA = "OPTIMISE", "ARENA_CACHE_SIZE"
SECONDS = "COMPILE_SECONDS"
MOST_SECONDS = 86400
SETTABLE = (
    PropertySpec(
        "DEVICE_ID",
        "the accelerator that models are compiled for: family and MACs per cycle",
        Choice(ACCELERATORS),
        DEFAULT,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        CONFIG,
        "a configuration file of Vela with clocks and memories of a system; empty: Vela's own figures",
        Text("the path of an .ini file, or one that Vela lists, as Arm/vela.ini"),
        "",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        SYSTEM,
        "a system of the configuration file",
        Text("a name in the file; empty: Vela's default"),
        "",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        MEMORY,
        "a memory mode of the configuration file",
        Text("a name in the file; empty: Vela's default"),
        "",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        OPTIMISE,
        "whether Vela optimizes for speed or for memory",
        Choice(("Performance", "Size")),
        "Performance",
        scope="dc",
        when="C",
    ),
    PropertySpec(
        ARENA,
        "bytes of fast memory that Vela may plan with; 0: as the memory mode says",
        Integer(0),
        0,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        SECONDS,
        "seconds that Vela has for one compilation",
        Integer(1, MOST_SECONDS),
        300,
        scope="dc",
        when="C",
    ),
)
"""The properties that can be set."""


@cache
def registry() -> Registry:
    """All properties."""
    return Registry("Device ETHOSU", SETTABLE)
