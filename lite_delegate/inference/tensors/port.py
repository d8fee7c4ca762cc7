"""Port: one input or output of a compiled model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Protocol

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.similar import did_you_mean
from ...basics.words.one_line import OneLine, quoted
from ...errors import InputError
from ...ir import DataType, Format, QuantParam, has_numpy, to_numpy
from ...ir.types.format import layout_name
from ...tensors.tensor import Tensor
from ...tensors.tensor_memory import UNKNOWN_RANK

Ranges = tuple[tuple[int, int | None], ...]
"""The least and the most size of each dimension; None for no upper bound."""

Bounds = tuple[Ranges | None, ...]
"""The ranges of each input; None for an unknown rank."""


class HasShape(Protocol):
    """An array, or a checked input."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""


@dataclass(frozen=True, slots=True)
class Port(OneLine):
    """One input or output of a compiled model.

    Attributes:
        is_input: False for an output.
        index: among the inputs, or among the outputs.
        names: all names of the port, its own name first.
        dtype: the element type.
        ranges: the least and the most size of each dimension, with None for no upper bound; None for an unknown rank.
        format: the layout tag.
        quant_params: the quantization parameters; empty for a tensor that is not quantized.
        extents: the dimensions; None where a dimension or the rank is not known.
        element: the numpy element type; None for a type that numpy lacks.
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
        """The dimensions, with -1 for an open dimension; [-2] for an unknown rank."""
        if self.ranges is None:
            return [UNKNOWN_RANK]
        return [least if least == most else -1 for least, most in self.ranges]

    @property
    def has_known_shape(self) -> bool:
        """True if every dimension has a fixed size."""
        return self.extents is not None

    def misfit(self, shape: Sequence[int]) -> str:
        """The mismatch of a shape as text, with the expected shape and the first wrong dimension; "" for a fit."""
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
        """The name of the port in messages: ``Input 0 'x'``."""
        return f"{'Input' if self.is_input else 'Output'} {self.index} '{self.name}'"

    def _line(self) -> str:
        kind, shape = "input" if self.is_input else "output", self.shape_text.replace(" ", "")
        layout = layout_name(self.format, None if self.ranges is None else len(self.ranges))
        found = f"of {kind} {self.index}: {quoted(self.name)} {self.dtype.name} {shape}"
        return found if layout is None else f"{found}, {layout}"

    def __str__(self) -> str:
        return f"{self.where}: {self.dtype.name} {self.shape_text}"

    @property
    def shape_text(self) -> str:
        """The dimensions with their ranges, as text: ``[2, 0..]``."""
        if self.ranges is None:
            return "[...]"
        return f"[{', '.join(map(_extent, self.ranges))}]"


def largest(port: Port) -> tuple[int, ...]:
    """The largest shape of a port: -1 for a dimension without an upper bound, (-2,) for an unknown rank."""
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
        is_input: True for inputs, False for outputs.
        aliases: the further names of each port.
    """
    more = [()] * len(tensors) if aliases is None else aliases
    return tuple(_port(index, tensor, is_input, more[index]) for index, tensor in enumerate(tensors))


def _port(index: int, tensor: Tensor, is_input: bool, aliases: tuple[str, ...]) -> Port:
    return Port(
        is_input, index, (tensor.name, *aliases), tensor.dtype, ranges_of(tensor), tensor.format, tensor.quant_params
    )


def ranges_of(tensor: Tensor) -> Ranges | None:
    """The ranges of a tensor's dimensions; an open dimension (-1) has no bounds."""
    shape = tensor.shape
    return None if shape == [UNKNOWN_RANK] else ranges(shape)


def ranges(shape: Sequence[int]) -> Ranges:
    """The ranges of dimensions; an open dimension (-1) has no bounds."""
    return tuple((d, d) if d >= 0 else (0, None) for d in shape)


def planned_shapes(ports: Sequence[Port], given: Sequence[HasShape]) -> tuple[tuple[int, ...], ...]:
    """The shapes that are the key of a plan, with (-1,) for strings of any size.

    Args:
        ports: the inputs of a model.
        given: an array, or another object with a shape, for each input.
    """
    pairs = zip(ports, given, strict=True)
    return tuple((-1,) if port.dtype is DataType.STRING else each.shape for port, each in pairs)


def find_port(key: int | str | Port, ports: Sequence[Port], what: str) -> Port:
    """The port that a key stands for.

    Args:
        key: an index, a name, or a port of the model.
        ports: the ports to search.
        what: the kind of port for messages: "input", "output".

    Raises:
        InputError: there is no such port.
        TypeError: the key has another type.
    """
    if isinstance(key, str):
        found = next((port for port in ports if key in port.names), None)
        if found is None:
            names = [name for port in ports for name in port.names]
            raise InputError(
                f"There is no {what} '{key}'; expected one of {listed(ports)}{did_you_mean(key, names) or '.'}"
            )
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
