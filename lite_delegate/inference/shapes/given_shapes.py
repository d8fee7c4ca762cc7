"""The shapes that a user gives for inputs, with a size or a range (least, most) for each dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import index
from types import MappingProxyType
from typing import Any

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import InputError
from ...ir import Value
from ..tensors.port import Ranges

Dims = Sequence[int | tuple[int, int]]
InputShapes = Mapping[Any, Dims]
"""Shapes by the name (str) or the position (int) of an input. A pair for a dimension is its least and its most size."""
NO_SHAPES: Mapping[str, Sequence[int]] = MappingProxyType({})
RANGE = 2
"""The number of ends of a range."""


@dataclass(frozen=True, slots=True)
class GivenShapes:
    """Shapes of inputs by name or position; ``named`` gives shapes by name.

    Attributes:
        largest: all given shapes, with the upper bound for a range.
        bounded: the ranges of shapes that have a range for some dimension.
    """

    largest: Mapping[str | int, tuple[int, ...]]
    bounded: Mapping[str | int, Ranges]

    def named(self, inputs: Sequence[Value]) -> NamedShapes:
        """The shapes by name.

        Args:
            inputs: of the model.

        Raises:
            InputError: there is no input at a position, or an input has shapes by name and by position.
        """
        names = {key: _name(key, inputs) for key in self.largest}
        twice = next((name for name, count in Counter(names.values()).items() if count > 1), None)
        if twice is not None:
            raise InputError(f"shapes has input '{twice}' twice, by name and by position.")
        largest = {names[key]: shape for key, shape in self.largest.items()}
        return NamedShapes(largest, {names[key]: pairs for key, pairs in self.bounded.items()})

    def to_dict(self) -> dict[str, object]:
        """The shapes as plain data for the key of the cache; empty without shapes."""
        return _plain(self.largest, self.bounded)


@dataclass(frozen=True, slots=True)
class NamedShapes:
    """Shapes of inputs, by name. Attributes as of ``GivenShapes``."""

    largest: Mapping[str, tuple[int, ...]]
    bounded: Mapping[str, Ranges]

    def to_dict(self) -> dict[str, object]:
        """As ``GivenShapes.to_dict``."""
        return _plain(self.largest, self.bounded)


def _plain(largest: Mapping[Any, tuple[int, ...]], bounded: Mapping[Any, Ranges]) -> dict[str, object]:
    found: dict[str, object] = {}
    if largest:
        found["shapes"] = {_word(key): list(shape) for key, shape in largest.items()}
    if bounded:
        found["bounds"] = {_word(key): [list(each) for each in bounds] for key, bounds in bounded.items()}
    return found


def _name(key: str | int, inputs: Sequence[Value]) -> str:
    if isinstance(key, str):
        return key
    if not 0 <= key < len(inputs):
        raise InputError(f"shapes has position {key}, the model has {counted(len(inputs), 'input')}.")
    return inputs[key].name


def _word(key: str | int) -> str:
    """The key of a shape as text; a position has a prefix that no name has."""
    return key if isinstance(key, str) else f"\0{key}"


def shapes_of(given: InputShapes) -> GivenShapes:
    """Checks the user's shapes, as far as possible without the model.

    Raises:
        InputError: a key is neither a name nor a position, or a dimension neither a number nor a pair (least, most) of
            at least 1.
    """
    for key in given:
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise InputError(f"shapes must have names or positions of inputs, got {key!r}.")
    ranges = {
        name: tuple(_range(name, number, each) for number, each in enumerate(dims)) for name, dims in given.items()
    }
    largest = {name: tuple(most for _, most in pairs) for name, pairs in ranges.items()}
    bounded = {name: pairs for name, pairs in ranges.items() if any(least != most for least, most in pairs)}
    return GivenShapes(largest, bounded)


def dim_of_text(text: str) -> int | tuple[int, int] | None:
    """A dimension, or a range such as "1..128"; None for other text."""
    numbers = [int(part) if part.isascii() and part.isdigit() else 0 for part in text.split("..")]
    if len(numbers) == RANGE and 1 <= numbers[0] <= numbers[1]:
        return numbers[0], numbers[1]
    return numbers[0] if len(numbers) == 1 and numbers[0] else None


def shapes_of_text(text: str) -> dict[str, Dims]:
    """Shapes from the text of a configuration file: "NAME:1,3,224,224;OTHER:1,1..128".

    Raises:
        ValueError: the text has another form.
    """
    found: dict[str, Dims] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        name, _, numbers = part.rpartition(":")
        dims = [dim_of_text(each.strip()) for each in numbers.split(",")]
        if not name or None in dims:
            raise ValueError(
                "expected NAME:D,D,...;NAME:D,D,... with dimensions of at least 1, or ranges such as 1..128"
            )
        found[name.strip()] = [dim for dim in dims if dim is not None]
    return found


def _range(name: str | int, number: int, given: int | tuple[int, int]) -> tuple[int, int]:
    try:
        if not isinstance(given, tuple | list):
            return (index(given), index(given))
        least, most = map(index, given)
    except (TypeError, ValueError):
        raise InputError(
            f"shapes of {name!r}: dimension {number} must be a number, or a pair (least, most), got {given!r}."
        ) from None
    if not 1 <= least <= most:
        raise InputError(
            f"shapes of {name!r}: dimension {number} must be (least, most) with 1 <= least <= most, got {given!r}."
        )
    return least, most
