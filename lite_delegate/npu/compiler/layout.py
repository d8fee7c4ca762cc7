"""Layouts of device tensors, and where each is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from ...delegate import Kernel
from ...tensor import Tensor
from ..operands import op_type_of

Axes = tuple[int, ...]


class Layout(Enum):
    """The order of a device tensor's dimensions.

    PLAIN is the model's order, whatever it means. PACKED exists for rank 4 only: model order (0, 3, 1, 2), which
    makes the NHWC activations of a model NCHW.
    """

    PLAIN = "plain"
    PACKED = "packed"


class LayoutRule(Enum):
    """What an operator asks of the layout of its operands.

    PLAIN and PACKED: always that. FOLLOW: either; the operator takes its operands as they lie.
    """

    PLAIN = "plain"
    PACKED = "packed"
    FOLLOW = "follow"


PACKED_RANK = 4
TO_PACKED: Axes = (0, 3, 1, 2)


def model_axes(layout: Layout, rank: int) -> Axes:
    """For each device axis, the model axis that it holds."""
    return TO_PACKED if layout is Layout.PACKED else tuple(range(rank))


def arranged(shape: Sequence[int], layout: Layout) -> Axes:
    """Model dimensions in device order."""
    return tuple(shape[axis] for axis in model_axes(layout, len(shape)))


def device_axis(axis: int, layout: Layout, rank: int) -> int:
    """Where model axis ``axis`` (non-negative) lies on the device."""
    return model_axes(layout, rank).index(axis)


def conversion(source: Layout, target: Layout, rank: int) -> Axes:
    """The permutation that turns a device tensor in ``source`` layout into ``target`` layout."""
    axes = model_axes(source, rank)
    return tuple(axes.index(axis) for axis in model_axes(target, rank))


def moves_nothing(shape: Sequence[int], axes: Axes) -> bool:
    """True when permuting a tensor of ``shape`` by ``axes`` leaves every element where it is in memory."""
    kept = [axis for axis in axes if shape[axis] != 1]
    return kept == sorted(kept)


def wanted_layouts(kernels: Sequence[Kernel], rules: Mapping[str, LayoutRule]) -> dict[Tensor, Layout]:
    """For each rank-4 tensor that the kernels read, the layout in which it is wanted first.

    PACKED when a kernel asks for it, directly or through kernels that follow; PLAIN otherwise. It decides how
    a tensor that crosses from the host is laid out by the copy that happens anyway.
    """
    packed: set[Tensor] = set()
    for kernel in reversed(kernels):
        rule = rules[op_type_of(kernel)]
        follows = rule is LayoutRule.FOLLOW and packed.intersection(kernel.outputs)
        if rule is LayoutRule.PACKED or follows:
            packed.update(t for t in kernel.inputs if len(t.shape) == PACKED_RANK)
    read = (t for kernel in kernels for t in kernel.inputs)
    return {t: Layout.PACKED if t in packed else Layout.PLAIN for t in read}
