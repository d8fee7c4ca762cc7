"""The element types that real numbers are computed in, as far as a device has kernels for them."""

from __future__ import annotations

from ...delegate import DelegateLog
from ...ir import DataType
from .package import core

FLOAT32 = "f32"
STORED = {"f16": DataType.FLOAT16, "bf16": DataType.BFLOAT16}
"""By the hint, what results are as exact as."""
CAPABILITIES = {"f16": "FP16", "bf16": "BF16"}
"""By the hint, what OpenVINO calls it among the device's OPTIMIZATION_CAPABILITIES."""


def computed(device: str, hint: str) -> str:
    """The hint that OpenVINO is given: the one that is asked for, or f32 where the device has no kernels for it.

    OpenVINO's CPU takes bf16 in place of f16 where it has kernels for that, and not for f16: every number would be
    rounded eight times as coarsely as the user said. What a device made of others can do only OpenVINO knows.
    """
    wanted = CAPABILITIES.get(hint)
    if wanted is None or ":" in device:
        return hint
    has = list(core().get_property(device, "OPTIMIZATION_CAPABILITIES"))
    if wanted in has:
        return hint
    text = "%s has no kernels for %s here (it has %s): real numbers are computed in %s"
    DelegateLog("openvino").write("LOG_WARNING", text, device, hint, ", ".join(has), FLOAT32)
    return FLOAT32
