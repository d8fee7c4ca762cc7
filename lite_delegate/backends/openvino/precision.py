"""The element types that real numbers are computed in, as far as a device has kernels for them."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...delegate import Branches, DelegateLog, Kernel, RejectCode, Rejected, Rounds, current_wishes
from ...ir import DataType
from ...ir.custom import custom_type
from ...semantics.operands import operand, primitive_of
from .package import core

FLOAT32, FLOAT16 = "f32", "f16"
STORED = {"f16": DataType.FLOAT16, "bf16": DataType.BFLOAT16}
"""By the hint, what results are as exact as."""
HINTS = {dtype: hint for hint, dtype in STORED.items()}
CAPABILITIES = {"f16": "FP16", "bf16": "BF16"}
"""By the hint, what OpenVINO calls it among the device's OPTIMIZATION_CAPABILITIES."""

SUMS = "sums of integers"
EXACT = {
    "ai.onnx.MatMulInteger": SUMS,
    "ai.onnx.ConvInteger": SUMS,
    "ai.onnx.Cast": "roundings to types that numpy does not have",
}
"""What is handed over as arithmetic that float32 holds exactly, by the operator."""
STEPS, LOGARITHMS = "roundings to steps of a range", "logarithms of numbers near 0"
BEYOND_FLOAT16 = {
    "FakeQuantWithMinMaxVars": STEPS,
    "FakeQuantWithMinMaxVarsPerChannel": STEPS,
    "ai.onnx.DynamicQuantizeLinear": STEPS,
    "Log1p": LOGARITHMS,
    "Mfcc": LOGARITHMS,
    "L2NormalizeFusion": "sums of squares",
}
"""What OpenVINO computes in float16 where it is asked to, and needs more digits or a wider range, by the operator."""


def wished(device: str) -> str:
    """The hint that the context of the model that is planned asks for; f32 where it says nothing of such devices.

    Args:
        device: by OpenVINO's name. ``GPU.1`` is a GPU; of ``HETERO:GPU,CPU`` and the like no context speaks.
    """
    kind = device.partition(".")[0].lower()
    return HINTS.get(current_wishes().precisions.get(kind, DataType.FLOAT32), FLOAT32)


def rejected_exact(kernel: Kernel, precision: Callable[[], str]) -> Rejected | None:
    """Why exact arithmetic is not taken where real numbers may be rounded more than float32 is; None where it is.

    Args:
        kernel: the kernel; what it runs counts, too.
        precision: gives the hint that is asked for; few kernels need it.
    """
    flow = kernel.control_flow
    bodies = flow.bodies if isinstance(flow, Branches | Rounds) else ()
    inside = [each for body in bodies for each in body.kernels]
    everything = (kernel, *inside)
    exact = next(filter(None, map(_exact, everything)), None)
    wide = exact or next(filter(None, map(_beyond_float16, everything)), None)
    if wide is None or (hint := precision()) == FLOAT32 or (exact is None and hint != FLOAT16):
        return None
    return Rejected.by_rule(RejectCode.DTYPE, f"{wide} take INFERENCE_PRECISION_HINT {FLOAT32}", f"is {hint}")


def _exact(kernel: Kernel) -> str | None:
    return EXACT.get(_type_of(kernel))


def _beyond_float16(kernel: Kernel) -> str | None:
    type_ = _type_of(kernel)
    if type_ == "QuantDTypeCast" and kernel.inputs[0].dtype == DataType.INT32:
        return "integers of 32 bits that stand for real numbers"
    if type_ == "PadFusion" and not math.isfinite(_filling(kernel)):
        return "borders of infinities and NaN"
    return BEYOND_FLOAT16.get(type_)


def _filling(kernel: Kernel) -> float:
    """What a PadFusion fills its borders with; 0 where only a run tells."""
    from ...ir.primitives import PadFusion

    given = operand(kernel, 2)
    if given is None:
        return primitive_of(kernel, PadFusion).constant_value
    return float(given.data.item()) if given.is_const else 0.0


def _type_of(kernel: Kernel) -> str:
    return "" if kernel.primitive is None else custom_type(kernel.primitive)


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
