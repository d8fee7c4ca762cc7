"""The shapes that a user gives for inputs: a number for a dimension, or the least and the most that it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from types import MappingProxyType

from ..data_class import dataclass
from ..errors import InputError
from .port import Ranges

InputShapes = Mapping[str, Sequence[int | tuple[int, int]]]
"""By input. A pair for a dimension is the least and the most that it may be in a run."""
NO_SHAPES: Mapping[str, Sequence[int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class GivenShapes:
    """Shapes of inputs, by name.

    Attributes:
        largest: all that were given; the upper bound for a dimension with a range.
        bounded: those that have a range for a dimension.
    """

    largest: Mapping[str, tuple[int, ...]]
    bounded: Mapping[str, Ranges]

    def to_dict(self) -> dict[str, object]:
        """What of them the cache's key has: nothing where nothing was given."""
        found: dict[str, object] = {}
        if self.largest:
            found["shapes"] = {name: list(shape) for name, shape in self.largest.items()}
        if self.bounded:
            found["bounds"] = {name: [list(each) for each in bounds] for name, bounds in self.bounded.items()}
        return found


def shapes_of(given: InputShapes) -> GivenShapes:
    """What a user gave, checked as far as that can be without the model.

    Raises:
        InputError: a dimension is neither a number nor a pair (least, most) of at least 1.
    """
    ranges = {
        name: tuple(_range(name, number, each) for number, each in enumerate(dims)) for name, dims in given.items()
    }
    largest = {name: tuple(most for _, most in pairs) for name, pairs in ranges.items()}
    bounded = {name: pairs for name, pairs in ranges.items() if any(least != most for least, most in pairs)}
    return GivenShapes(largest, bounded)


def _range(name: str, number: int, given: int | tuple[int, int]) -> tuple[int, int]:
    try:
        if not isinstance(given, tuple | list):
            return (index(given), index(given))
        least, most = map(index, given)
    except (TypeError, ValueError):
        raise InputError(
            f"shapes of '{name}': dimension {number} must be a number, or a pair (least, most), got {given!r}."
        ) from None
    if not 1 <= least <= most:
        raise InputError(
            f"shapes of '{name}': dimension {number} must be (least, most) with 1 <= least <= most, got {given!r}."
        )
    return least, most
