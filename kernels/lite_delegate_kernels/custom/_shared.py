"""Shared by kernels of Custom nodes: checks of operands, and axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, Shape


def check_rank(spec: ArraySpec, least: int, most: int | None = None, name: str = "input 0") -> None:
    """Raises KernelInputError where the rank is known and not ``least`` to ``most``."""
    rank = spec.rank
    if rank is None or (least <= rank and (most is None or rank <= most)):
        return
    wanted = f"at least {least}" if most is None else f"{least}" if most == least else f"{least} to {most}"
    raise KernelInputError(f"{name} must have {wanted} dimensions, got shape {spec.shape}")


def at(*parts: Any) -> Any:
    """An index of several dimensions."""
    return parts


def axis_of(axis: int, rank: int) -> int:
    """A possibly negative axis as a position; raises KernelInputError where it is out of range."""
    if not -rank <= axis < rank:
        raise KernelInputError(f"axis {axis} must be {-rank} to {rank - 1}")
    return axis % rank


def one_integer(x: Array, name: str) -> int:
    """The one integer that an operand holds."""
    if x.size != 1 or x.dtype.kind not in "iu":
        raise KernelInputError(f"{name} must be one integer, got {x.dtype} of shape {x.shape}")
    return int(x.reshape(-1)[0])


def known_integers(spec: ArraySpec | None) -> list[int] | None:
    """The integers of an operand of one dimension, None where they are not known."""
    if spec is None or spec.value is None:
        return None
    return [int(n) for n in spec.value.reshape(-1)]


def listed(values: Sequence[int] | None, count: int, default: int, name: str, least: int = 0) -> list[int]:
    """The values of an attribute with one for each of ``count`` axes, ``default`` where it is left out."""
    found = [default] * count if not values else [int(v) for v in values]
    if len(found) != count or min(found, default=least) < least:
        raise KernelInputError(f"{name} must be {count} numbers of at least {least}, got {found}")
    return found


def with_dim(shape: Shape | None, axis: int, size: int) -> Shape | None:
    """The shape with another size of one dimension."""
    if shape is None:
        return None
    return tuple(size if i == axis % len(shape) else d for i, d in enumerate(shape))


def product(dims: Sequence[int]) -> int:
    """The number of elements, ``UNKNOWN`` where a dimension is."""
    count = 1
    for dim in dims:
        if dim == UNKNOWN:
            return UNKNOWN
        count *= dim
    return count
