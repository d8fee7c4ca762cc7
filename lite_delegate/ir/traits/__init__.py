"""Facts about operators that several rooms read: one row for each."""

from .record import ELEMENTWISE, Effect, ElementPattern, Traits
from .table import (
    ALONG_AXIS,
    ASSIGNMENTS,
    RANDOM,
    REARRANGING,
    SIDE_EFFECTS,
    TRAITS,
    VIEWS,
    of_pattern,
    operators_with,
    traits_of,
)

__all__ = [
    "ALONG_AXIS",
    "ASSIGNMENTS",
    "ELEMENTWISE",
    "RANDOM",
    "REARRANGING",
    "SIDE_EFFECTS",
    "TRAITS",
    "VIEWS",
    "Effect",
    "ElementPattern",
    "Traits",
    "of_pattern",
    "operators_with",
    "traits_of",
]
