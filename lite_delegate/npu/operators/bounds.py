"""The bounds that a profile sets to any operator, checked in one place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import AvgPoolFusion, Conv2DFusion, Conv2dTransposeFusion, MaxPoolFusion
from ...ir.types.data_type import DataType
from ...ir.types.enums import ActivationType
from ...semantics.geometry import Sliding, conv_sliding, pool_sliding
from ...semantics.operands import operand, required
from ...semantics.spreading import spread_sliding
from ...tensors.tensor import Tensor
from ..profiles import OperatorBounds, Profile
from .gate import check_constants, check_driver
from .op_conv2d_fusion import groups_of
from .op_conv2d_transpose_fusion import spread_groups


def check_bounds(kernel: Kernel, op_type: str, profile: Profile) -> Rejected | None:
    """The first bound that a kernel which its operator takes does not keep, with the limit and the value found."""
    bounds = profile.bounds_of(op_type)
    if bounds == OperatorBounds():
        return None
    return (
        check_driver(profile, bounds.driver_since, op_type)
        or _check_dtypes(kernel, bounds)
        or check_constants(kernel, {i: f"input {i}" for i in bounds.constants or ()})
        or _check_activation(kernel, bounds.activations)
        or _check_shapes(kernel, bounds)
        or _check_window(kernel, bounds)
    )


def _check_dtypes(kernel: Kernel, bounds: OperatorBounds) -> Rejected | None:
    for position, names in ((0, bounds.dtypes), (1, bounds.second_dtypes)):
        tensor = operand(kernel, position)
        if names is not None and tensor is not None and tensor.dtype.name not in names:
            found = tensor.dtype
            known = ", ".join(d.name for d in sorted(DataType[name] for name in names))
            return Rejected.by_rule(
                RejectCode.DTYPE, f"input {position} must be one of {known} on this device", f"is {found.name}", found
            )
    return None


def _check_activation(kernel: Kernel, names: Sequence[str] | None) -> Rejected | None:
    found = getattr(kernel.primitive, "activation_type", None)
    if names is None or not isinstance(found, ActivationType) or found.name in names:
        return None
    known = ", ".join(names)
    return Rejected.by_rule(
        RejectCode.ATTRIBUTE, f"activation_type must be one of {known} on this device", f"is {found.name}"
    )


def _check_shapes(kernel: Kernel, bounds: OperatorBounds) -> Rejected | None:
    first = operand(kernel, 0)
    if bounds.ranks is not None and first is not None and len(first.shape) not in bounds.ranks:
        wanted = " or ".join(map(str, sorted(bounds.ranks)))
        rule = f"input 0 must have {wanted} dimensions on this device"
        return Rejected.by_rule(RejectCode.RANK, rule, f"has shape {first.shape}")
    if bounds.max_inputs is not None and len(kernel.operands) > bounds.max_inputs:
        return _beyond("inputs", bounds.max_inputs, len(kernel.operands))
    return next((r for name, t in _measured(kernel) if (r := _check_sizes(name, t, bounds)) is not None), None)


def _measured(kernel: Kernel) -> Iterator[tuple[str, Tensor]]:
    first = operand(kernel, 0)
    if first is not None:
        yield "input 0", first
    yield "output 0", kernel.outputs[0]


def _check_sizes(name: str, tensor: Tensor, bounds: OperatorBounds) -> Rejected | None:
    shape = tensor.shape
    channels = shape[-1] if shape else 1
    multiple = bounds.channels_multiple
    if multiple is not None and channels % multiple:
        rule = f"channels of {name} must be a multiple of {multiple}"
        return Rejected.by_rule(RejectCode.LIMIT, rule, f"are {channels}")
    for what, limit, found in (
        (f"channels of {name}", bounds.max_channels, channels),
        (f"dimensions of {name}", bounds.max_dim, max(shape, default=1)),
        (f"elements of {name}", bounds.max_elements, math.prod(shape)),
    ):
        if limit is not None and found > limit:
            return _beyond(what, limit, found)
    return None


def _check_window(kernel: Kernel, bounds: OperatorBounds) -> Rejected | None:
    window = _window(kernel)
    if window is None:
        return None
    sliding, groups = window
    for what, limit, found in (
        ("kernel height and width", bounds.max_kernel, max(sliding.size)),
        ("strides", bounds.max_stride, max(sliding.strides)),
        ("dilations", bounds.max_dilation, max(sliding.dilations)),
        ("groups", bounds.max_groups, groups),
    ):
        if limit is not None and found > limit:
            return _beyond(what, limit, found)
    if bounds.min_kernel is not None and min(sliding.size) < bounds.min_kernel:
        rule = f"kernel height and width must be {bounds.min_kernel} at least"
        return Rejected.by_rule(RejectCode.LIMIT, rule, f"are {list(sliding.size)}")
    return None


def _window(kernel: Kernel) -> tuple[Sliding, int] | None:
    """The window of an operator that slides one, and its groups."""
    primitive = kernel.primitive
    if isinstance(primitive, Conv2DFusion):
        weight = required(kernel, 1).shape
        return conv_sliding(primitive, weight), groups_of(primitive, weight[0])
    if isinstance(primitive, Conv2dTransposeFusion):
        weight = required(kernel, 1).shape
        return spread_sliding(primitive, weight), spread_groups(primitive, weight[0])
    if isinstance(primitive, (AvgPoolFusion, MaxPoolFusion)):
        return pool_sliding(primitive, required(kernel, 0).shape), 1
    return None


def _beyond(what: str, limit: int, found: int) -> Rejected:
    return Rejected.by_rule(RejectCode.LIMIT, f"{what} may be {limit} at most", f"is {found}")
