"""Given inputs: a caller's values for the inputs of a run, by index, name or port; checked and converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any, Protocol

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import InputError
from ...ir import DataType, to_numpy
from ...remote import RemoteTensor
from ...tensors.dlpack import from_dlpack, is_exchangeable
from ...tensors.strings import packed
from ...tensors.tensor import Tensor
from .copies import Copy
from .element_types import converted, converts, of_numbers
from .port import Port, find_port, listed
from .remote_ports import RemoteInput, remote_input
from .results import Results


class Exchangeable(Protocol):
    """An array of another library with the DLPack protocol, see ``dlpack``."""

    def __dlpack__(self) -> Any:
        """The memory of the array, as a capsule."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """The type and the number of the memory's device."""


Given = Tensor | Array | Exchangeable | Sequence[Any] | float
"""A tensor, an array of numpy or another library, or numbers, also in nested lists."""
Inputs = Mapping[Any, Given] | Sequence[Given] | Results | Tensor | Array | Exchangeable | float | None
"""Values by name, index or port; or in order; or for the only input; or None."""


@dataclass(frozen=True, slots=True, eq=False)
class InputConversion:
    """A checked value for an input that must be converted before the model reads it.

    Attributes:
        port: of the model.
        array: the value, of a type that ``converts`` accepts.
        reason: why the array must be copied.
    """

    port: Port
    array: Array
    reason: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        shape: tuple[int, ...] = self.array.shape
        return shape

    def brought(self, copies: list[Copy]) -> Array:
        """The array in the type and the layout of the model. Notes the copy in ``copies``."""
        array = converted(self.array, to_numpy(self.port.dtype))
        copies.append(Copy(self.port, array.nbytes, self.reason))
        return array


def with_named(inputs: Inputs, named: Mapping[str, Given]) -> Inputs:
    """The given inputs with inputs by keyword; a value beside keywords that is no mapping is the input ``inputs``."""
    if inputs is None:
        return named
    return {**inputs, **named} if isinstance(inputs, Mapping) else {"inputs": inputs, **named}


_READABLE = 0x0001 | 0x0100
"""NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED, asked for at once: each look at flags counts in a short run."""


def plain_arrays(inputs: Inputs, ports: Sequence[Port]) -> list[Array] | None:
    """The arrays of all inputs, if the model can read them without a conversion; None if the inputs need a full check.

    The arrays or tensors must have the ports' types, and be in order, single, or in a dictionary by the ports' first
    names.
    """
    arrays = _listed(inputs, ports)
    if len(arrays) != len(ports):
        return None
    for port in ports:
        array = arrays[port.index]
        if type(array) is not np.ndarray:
            return _held_arrays(arrays, ports)
        if array.shape != port.extents or (array.dtype is not port.element and array.dtype != port.element):
            return None
        if array.flags.num & _READABLE != _READABLE:
            return None
    return arrays


def _held_arrays(given: Sequence[Any], ports: Sequence[Port]) -> list[Array] | None:
    """As ``plain_arrays``, for values in order that include tensors."""
    arrays: list[Array] = []
    for each, port in zip(given, ports, strict=True):
        array = each
        if type(each) is Tensor:
            if each.dtype is not port.dtype or (each.name and each.name not in port.names):
                return None
            array = each.held
        if type(array) is not np.ndarray or array.shape != port.extents or array.dtype != port.element:
            return None
        if not (array.flags.c_contiguous and array.flags.aligned):
            return None
        arrays.append(array)
    return arrays


def _listed(inputs: Any, ports: Sequence[Port]) -> list[Any]:
    """The values for all inputs in order, of any type; empty for other forms of inputs."""
    kind = type(inputs)
    if kind is np.ndarray:
        return [inputs]
    if kind is dict:
        return [inputs.get(port.names[0]) for port in ports] if len(inputs) == len(ports) else []
    return list(inputs) if kind is list or kind is tuple else []


def given_inputs(inputs: Inputs, ports: Sequence[Port]) -> dict[int, Given]:
    """The given values by input index; a mapping may leave inputs out.

    Raises:
        TypeError: the argument has no form of inputs.
        InputError: a key is unknown, an input is given twice, or the number of inputs is wrong.
    """
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        return _by_key(inputs, ports)
    listed_inputs = _in_order(inputs, len(ports))
    if len(listed_inputs) != len(ports):
        raise InputError(f"The model has {counted(len(ports), 'input')} ({listed(ports)}), got {len(listed_inputs)}.")
    for port, given in zip(ports, listed_inputs, strict=True):
        if isinstance(given, Tensor) and given.name not in ("", *port.names):
            raise InputError(f"{port.where}: got the tensor '{given.name}'; pass the inputs in order, or by name.")
    return dict(enumerate(listed_inputs))


def _by_key(inputs: Mapping[Any, Given], ports: Sequence[Port]) -> dict[int, Given]:
    found: dict[int, Given] = {}
    for key, given in inputs.items():
        port = find_port(key, ports, "input")
        if port.index in found:
            raise InputError(f"{port.where}: it is given twice, the second time as {key!r}.")
        found[port.index] = given
    return found


