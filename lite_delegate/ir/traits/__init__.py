"""Facts about operators that several rooms read: one row for each."""

from .record import ELEMENTWISE, Effect, Pattern, Traits
from .table import REARRANGING, TRAITS, VIEWS, of_pattern, traits_of

__all__ = ["ELEMENTWISE", "REARRANGING", "TRAITS", "VIEWS", "Effect", "Pattern", "Traits", "of_pattern", "traits_of"]
