"""Reasons of options against kernels that the device could take."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.data_type import DataType
from ...tensor import Tensor
from ..profiles import FLOATING, Profile
from .custom_layers import CustomLayers
from .options import Options

LARGEST = {DataType.FLOAT16: 65504.0}
"""The largest finite number of each type that the device may store, where models are likely to have larger ones."""


def check_options(kernel: Kernel, op_type: str, profile: Profile, options: Options) -> Rejected | None:
    """The first reason that an option gives against a kernel.

    Args:
        kernel: any kernel.
        op_type: its operator.
        profile: the device, with the type in which it stores real numbers.
        options: the options.
    """
    return _check_custom(kernel, op_type, options) or _check_statistics(kernel, profile, options)


def _check_custom(kernel: Kernel, op_type: str, options: Options) -> Rejected | None:
    custom = options.value("VPU_CUSTOM_LAYERS")
    if isinstance(custom, CustomLayers) and _binds(custom, kernel, op_type):
        return Rejected(RejectCode.POLICY, f"VPU_CUSTOM_LAYERS leaves it to the host, see {custom.path[:200]!a}")
    return None


def _binds(custom: CustomLayers, kernel: Kernel, op_type: str) -> bool:
    """True for a layer by the kernel's own type and name, or by those of a node that it was in the model's file."""
    words = [(op_type, kernel.name)]
    words += [(source.op_type, name) for source in kernel.sources for name in (source.name, source.full_name)]
    return any(custom.binds(*each) for each in words)


def _check_statistics(kernel: Kernel, profile: Profile, options: Options) -> Rejected | None:
    """The ranges that the model file records of real numbers are ranges that the device can hold."""
    largest = LARGEST.get(profile.storage)
    if largest is None or options.is_on("VPU_IGNORE_IR_STATISTIC"):
        return None
    for position, tensor in enumerate(kernel.outputs):
        found = recorded_magnitude(tensor)
        if found > largest:
            name = profile.storage.name.lower()
            reason = f"the model records {found:g} in output {position}, {name} holds {largest:.0f} at most"
            return Rejected(
                RejectCode.LIMIT,
                f"{reason} (VPU_IGNORE_IR_STATISTIC claims it all the same)",
                f"recorded ranges up to {largest:.0f} ({name})",
            )
    return None


def recorded_magnitude(tensor: Tensor) -> float:
    """The largest magnitude that the model file records for a tensor of real numbers; 0 when it records none."""
    if tensor.dtype not in FLOATING:
        return 0.0
    return max((max(abs(q.min), abs(q.max)) for q in tensor.quant_params), default=0.0)
