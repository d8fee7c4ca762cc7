"""Place: the position of a simulated device among others."""

from __future__ import annotations

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a device stands.

    Attributes:
        number: which of several of its platform, from 0.
        bus: of the simulated bus that it is on, which no other device of the list is on.
        ids: of all devices of the list; () where there is none.
    """

    number: int = 0
    bus: int = 0
    ids: tuple[str, ...] = ()
