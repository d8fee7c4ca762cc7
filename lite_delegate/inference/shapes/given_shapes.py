"""The shapes that a user gives for inputs: a number for a dimension, or the least and the most that it may be."""

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
"""By the name (str) or the position (int) of an input. A pair for a dimension is the least and the most that it may be
in a run."""
NO_SHAPES: Mapping[str, Sequence[int]] = MappingProxyType({})
RANGE = 2
"""Numbers that a range has."""


@dataclass(frozen=True, slots=True)
class GivenShapes:
    """Shapes of inputs, by name or position; ``named`` gives them by name.

    Attributes:
        largest: all that were given; the upper bound for a dimension with a range.
        bounded: those that have a range for a dimension.
    """

    largest: Mapping[str | int, tuple[int, ...]]
    bounded: Mapping[str | int, Ranges]

    def named(self, inputs: Sequence[Value]) -> NamedShapes:
        """The same by name alone.

        Args:
            inputs: of the model.

        Raises:
            InputError: there is no input at a position, or one is given by name and by position.
        """
        names = {key: _name(key, inputs) for key in self.largest}
        twice = next((name for name, count in Counter(names.values()).items() if count > 1), None)
        if twice is not None:
            raise InputError(f"shapes has input '{twice}' twice, by name and by position.")
        largest = {names[key]: shape for key, shape in self.largest.items()}
        return NamedShapes(largest, {names[key]: pairs for key, pairs in self.bounded.items()})

    def to_dict(self) -> dict[str, object]:
        """What of them the cache's key has: nothing where nothing was given."""
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
    """A position can be no name: names have no such character."""
    return key if isinstance(key, str) else f"\0{key}"


def shapes_of(given: InputShapes) -> GivenShapes:
    """What a user gave, checked as far as that can be without the model.

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
    """A dimension, or the least and the most that it may be, "1..128"; None for what is neither."""
    numbers = [int(part) if part.isascii() and part.isdigit() else 0 for part in text.split("..")]
    if len(numbers) == RANGE and 1 <= numbers[0] <= numbers[1]:
        return numbers[0], numbers[1]
    return numbers[0] if len(numbers) == 1 and numbers[0] else None


def shapes_of_text(text: str) -> dict[str, Dims]:
    """Shapes as files of sections have them: "NAME:1,3,224,224;OTHER:1,1..128".

    Raises:
        ValueError: the text is no such thing.
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
