"""The element types that real numbers are computed in, as far as a device has kernels for them."""

from __future__ import annotations

from ...delegate import Branches, DelegateLog, Kernel, RejectCode, Rejected, Rounds, current_wishes
from ...ir import DataType
from ...ir.custom import custom_type
from .package import core

FLOAT32 = "f32"
STORED = {"f16": DataType.FLOAT16, "bf16": DataType.BFLOAT16}
"""By the hint, what results are as exact as."""
HINTS = {dtype: hint for hint, dtype in STORED.items()}
CAPABILITIES = {"f16": "FP16", "bf16": "BF16"}
"""By the hint, what OpenVINO calls it among the device's OPTIMIZATION_CAPABILITIES."""

WHOLE_SUMS = ("ai.onnx.MatMulInteger", "ai.onnx.ConvInteger")
"""Sums of integers that are handed over as sums of float32, which holds each exactly."""


def wished(device: str) -> str:
    """The hint that the context of the model that is planned asks for; f32 where it says nothing of such devices.

    Args:
        device: by OpenVINO's name. ``GPU.1`` is a GPU; of ``HETERO:GPU,CPU`` and the like no context speaks.
    """
    kind = device.partition(".")[0].lower()
    return HINTS.get(current_wishes().precisions.get(kind, DataType.FLOAT32), FLOAT32)


def rejected_sums(kernel: Kernel, hint: str) -> Rejected | None:
    """Why sums of integers are not taken where real numbers may be rounded more than float32 is; None where they are.

    Args:
        kernel: the kernel; what it runs counts, too.
        hint: the precision that is asked for.
    """
    flow = kernel.control_flow
    bodies = flow.bodies if isinstance(flow, Branches | Rounds) else ()
    inside = [each for body in bodies for each in body.kernels]
    if hint == FLOAT32 or not any(map(_is_whole_sum, (kernel, *inside))):
        return None
    return Rejected.by_rule(RejectCode.DTYPE, f"sums of integers take INFERENCE_PRECISION_HINT {FLOAT32}", f"is {hint}")


def _is_whole_sum(kernel: Kernel) -> bool:
    return kernel.primitive is not None and custom_type(kernel.primitive) in WHOLE_SUMS


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
