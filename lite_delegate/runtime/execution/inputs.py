"""Inputs and outputs of a prediction: the caller's inputs are checked before anything runs, the results handed out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...errors import InputError
from ...ir import DataType, Value
from ...tensors.tensor import Tensor, filled_like

_STRING = DataType.STRING


def declared_inputs(values: Sequence[Value]) -> list[Tensor]:
    """Tensors for the inputs of a graph as the file has them: -1 where a dimension is open."""
    return [Tensor.describe(v.name, v.dtype, v.shape, v.format, quant_params=v.quant_params) for v in values]


def fits(shape: Sequence[int], expected: Sequence[int]) -> bool:
    """True when a shape agrees with one that may have unknown dimensions (-1) or an unknown rank ([-2])."""
    if list(expected) == [-2]:
        return True
    return len(shape) == len(expected) and all(w in (-1, d) for d, w in zip(shape, expected, strict=True))


def checked_dims(
    inputs: Sequence[Tensor],
    dims: Sequence[Sequence[int]],
    expected: Sequence[Tensor],
    declared: Sequence[tuple[int, ...] | None],
) -> tuple[tuple[int, ...], ...]:
    """The new shapes of ``resize``.

    Args:
        inputs: the model's, all of them, in order.
        dims: the new shape of each.
        expected: the model's inputs as they are.
        declared: their shapes as the model file has them, None where the rank is not known.

    Raises:
        TypeError: not lists of Tensor and of lists of int.
        InputError: a number that differs from the model's, another rank than the model file says, or a negative
            dimension.
    """
    for name, value in (("inputs", inputs), ("dims", dims)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{name} must be list, but got {type(value).__name__}.")
    if not len(inputs) == len(dims) == len(expected):
        raise InputError(
            f"The model has {counted(len(expected), 'input')}, got {counted(len(inputs), 'input')} and "
            f"{len(dims)} dims."
        )
    for tensor, want in zip(inputs, expected, strict=True):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"inputs element must be Tensor, but got {type(tensor).__name__}.")
        if tensor.name not in ("", want.name):
            raise InputError(f"Input '{want.name}': got the tensor '{tensor.name}'; keep the order of get_inputs().")
    return tuple(map(_shape, dims, expected, declared))


def _shape(shape: Sequence[int], want: Tensor, declared: tuple[int, ...] | None) -> tuple[int, ...]:
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"dims element must be list, but got {type(shape).__name__}.")
    for dim in shape:
        if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)):
            raise TypeError(f"dims element's element must be int, but got {type(dim).__name__}.")
        if dim < 0:
            raise InputError(f"Input '{want.name}': dimensions must be >= 0, got {list(shape)}.")
    if declared is not None and len(shape) != len(declared):
        raise InputError(f"Input '{want.name}': expected {counted(len(declared), 'dimension')}, got {list(shape)}.")
    return tuple(int(dim) for dim in shape)


def check_outputs(outputs: Sequence[Tensor] | None, expected: Sequence[Tensor]) -> None:
    """Checks the tensors that are to be filled, as far as is known before the model runs; None is right.

    Raises:
        TypeError: not a list of Tensor.
        InputError: wrong number, dtype or shape.
    """
    if outputs is None:
        return
    if not isinstance(outputs, (list, tuple)):
        raise TypeError(f"outputs must be list, but got {type(outputs).__name__}.")
    if len(outputs) != len(expected):
        raise InputError(
            f"The model has {counted(len(expected), 'output')} ({_names(expected)}), got "
            f"{counted(len(outputs), 'tensor')}."
        )
    for i, (tensor, want) in enumerate(zip(outputs, expected, strict=True)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"outputs element must be Tensor, but got {type(tensor).__name__}.")
        where = f"Output {i} '{want.name}'"
        if tensor.dtype != want.dtype:
            raise InputError(f"{where}: expected {want.dtype.name}, got {tensor.dtype.name}.")
        if want.dtype != DataType.STRING and tensor.has_known_shape and not fits(tensor.shape, want.shape):
            raise InputError(f"{where}: expected shape {want.shape}, got {tensor.shape}.")
        if tensor.has_data and not tensor.data.flags.writeable:
            raise InputError(f"{where}: the tensor's memory can only be read; give one that can be written to.")
        if any(_share(tensor, other) for other in outputs[:i]):
            raise InputError(
                f"{where}: the tensor shares memory with the tensor of an earlier output; "
                "give the output a tensor of its own."
            )


def _share(tensor: Tensor, other: Tensor) -> bool:
    """Whether two tensors share memory."""
    mine, theirs = tensor.held, other.held
    return tensor is other or (mine is not None and theirs is not None and np.shares_memory(mine, theirs))


def fill_outputs(
    results: Sequence[Array], expected: Sequence[Tensor], outputs: Sequence[Tensor] | None
) -> list[Tensor]:
    """The outputs of a prediction as tensors: new ones, or the caller's, which ``check_outputs`` has seen.

    Results are written to the memory of the caller's tensors; one that has none of that shape gets the array itself.
    """
    if outputs is None:
        return list(map(filled_like, expected, results))
    for tensor, array in zip(outputs, results, strict=True):
        if tensor.has_data and tensor.data.shape == array.shape and tensor.data.flags.writeable:
            np.copyto(tensor.data, array)
        else:
            tensor.data = array
    return list(outputs)


def _names(tensors: Sequence[Tensor]) -> str:
    return ", ".join(f"'{t.name}'" for t in tensors)
