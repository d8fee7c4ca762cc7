"""CacheOutcome: what the cache did for one compilation, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from ..basics.data_class import dataclass
from .key import Change


class CacheStatus(StrEnum):
    """The outcome of a look into the cache.

    1. HIT: the entry was used.
    2. MISS: there was none; there is one now.
    3. REFUSED: there was one that could not be used.
    4. BYPASSED: neither read nor written, for a reason.
    5. DISABLED: there is no cache.
    """

    HIT = "hit"
    MISS = "miss"
    REFUSED = "refused"
    BYPASSED = "bypassed"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class CacheOutcome:
    """The outcome of the cache, with details.

    Attributes:
        status: see there.
        key: the hexadecimal hash of the key, "" without a cache.
        path: of the entry, whether it is there or not.
        reason: for people, "" for a hit.
        changes: what differs from the nearest entry, where there was none.
        nearest: the path of that, "" where no entry is of the same content.
        ns: nanoseconds of its parts: hash, wait, read, compile, write, those that there were.
        is_told: the user was warned of the reason.
    """

    status: CacheStatus = CacheStatus.DISABLED
    key: str = ""
    path: str = ""
    reason: str = ""
    changes: tuple[Change, ...] = ()
    nearest: str = ""
    ns: Mapping[str, int] = field(default_factory=dict, hash=False)
    is_told: bool = False

    @property
    def text(self) -> str:
        """One line."""
        return f"cache {self.status}: {self.reason}" if self.reason else f"cache {self.status}"


DISABLED = CacheOutcome()
"""There is no cache."""
