"""Reading kernels: their primitive by type, their operands by position, their constants as Python values."""

from __future__ import annotations

from typing import TypeVar

from ..delegate import Kernel
from ..errors import DelegateBuildError
from ..ir.primitive import Primitive
from ..tensors.tensor import Tensor

P = TypeVar("P", bound=Primitive)


def primitive_of(kernel: Kernel, kind: type[P]) -> P:
    """The kernel's primitive.

    Raises:
        DelegateBuildError: it is of another operator.
    """
    if not isinstance(kernel.primitive, kind):
        raise DelegateBuildError(f"Kernel '{kernel.name}' must be a {kind.op_type}, is {kernel.primitive!r}.")
    return kernel.primitive


def op_type_of(kernel: Kernel) -> str:
    """The operator's name in the schema; for a graph kernel its type."""
    return kernel.type if kernel.primitive is None else kernel.primitive.op_type


def operand(kernel: Kernel, position: int) -> Tensor | None:
    """The input at ``position`` in the operator's order; None where it is absent or left out."""
    return kernel.operands[position] if position < len(kernel.operands) else None


def required(kernel: Kernel, position: int) -> Tensor:
    """The input at ``position``.

    Raises:
        DelegateBuildError: it is absent.
    """
    tensor = operand(kernel, position)
    if tensor is None:
        raise DelegateBuildError(f"Kernel '{kernel.name}' ({kernel.type}) has no input {position}.")
    return tensor


def shape_of(tensor: Tensor) -> tuple[int, ...]:
    """The dimensions of a tensor of known shape."""
    return tuple(tensor.shape)


def int_values(tensor: Tensor) -> tuple[int, ...]:
    """The elements of a constant that holds axes, a permutation or a shape, in memory order."""
    return tuple(int(v) for v in tensor.data.reshape(-1))


def normalized(axis: int, rank: int) -> int:
    """``axis`` counted from the front; -1 is the last."""
    return axis + rank if axis < 0 else axis
