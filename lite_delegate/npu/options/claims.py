"""Rejections by options of kernels that the device could run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...delegate import Kernel, RejectCode, Rejected
from ...ir import Source
from ...ir.types.data_type import DataType
from ...semantics.operands import op_type_of
from ...tensors.tensor import Tensor
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
    """True for a layer with the kernel's own type and name, or the type and name of one of its nodes in the file."""
    has_layers = custom.types or custom.names or custom.both
    return bool(has_layers) and any(custom.binds(*e) for e in ((op_type, kernel.name), *_words(kernel.sources)))


def unmatched_layers(kernels: Sequence[Kernel], removed: Sequence[Source], options: Options) -> Sequence[str]:
    """See ``Delegate.unmatched``: the names of custom layers that no node of a model has."""
    custom = options.value("VPU_CUSTOM_LAYERS")
    if not isinstance(custom, CustomLayers) or not (custom.names or custom.both):
        return ()
    words = [(op_type_of(kernel), kernel.name) for kernel in kernels]
    words += [each for kernel in kernels for each in _words(kernel.sources)]
    return custom.unmatched([*words, *_words(removed)])


def _words(sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    """Operator and name of nodes of a file, alone and with its path in front."""
    for source in sources:
        yield source.op_type, source.name
        yield source.op_type, source.full_name


def _check_statistics(kernel: Kernel, profile: Profile, options: Options) -> Rejected | None:
    """The ranges that the model file records of real numbers are ranges that the device can hold."""
    largest = LARGEST.get(profile.storage)
    if largest is None:
        return None
    for position, tensor in enumerate(kernel.outputs):
        found = recorded_magnitude(tensor)
        if found > largest and not options.is_on("VPU_IGNORE_IR_STATISTIC"):
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
    return max([max(abs(q.min), abs(q.max)) for q in tensor.quant_params], default=0.0)
