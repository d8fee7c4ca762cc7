"""NumberRange: the range of a number in a profile's file."""

from __future__ import annotations

from typing import NamedTuple


class NumberRange(NamedTuple):
    """The smallest and the largest value that a number of a profile may have; of a list, that each item may have."""

    minimum: float
    maximum: float
