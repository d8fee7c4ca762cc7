"""Port: one input or output of a compiled model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Protocol

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.similar import near
from ...errors import InputError
from ...ir import DataType, Format, QuantParam, has_numpy, to_numpy
from ...tensors.tensor import Tensor
from ...tensors.tensor_memory import UNKNOWN_RANK

Ranges = tuple[tuple[int, int | None], ...]
"""For each dimension the least and the most that it may be; None where there is no most."""

Bounds = tuple[Ranges | None, ...]
"""What the dimensions of each input may be; None for an unknown rank."""


class HasShape(Protocol):
    """An array, or an input that was checked."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""


@dataclass(frozen=True, slots=True)
class Port:
    """One input or output of a compiled model.

    Attributes:
        is_input: False for an output.
        index: among the inputs, or among the outputs.
        names: all that it may be called by.
        dtype: the element type.
        ranges: for each dimension the least and the most that it may be; None where there is no most. None for an
            unknown rank.
        format: the layout tag.
        quant_params: how integers stand for real numbers; empty when the tensor is not quantized.
        extents: the dimensions; None where one of them, or the rank, is not known.
        element: numpy's element type; None where it has none.
    """

    is_input: bool
    index: int
    names: tuple[str, ...]
    dtype: DataType
    ranges: Ranges | None
    format: Format
    quant_params: tuple[QuantParam, ...] = ()
    extents: tuple[int, ...] | None = field(init=False, compare=False, repr=False)
    element: np.dtype[Any] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "extents", _extents(self.ranges))
        object.__setattr__(self, "element", to_numpy(self.dtype) if has_numpy(self.dtype) else None)

    @property
    def name(self) -> str:
        """The first of ``names``."""
        return self.names[0]

    @property
    def shape(self) -> list[int]:
        """The dimensions, as those of a tensor: -1 where a dimension is open, [-2] when the rank is not known."""
        if self.ranges is None:
            return [UNKNOWN_RANK]
        return [least if least == most else -1 for least, most in self.ranges]

    @property
    def has_known_shape(self) -> bool:
        """True when every dimension has one extent."""
        return self.extents is not None

    def misfit(self, shape: Sequence[int]) -> str:
        """What is wrong with a shape: that expected and that found, and the first dimension; "" where it fits."""
        ranges = self.ranges
        if ranges is None or tuple(shape) == self.extents:
            return ""
        found = f"expected shape {self.shape if self.has_known_shape else self.shape_text}, got {list(shape)}"
        if len(shape) != len(ranges):
            return (
                found
                if self.has_known_shape
                else f"{found}: {counted(len(shape), 'dimension')} instead of {len(ranges)}"
            )
        for number, (size, (least, most)) in enumerate(zip(shape, ranges, strict=True)):
            if size < least or (most is not None and size > most):
                wanted = _extent((least, most))
                return found if self.has_known_shape else f"{found}: dimension {number} must be {wanted}"
        return ""

    @property
    def where(self) -> str:
        """What it is called in messages: ``Input 0 'x'``."""
        return f"{'Input' if self.is_input else 'Output'} {self.index} '{self.name}'"

    def __str__(self) -> str:
        return f"{self.where}: {self.dtype.name} {self.shape_text}"

    @property
    def shape_text(self) -> str:
        """The dimensions with their ranges, as text: ``[2, 0..]``."""
        if self.ranges is None:
            return "[...]"
        return f"[{', '.join(map(_extent, self.ranges))}]"


def largest(port: Port) -> tuple[int, ...]:
    """The shape of a port with the most of each range: -1 where there is none, (-2,) for an unknown rank."""
    if port.ranges is None:
        return (UNKNOWN_RANK,)
    return tuple(-1 if most is None else most for _, most in port.ranges)


def _extents(ranges: Ranges | None) -> tuple[int, ...] | None:
    is_known = ranges is not None and all(least == most for least, most in ranges)
    return tuple(least for least, _ in ranges) if ranges is not None and is_known else None


def _extent(extents: tuple[int, int | None]) -> str:
    least, most = extents
    return str(least) if least == most else f"{least}..{'' if most is None else most}"


def ports_of(
    tensors: Sequence[Tensor], *, is_input: bool, aliases: Sequence[tuple[str, ...]] | None = None
) -> tuple[Port, ...]:
    """The ports for a model's inputs, or outputs, in order.

    Args:
        tensors: the inputs, or outputs.
        is_input: which of them.
        aliases: of each, what it may be called beside its name.
    """
    more = [()] * len(tensors) if aliases is None else aliases
    return tuple(_port(index, tensor, is_input, more[index]) for index, tensor in enumerate(tensors))


def _port(index: int, tensor: Tensor, is_input: bool, aliases: tuple[str, ...]) -> Port:
    return Port(
        is_input, index, (tensor.name, *aliases), tensor.dtype, ranges_of(tensor), tensor.format, tensor.quant_params
    )


def ranges_of(tensor: Tensor) -> Ranges | None:
    """What the dimensions of a tensor may be: anything where it has -1."""
    shape = tensor.shape
    return None if shape == [UNKNOWN_RANK] else ranges(shape)


def ranges(shape: Sequence[int]) -> Ranges:
    """What dimensions may be: anything where there is -1."""
    return tuple((d, d) if d >= 0 else (0, None) for d in shape)


def planned_shapes(ports: Sequence[Port], given: Sequence[HasShape]) -> tuple[tuple[int, ...], ...]:
    """The shapes that a plan is made for, and found by: (-1,) for strings, whose sizes are left aside.

    Args:
        ports: the inputs of a model.
        given: an array, or whatever else has a shape, for each.
    """
    pairs = zip(ports, given, strict=True)
    return tuple((-1,) if port.dtype is DataType.STRING else each.shape for port, each in pairs)


def find_port(key: int | str | Port, ports: Sequence[Port], what: str) -> Port:
    """The port that a key stands for.

    Args:
        key: an index, a name, or a port of the model.
        ports: those to look among.
        what: they are, for messages: "input", "output".

    Raises:
        InputError: there is no such port.
        TypeError: a key of another kind.
    """
    if isinstance(key, str):
        found = next((port for port in ports if key in port.names), None)
        if found is None:
            names = [name for port in ports for name in port.names]
            raise InputError(f"There is no {what} '{key}'; expected one of {listed(ports)}{near(key, names)}.")
        return found
    if isinstance(key, Port):
        if key not in ports:
            raise InputError(f"{key} is no {what} of this model; expected one of {listed(ports)}.")
        return key
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise TypeError(f"an {what} is found by index, name or Port, but got {type(key).__name__}.")
    index = key.__index__()
    if not 0 <= index < len(ports):
        known = f"0 to {len(ports) - 1}: {listed(ports)}" if ports else "no index: there is none"
        raise InputError(f"There is no {what} {index}; expected {known}.")
    return ports[index]


def listed(ports: Sequence[Port]) -> str:
    """The names of ports, for messages."""
    return ", ".join(f"'{port.name}'" for port in ports)
