"""Fleet: simulated devices by id, each with its own memory, turns and faults."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from threading import Lock

from ...basics.forking import free, free_in_children
from ...errors import InputError
from .device import Device
from .place import Place

VARIABLE = "LITE_DELEGATE_NPU_DEVICES"
"""The environment variable that lists the devices: ``4000,4000:8,3720``, the second device with 8 tiles."""
MOST_DIGITS = 3
"""Of the place of a device; platforms that are numbers have more."""


class Fleet:
    """Devices by id: ``4000.0`` and ``4000.1`` are two of one platform; by place among all they are ``0`` and ``1``.

    Args:
        devices: the platform of each device, the default device first, and its number of compute tiles; None: the
            tiles of its profile. () for one device of any requested platform.
    """

    def __init__(self, devices: Sequence[tuple[str, int | None]] = ()) -> None:
        counts: Counter[str] = Counter()
        self._tiles: dict[str, int | None] = {}
        for platform, tiles in devices:
            self._tiles[f"{platform}.{counts[platform]}"] = tiles
            counts[platform] += 1
        self.ids = tuple(self._tiles)
        self._devices: dict[str, Device] = {}
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    @classmethod
    def from_environment(cls, most_tiles: int) -> Fleet:
        """The devices that ``LITE_DELEGATE_NPU_DEVICES`` lists, their platforms in capitals.

        Args:
            most_tiles: compute tiles that a device may have.

        Raises:
            InputError: the number of tiles of one is none, or is out of range.
        """
        words = (word.strip() for word in os.environ.get(VARIABLE, "").split(","))
        return cls([_listed(word, most_tiles) for word in words if word])

    def tiles(self, platform: str, number: str) -> int | None:
        """The number of compute tiles in a device's entry; None: as its profile. Arguments as for ``device``."""
        return self._tiles.get(_full(platform, number))

    def full_id(self, given: str) -> str:
        """An id as it is listed: a number alone is the place of a device among all; "" is the default device.

        Args:
            given: a place, or a platform with or without a number, which is returned unchanged.

        Raises:
            InputError: the place exceeds the number of devices.
        """
        if not given.isdecimal() or len(given) > MOST_DIGITS:
            return given or next(iter(self.ids), "")
        number = int(given)
        if number < len(self.ids):
            return self.ids[number]
        if number == 0:
            return ""
        raise self._missing(given)

    def device(self, platform: str, number: str, make: Callable[[], Device]) -> Device:
        """A device, made when it is first asked for.

        Args:
            platform: the platform, or the path of a user's own profile.
            number: the device's number among the devices of the platform; "" for the first.
            make: makes a device.

        Raises:
            InputError: the number exceeds the devices of the platform.
        """
        full = _full(platform, number)
        listed = full in self.ids or not any(each.startswith(f"{platform}.") for each in self.ids)
        if not listed or (number not in ("", "0") and full not in self.ids):
            raise self._missing(full)
        with self._lock:
            if full not in self._devices:
                made = make()
                made.place = Place(int(number or 0), self.ids.index(full) if full in self.ids else 0, self.ids)
                self._devices[full] = made
            return self._devices[full]

    def why_unlisted(self, platform: str) -> str:
        """The reason why a platform has no device, "" where a device is listed or the list is empty."""
        if not self.ids or any(each.startswith(f"{platform}.") for each in self.ids):
            return ""
        return f"there is no device '{platform}': {VARIABLE} lists {', '.join(self.ids)}"

    def _missing(self, given: str) -> InputError:
        known = f"{VARIABLE} lists {', '.join(self.ids)}" if self.ids else f"{VARIABLE} can list more than one"
        return InputError(f"There is no NPU '{given}': {known}.")


def _full(platform: str, number: str) -> str:
    return f"{platform}.{number or 0}"


def _listed(word: str, most_tiles: int) -> tuple[str, int | None]:
    """A device of the list: ``4000``, or ``4000:8`` for one with 8 compute tiles."""
    found = re.fullmatch(r"([^:]+)(?::(\d{1,3}))?", word, re.ASCII)
    tiles = None if found is None or found[2] is None else int(found[2])
    if found is None or (tiles is not None and not 1 <= tiles <= most_tiles):
        raise InputError(
            f"{VARIABLE}: expected PLATFORM or PLATFORM:TILES, with 1 to {most_tiles} tiles, found '{word[:100]}'."
        )
    return found[1].upper(), tiles
