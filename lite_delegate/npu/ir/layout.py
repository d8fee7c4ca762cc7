"""Axis orders of device tensors: permutations between the model's order and the one that spatial instructions need."""

from __future__ import annotations

from collections.abc import Sequence

Axes = tuple[int, ...]

TO_NCHW: Axes = (0, 3, 1, 2)
"""Device axis i of an NCHW tensor is axis TO_NCHW[i] of the model's NHWC tensor."""
TO_NHWC: Axes = (0, 2, 3, 1)


def identity(rank: int) -> Axes:
    """The permutation that changes nothing."""
    return tuple(range(rank))


def permute_shape(shape: Sequence[int], axes: Axes) -> Axes:
    """The dimensions after a permutation: result axis i is operand axis ``axes[i]``."""
    return tuple(shape[axis] for axis in axes)


def inverse(axes: Axes) -> Axes:
    """The permutation that undoes ``axes``."""
    return tuple(axes.index(axis) for axis in range(len(axes)))


def after(first: Axes, second: Axes) -> Axes:
    """The one permutation that does what ``first`` and then ``second`` do."""
    return tuple(first[axis] for axis in second)


def moves_nothing(shape: Sequence[int], axes: Axes) -> bool:
    """True when permuting a tensor of ``shape`` by ``axes`` leaves every element where it is in memory."""
    kept = [axis for axis in axes if shape[axis] != 1]
    return kept == sorted(kept)
