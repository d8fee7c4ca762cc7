"""Presence: the conditions under which a profile's device is there."""

from __future__ import annotations

import re
from typing import Annotated

from ...basics.data_class import dataclass
from .driver_version import at_least
from .number_range import NumberRange


@dataclass(frozen=True, slots=True)
class Presence:
    """The system that the device is in, and the systems that it is driven in.

    Attributes:
        absent: there is no device: every ``init`` fails, and models run on the CPU.
        driver_since: the oldest driver version that is accepted.
        soc: the name of the system's chip, such as "kirin990"; capital letters may follow.
        soc_family: the part of ``soc`` before the number; where it is empty, every chip is accepted.
        soc_least: the smallest number of ``soc`` that is accepted.
        soc_others: smaller numbers that are accepted too.
    """

    absent: bool = False
    driver_since: str = ""
    soc: str = ""
    soc_family: str = ""
    soc_least: Annotated[int, NumberRange(0, 10**6)] = 0
    soc_others: Annotated[tuple[int, ...] | None, NumberRange(0, 10**6)] = None


def why_absent(presence: Presence, driver_version: str) -> str | None:
    """The first condition that is not met, with what is expected and what was found; None: the device is there.

    Args:
        presence: of the profile.
        driver_version: of the device; "" for the newest.
    """
    if presence.absent:
        return "there is no device (absent in the profile, or NPU_SIMULATE_ABSENT=YES)"
    if not _is_accepted(presence):
        others = "".join(f", {presence.soc_family}{number}" for number in presence.soc_others or ())
        expected = f"{presence.soc_family}{presence.soc_least} or newer{others}"
        return f"the SoC must be {expected}, is '{presence.soc}'"
    if not at_least(driver_version, presence.driver_since):
        return f"the driver version must be {presence.driver_since} or newer, is {driver_version}"
    return None


def _is_accepted(presence: Presence) -> bool:
    if not presence.soc_family:
        return True
    found = re.fullmatch(re.escape(presence.soc_family) + r"(\d{1,9})[A-Z]*", presence.soc, re.ASCII)
    return found is not None and (int(found[1]) >= presence.soc_least or int(found[1]) in (presence.soc_others or ()))
