"""PadFusion: a border around an array, constant or mirrored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._dtypes import ALL_DTYPES, as_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._movement import constant_ints, int_list, unknown_shape, vector_length

_MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")
_MAX_RANK = 6

Pair = tuple[int, int]


def pad_fusion(
    x: Array,
    pads: Array,
    constant: Array | None = None,
    *,
    paddings: Sequence[Sequence[int]] | None = None,
    padding_mode: str = "CONSTANT",
    constant_value: float = 0.0,
) -> Array:
    """``x`` with a border.

    Args:
        x: rank 0 to 6, any dtype.
        pads: 2 * rank integers >= 0 of any shape: before and after, dimension by dimension.
        constant: one value, replaces ``constant_value`` when given.
        paddings: without effect, as in MindSpore Lite, which reads the input only.
        padding_mode: CONSTANT; REFLECT mirrors without the edge (border < dimension); SYMMETRIC mirrors with
            the edge (border <= dimension).
        constant_value: what CONSTANT writes, converted to the dtype of ``x``.

    Returns:
        Each dimension plus its two borders.

    Raises:
        KernelInputError: a wrong number of paddings, a negative one, a mirrored border that is wider than there
            is to mirror, another mode, or a constant that the dtype cannot hold.
    """
    pairs = _pairs(int_list(pads, "paddings"), x.ndim)
    shape = _padded(x.shape, pairs, padding_mode)
    if padding_mode == "CONSTANT":
        fill = constant_value if constant is None else _only(constant)
        return _surround(x, shape, pairs, as_dtype(fill, x.dtype))
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            x = x.take(_mirror(x.shape[axis], before, after, repeat_edge=padding_mode == "SYMMETRIC"), axis=axis)
    return x


def infer_pad_fusion(
    x: ArraySpec, pads: ArraySpec, constant: ArraySpec | None = None, *, padding_mode: str, constant_value: float
) -> ArraySpec:
    """The dimensions with their borders; the rank alone where ``pads`` is not constant."""
    _check_mode(padding_mode)
    values = constant_ints(pads, "paddings")
    count = vector_length(pads)
    if count is not None and count % 2:
        raise KernelInputError(f"paddings must hold two values per dimension, got {count}")
    if padding_mode == "CONSTANT":
        _check_fill(x, constant, constant_value)
    if x.shape is None:
        return ArraySpec(x.dtype, unknown_shape(None if count is None else count // 2))
    if len(x.shape) > _MAX_RANK:
        raise KernelInputError(f"input must have at most {_MAX_RANK} dimensions, got shape {x.shape}")
    if values is None:
        return ArraySpec(x.dtype, unknown_shape(len(x.shape)))
    return ArraySpec(x.dtype, _padded(x.shape, _pairs(values, len(x.shape)), padding_mode))


def _check_mode(padding_mode: str) -> None:
    if padding_mode not in _MODES:
        raise KernelInputError(f"padding_mode must be one of {', '.join(_MODES)}, got {padding_mode}")


def _check_fill(x: ArraySpec, constant: ArraySpec | None, constant_value: float) -> None:
    if constant is None:
        as_dtype(constant_value, x.dtype)
    elif constant.value is not None:
        as_dtype(_only(constant.value), x.dtype)


def _pairs(values: Sequence[int], rank: int) -> list[Pair]:
    if len(values) != 2 * rank or min(values, default=0) < 0:
        raise KernelInputError(f"paddings must be {2 * rank} values >= 0 for rank {rank}, got {list(values)}")
    return list(zip(values[::2], values[1::2], strict=True))


def _padded(shape: Shape, pairs: Sequence[Pair], padding_mode: str) -> Shape:
    _check_mode(padding_mode)
    if padding_mode != "CONSTANT":
        for dim, pair in zip(shape, pairs, strict=True):
            _check_border(dim, pair, padding_mode)
    return tuple(UNKNOWN if d == UNKNOWN else d + sum(pair) for d, pair in zip(shape, pairs, strict=True))


def _check_border(dim: int, pair: Pair, padding_mode: str) -> None:
    widest = dim if padding_mode == "SYMMETRIC" else dim - 1
    if dim != UNKNOWN and max(pair) > max(widest, 0):
        raise KernelInputError(f"{padding_mode} paddings {pair} are wider than a dimension of {dim} can mirror")


def _only(constant: Array) -> Any:
    if constant.size != 1:
        raise KernelInputError(f"constant must hold exactly one value, got shape {constant.shape}")
    return constant.item()


def _surround(x: Array, shape: Shape, pairs: Sequence[Pair], fill: Any) -> Array:
    out: Array = np.full(shape, fill, dtype=x.dtype)
    out[tuple(slice(before, before + d) for d, (before, _) in zip(x.shape, pairs, strict=True))] = x
    return out


def _mirror(dim: int, before: int, after: int, *, repeat_edge: bool) -> Array:
    """The source position of every position of a mirrored dimension, ``-before`` to ``dim + after``."""
    place = np.arange(-before, dim + after)
    edge = 1 if repeat_edge else 0
    place = np.where(place < 0, -place - edge, place)
    return np.where(place >= dim, 2 * (dim - 1) + edge - place, place)


KERNEL = ReferenceKernel("PadFusion", pad_fusion, infer_pad_fusion, ALL_DTYPES)
