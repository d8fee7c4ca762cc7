"""Precision: the element types that real numbers are computed in, as far as a device has kernels for them."""

from __future__ import annotations

import math
from collections.abc import Callable

from ....delegate import Branches, DelegateLog, Kernel, RejectCode, Rejected, Rounds, current_wishes
from ....ir import DataType
from ....ir.custom import custom_type
from ....ir.types.enums import PaddingMode
from ....semantics.operands import operand, primitive_of
from .package import core

FLOAT32, FLOAT16, BFLOAT16 = "f32", "f16", "bf16"
STORED = {FLOAT16: DataType.FLOAT16, BFLOAT16: DataType.BFLOAT16}
"""The type of results' exactness, by the hint."""
HINTS = {dtype: hint for hint, dtype in STORED.items()}
CAPABILITIES = {FLOAT16: "FP16", BFLOAT16: "BF16"}
"""The word in the device's OPTIMIZATION_CAPABILITIES, by the hint."""

SUMS = "sums of integers"
EXACT = {
    "ai.onnx.MatMulInteger": SUMS,
    "ai.onnx.ConvInteger": SUMS,
    "ai.onnx.Cast": "roundings to types that numpy does not have",
}
"""Operators that are handed over as arithmetic that float32 holds exactly, with the reason."""
STEPS, LOGARITHMS = "roundings to steps of a range", "logarithms of numbers near 0"
BEYOND_FLOAT16 = {
    "FakeQuantWithMinMaxVars": STEPS,
    "FakeQuantWithMinMaxVarsPerChannel": STEPS,
    "ai.onnx.DynamicQuantizeLinear": STEPS,
    "Log1p": LOGARITHMS,
    "Mfcc": LOGARITHMS,
    "L2NormalizeFusion": "sums of squares",
    "PadFusion": "borders of infinities and NaN",
    "QuantDTypeCast": "integers of 32 bits that stand for real numbers",
}
"""Operators that OpenVINO computes in float16 on request, but that need more digits or a wider range."""
FINE = EXACT | BEYOND_FLOAT16
REAL = DataType.FLOAT32, DataType.FLOAT16


def wished(device: str) -> str:
    """The hint of the planned model's context; f32 where the context says nothing of such devices.

    Args:
        device: OpenVINO's name. ``GPU.1`` is a GPU; no context has a precision for ``HETERO:GPU,CPU`` and the like.
    """
    kind = device.partition(".")[0].lower()
    return HINTS.get(current_wishes().precisions.get(kind, DataType.FLOAT32), FLOAT32)


def rejected_as_coarse(kernel: Kernel, precision: Callable[[], str]) -> Rejected | None:
    """Why a kernel is not taken where real numbers may be coarser than float32; None where it is taken.

    Args:
        kernel: the kernel; kernels in its bodies count, too.
        precision: gives the requested hint; few kernels need it.
    """
    flow = kernel.control_flow
    bodies = flow.bodies if isinstance(flow, Branches | Rounds) else ()
    fine = [each for each in (kernel, *(k for body in bodies for k in body.kernels)) if _type_of(each) in FINE]
    if not fine or (hint := precision()) == FLOAT32:
        return None
    what = next((FINE[_type_of(each)] for each in fine if _takes_float32(each, hint)), None)
    if what is None:
        return None
    return Rejected.by_rule(RejectCode.DTYPE, f"{what} take INFERENCE_PRECISION_HINT {FLOAT32}", f"is {hint}")


def _takes_float32(kernel: Kernel, hint: str) -> bool:
    """Whether a kernel of ``FINE`` gives wrong results with another precision hint than float32."""
    type_ = _type_of(kernel)
    if type_ in EXACT or hint != FLOAT16:
        return type_ in EXACT
    if type_ == "PadFusion":
        return _fills_with_no_number(kernel)
    return type_ != "QuantDTypeCast" or kernel.inputs[0].dtype == DataType.INT32


def _fills_with_no_number(kernel: Kernel) -> bool:
    """Whether a PadFusion pads real numbers with infinities or NaN, as far as this is known before a run."""
    from ....ir.primitives import PadFusion  # the classes of all operators take a while
    from ....semantics.borders import border_value

    given = operand(kernel, 2)
    is_known = kernel.inputs[0].dtype in REAL and (given is None or given.is_const)
    is_constant = primitive_of(kernel, PadFusion).padding_mode == PaddingMode.CONSTANT
    return is_known and is_constant and not math.isfinite(border_value(kernel))


def _type_of(kernel: Kernel) -> str:
    return "" if kernel.primitive is None else custom_type(kernel.primitive)


def computed(device: str, hint: str) -> str:
    """The hint for OpenVINO: the requested hint, or f32 where the device has no kernels for it.

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