def _in_order(inputs: Any, count: int) -> Sequence[Given]:
    if isinstance(inputs, Results):
        return inputs.values()
    if isinstance(inputs, (Tensor, np.ndarray)) or _is_number(inputs):
        return [inputs]
    if not isinstance(inputs, (list, tuple)):
        if is_exchangeable(inputs):
            return [inputs]
        raise TypeError(f"inputs must be list, dict, Tensor or array, but got {type(inputs).__name__}.")
    if count == 1 and len(inputs) != 1 and inputs and all(map(_is_number, inputs)):
        return [inputs]
    return inputs


def _is_number(given: object) -> bool:
    return isinstance(given, (Number, np.generic))


def checked_inputs(
    inputs: Inputs, ports: Sequence[Port], *, strict: bool = False
) -> list[Array | InputConversion | RemoteInput]:
    """The checked values for all inputs of a model, in order.

    Args:
        inputs: of the caller.
        ports: of the model.
        strict: as for ``checked``.

    Raises:
        TypeError: the argument has no form of inputs.
        InputError: an input is missing, unknown, given twice, or does not fit; see ``checked``.
    """
    given = given_inputs(inputs, ports)
    unset = [f"{port.index} '{port.name}'" for port in ports if port.index not in given]
    if unset:
        raise InputError(f"Nothing was given for the inputs {', '.join(unset)}.")
    return [checked(given[port.index], port, strict=strict) for port in ports]


def arrays_of(inputs: Inputs, ports: Sequence[Port]) -> list[Array]:
    """The arrays that a model reads for the given inputs, in order.

    Raises:
        TypeError, InputError: as ``checked_inputs``.
        RemoteError: a remote tensor cannot be copied to the host.
    """
    arrays = plain_arrays(inputs, ports)
    return brought_arrays(checked_inputs(inputs, ports)) if arrays is None else arrays


def brought_arrays(found: Sequence[Array | InputConversion | RemoteInput]) -> list[Array]:
    """The arrays that a model reads for checked inputs."""
    copies: list[Copy] = []
    return [each if isinstance(each, np.ndarray) else each.brought(copies) for each in found]


def checked(given: Given, port: Port, *, strict: bool = False) -> Array | InputConversion | RemoteInput:
    """The checked value for an input: an array that the model reads directly, or a value to convert first.

    Only Python numbers and strings are copied.

    Args:
        given: the value for the input.
        port: of the input.
        strict: whether a ``Tensor`` must have the input's type, as ``Model`` and MindSpore Lite require; arrays and
            numbers are converted in any case.

    Raises:
        TypeError: the value is no tensor, array or numbers.
        InputError: the input's type does not hold the value's type, or the shape differs.
    """
    if strict and isinstance(given, Tensor) and given.dtype != port.dtype:
        raise InputError(f"{port.where}: expected a Tensor of {port.dtype.name}, got {given.dtype.name}.")
    if isinstance(given, RemoteTensor):
        return remote_input(given, port)
    array, wanted, reason = contents(given, port), to_numpy(port.dtype), ""
    if array.dtype != wanted:
        if not converts(array.dtype, wanted):
            raise InputError(
                f"{port.where}: expected {port.dtype.name}, got {array.dtype}; only types that it holds without loss, "
                "and float64 for float32, are converted."
            )
        reason = f"converted from {array.dtype} to {wanted}"
    if array.shape != port.extents and (misfit := port.misfit(array.shape)):
        raise InputError(f"{port.where}: {misfit}.")
    reason = reason or _layout(array)
    return InputConversion(port, array, reason) if reason else array


def contents(given: Given, port: Port) -> Array:
    """The unchecked array of a value for an input, with packed strings, and Python numbers in the input's type.

    Raises:
        TypeError: the value is no tensor, array or numbers.
        InputError: a tensor has no contents, or the type does not hold the numbers.
    """
    if isinstance(given, Tensor):
        if not given.has_known_shape:
            raise InputError(f"{port.where}: no data was set and the shape {given.shape} is not known.")
        array = given.data
    elif isinstance(given, (np.ndarray, np.generic)):
        array = np.asarray(given)
    elif is_exchangeable(given):
        array = from_dlpack(given, port.where)
    else:
        return _of_numbers(given, port)
    if port.dtype == DataType.STRING and array.dtype.kind in "SUT":
        return packed(array.ravel().tolist())
    return array


def _of_numbers(given: Any, port: Port) -> Array:
    if port.dtype == DataType.STRING and isinstance(given, (list, tuple)):
        return packed(given)
    if not isinstance(given, (list, tuple)) and not _is_number(given):
        raise TypeError(
            f"inputs element must be Tensor, but got {type(given).__name__}. {port.where} takes a Tensor, an array or "
            "numbers."
        )
    array = of_numbers(given, to_numpy(port.dtype))
    if array is None:
        raise InputError(
            f"{port.where}: expected numbers that {port.dtype.name} holds, of one shape, got {given!r:.60}."
        )
    return array


def _layout(array: Array) -> str:
    """Why an array of the right type must be copied; "" for an array that the model reads directly."""
    if not array.flags.c_contiguous:
        return "not contiguous"
    return "" if array.flags.aligned else "not aligned"
