"""BroadcastTo: repeats dimensions of size 1 up to a target shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import ALL_DTYPES
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, unknown_shape, vector_length


def broadcast_to(x: Array, target: Array | None = None, *, shape: Sequence[int] | None = None) -> Array:
    """``x`` repeated to a shape, aligned at the last dimension as numpy does.

    Args:
        x: any rank, any dtype.
        target: integers, or floats that are whole; -1 keeps the dimension of ``x``. Read instead of the attribute.
        shape: the target where there is no second input; -1 is not allowed here.

    Returns:
        A view of ``x``.

    Raises:
        KernelInputError: a dimension of ``x`` is neither 1 nor the target's, or -1 has nothing to keep.
    """
    wanted = _attribute(shape) if target is None else int_list(target, "target", whole_floats=True)
    return np.broadcast_to(x, _resolve(x.shape, wanted))


def infer_broadcast_to(x: ArraySpec, target: ArraySpec | None = None, *, shape: Sequence[int] | None) -> ArraySpec:
    """The target shape; where it is not constant, those dimensions of ``x`` that it must keep."""
    wanted = _attribute(shape) if target is None else constant_ints(target, "target", whole_floats=True)
    if wanted is None:
        wide = None if target is None else unknown_shape(vector_length(target))
        return ArraySpec(x.dtype, None if wide is None else _kept(x.shape or (), wide))
    if x.shape is None:
        _check_sizes(wanted)
        return ArraySpec(x.dtype, tuple(wanted))
    return ArraySpec(x.dtype, _resolve(x.shape, wanted))


def _attribute(shape: Sequence[int] | None) -> Sequence[int]:
    if shape is None or any(d < 0 for d in shape):
        found = None if shape is None else list(shape)
        raise KernelInputError(f"shape must hold sizes when it is not an input, got {found}")
    return shape


def _check_sizes(wanted: Sequence[int]) -> None:
    if min(wanted, default=0) < -1:
        raise KernelInputError(f"target must hold sizes and -1, got {list(wanted)}")


def _resolve(source: Shape, wanted: Sequence[int]) -> Shape:
    _check_sizes(wanted)
    added = len(wanted) - len(source)
    if added < 0 or -1 in wanted[:added]:
        raise KernelInputError(f"input shape {source} cannot be broadcast to {list(wanted)}, ranks do not match")
    pairs = list(zip(source, wanted[added:], strict=True))
    if any(have not in (1, want, UNKNOWN) and want != -1 for have, want in pairs):
        raise KernelInputError(f"input shape {source} cannot be broadcast to {list(wanted)}")
    return (*wanted[:added], *(have if want == -1 else want for have, want in pairs))


def _kept(source: Shape, wide: Shape) -> Shape:
    if len(source) > len(wide):
        raise KernelInputError(f"input shape {source} cannot be broadcast to rank {len(wide)}")
    return wide[len(source) :] + tuple(UNKNOWN if d == 1 else d for d in source)


KERNEL = ReferenceKernel("BroadcastTo", broadcast_to, infer_broadcast_to, ALL_DTYPES)
