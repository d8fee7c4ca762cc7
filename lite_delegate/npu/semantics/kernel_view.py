"""Kernel views: a quantized kernel in the form that the checks and lowerings of real numbers take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...delegate import Kernel
from ...errors import DelegateExecuteError
from ...ir.types.data_type import DataType
from ...semantics.quantization import params_of, per_channel
from ...tensors.tensor import Array, Tensor

WITH_PARAMETERS = frozenset({DataType.INT8, DataType.UINT8, DataType.INT32})
"""Element types whose quantization parameters give the real numbers that integers stand for."""


class KernelView(Kernel):
    """A kernel's primitive with other tensors. The view is examined while compiling and never runs."""

    def execute(self) -> None:
        """Raises DelegateExecuteError."""
        raise DelegateExecuteError(f"Kernel '{self.name}' is compiled and cannot run by itself.")


def with_tensors(kernel: Kernel, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> KernelView:
    """``kernel`` with these tensors, by position."""
    return KernelView(kernel.name, kernel.type, inputs, outputs, kernel.primitive)


def labeled_as_reals(kernel: Kernel) -> KernelView:
    """``kernel`` with tensors of integers labeled FLOAT32, for checks of shapes; constants keep their integers."""

    def labeled(tensor: Tensor) -> Tensor:
        if tensor.dtype not in WITH_PARAMETERS:
            return tensor
        return real_like(tensor, tensor.data if tensor.is_const and tensor.has_data else None)

    inputs = [None if t is None else labeled(t) for t in kernel.operands]
    return with_tensors(kernel, inputs, [labeled(t) for t in kernel.outputs])


def as_reals(kernel: Kernel) -> KernelView:
    """``kernel`` on the real numbers that its integers stand for: each tensor with parameters becomes a FLOAT32 one.

    Constants are dequantized; float constants become tensors of their own too, so that they can be kept in another
    precision than elsewhere. A tensor that occurs twice is one new tensor.
    """
    made = {t: _real(t) for t in (*kernel.inputs, *kernel.outputs)}
    return with_tensors(
        kernel, [None if t is None else made[t] for t in kernel.operands], [made[t] for t in kernel.outputs]
    )


def is_stored(tensor: Tensor) -> bool:
    """True for a tensor of integers that stand for real numbers."""
    return tensor.dtype in WITH_PARAMETERS and bool(params_of(tensor))


def real_like(tensor: Tensor, data: Array | None = None) -> Tensor:
    """A FLOAT32 tensor of the shape and the kind (constant or variable) of another."""
    shape = tuple(tensor.shape) if tensor.has_known_shape else None
    return Tensor.describe(tensor.name, DataType.FLOAT32, shape, tensor.format, data=data, is_const=tensor.is_const)


def _real(tensor: Tensor) -> Tensor:
    known = tensor.is_const and tensor.has_data
    if is_stored(tensor):
        return real_like(tensor, dequantized(tensor) if known else None)
    return real_like(tensor, tensor.data) if known and tensor.dtype == DataType.FLOAT32 else tensor


def dequantized(tensor: Tensor) -> Array:
    """The real numbers, float32, that the integers of a constant stand for.

    Several scales go with the last dimension that has as many elements.
    """
    parameters, data = per_channel(tensor), tensor.data
    shape: tuple[int, ...] = ()
    if len(parameters) > 1:
        axes = [i for i in range(data.ndim) if data.shape[i] == len(parameters)]
        shape = tuple(-1 if i == axes[-1] else 1 for i in range(data.ndim))
    scales = np.array([p.scale for p in parameters], np.float32).reshape(shape)
    points = np.array([p.zero_point for p in parameters], np.int64).reshape(shape)
    return np.asarray((data.astype(np.int64) - points).astype(np.float32) * scales)
