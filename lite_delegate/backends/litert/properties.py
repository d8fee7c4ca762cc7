"""The properties of LiteRT's delegate."""

from __future__ import annotations

from functools import cache

from ...properties import Integer, PropertySpec, Registry, Text
from ..pairs import Pairs, PairsKind
from .package import KERNELS, XNNPACK

MOST_THREADS = 1024
THREADS = "INFERENCE_NUM_THREADS"
OPTIONS = "DELEGATE_OPTIONS"
SETTABLE = (
    PropertySpec(
        "DEVICE_ID",
        "LiteRT's kernels, or the library of an external delegate of TensorFlow Lite",
        Text(f"{', '.join(KERNELS)}, or the path of a library", words=KERNELS),
        XNNPACK,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        THREADS,
        "threads of one run on the CPU; 0 leaves it to LiteRT",
        Integer(0, MOST_THREADS),
        0,
        scope="dc",
        when="C",
    ),
    PropertySpec(
        OPTIONS,
        "options of the external delegate, by its own names",
        PairsKind("the delegate's options"),
        Pairs(),
        scope="dc",
        when="C",
    ),
)
"""The properties that can be set."""


@cache
def registry() -> Registry:
    """All properties."""
    return Registry("Device LITERT", SETTABLE)
