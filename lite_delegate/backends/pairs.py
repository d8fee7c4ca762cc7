"""Pairs: properties whose value is a list of a runtime's own options, by their names."""

from __future__ import annotations

from collections.abc import Mapping

from ..basics.data_class import dataclass
from ..properties import shown

MOST = 65536
"""Characters at most."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Options by name, in the order that they were given in."""

    items: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ";".join(f"{name}={value}" for name, value in self.items)


@dataclass(frozen=True, slots=True)
class PairsKind:
    """The kind of such properties.

    Attributes:
        whose: options they are, for people.
    """

    whose: str

    @property
    def allowed(self) -> str:
        """The values that it takes."""
        return f"NAME=VALUE between semicolons, {self.whose}"

    def parse(self, value: object) -> Pairs:
        """The options. The runtime that gets them checks their names and values."""
        if isinstance(value, Pairs):
            return value
        if not isinstance(value, str) or len(value) > MOST:
            raise ValueError
        parts = [part.strip() for part in value.split(";") if part.strip()]
        bad = next((part for part in parts if "=" not in part.strip("=")), None)
        if bad is not None:
            raise ValueError(f"{shown(bad)} is not NAME=VALUE")
        split = [part.partition("=") for part in parts]
        return Pairs(tuple((name.strip(), given.strip()) for name, _, given in split))


def pairs_of(options: Mapping[str, object]) -> Pairs:
    """Options that are given as Python values; a bool is YES or NO."""
    return Pairs(tuple((str(name), _text(each)) for name, each in options.items()))


def _text(value: object) -> str:
    return {True: "YES", False: "NO"}[value] if isinstance(value, bool) else str(value)
