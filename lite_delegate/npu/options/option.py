"""Option: an entry of the table of options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..profiles import Profile
from .kinds import Kind


@dataclass(frozen=True, slots=True)
class Option:
    """An entry of the table.

    Attributes:
        name: the option, in capitals.
        kind: what it takes on a device; None: it can be read only, see ``readable``.
        default: its value on a device when nobody sets it.
        compiled: whether it changes the program that a run becomes.
    """

    name: str
    kind: Callable[[Profile], Kind] | None = None
    default: Callable[[Profile], object] = lambda profile: ""
    compiled: bool = False

    @property
    def read_only(self) -> bool:
        """True for what can only be read."""
        return self.kind is None
