"""The properties of Qualcomm's delegate."""

from __future__ import annotations

from functools import cache

from ...properties import Choice, PropertySpec, Registry
from ..onnxruntime.sessions import properties as of_onnx_runtime
from .chips import CHIPS, HTP

CHIP = HTP.name
DEVICE = PropertySpec(
    "DEVICE_ID",
    "the chip, or the architecture of its HTP, that models are compiled for",
    Choice(tuple(CHIPS)),
    CHIP,
    scope="dc",
    when="C",
)


@cache
def registry() -> Registry:
    """All properties."""
    shared = (spec for spec in (*of_onnx_runtime.SETTABLE, *of_onnx_runtime.FACTS) if spec.name != DEVICE.name)
    return Registry("Device QNN", (DEVICE, *shared))
