"""Place: the position of a simulated device among others."""

from __future__ import annotations

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a device.

    Attributes:
        number: its number among the devices of its platform, from 0.
        bus: the number of its simulated bus, which no other device of the list is on.
        ids: the ids of all devices of the list; () without a list.
    """

    number: int = 0
    bus: int = 0
    ids: tuple[str, ...] = ()
