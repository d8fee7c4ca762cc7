"""Facts about operators that several rooms read: one row for each."""

from .record import ELEMENTWISE, Effect, ElementPattern, Traits
from .table import ASSIGNMENTS, RANDOM, REARRANGING, TRAITS, VIEWS, of_pattern, traits_of

__all__ = [
    "ASSIGNMENTS",
    "ELEMENTWISE",
    "RANDOM",
    "REARRANGING",
    "TRAITS",
    "VIEWS",
    "Effect",
    "ElementPattern",
    "Traits",
    "of_pattern",
    "traits_of",
]
