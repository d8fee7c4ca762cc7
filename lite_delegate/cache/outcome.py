"""CacheOutcome: the outcome of the cache for one compilation, and its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from .key import Change


class CacheStatus(StrEnum):
    """The outcome of a look into the cache.

    1. HIT: the entry was used.
    2. MISS: the entry did not exist; it does now.
    3. REFUSED: the entry could not be used.
    4. BYPASSED: the cache was neither read nor written, for a reason.
    5. DISABLED: no cache is set.
    """

    HIT = "hit"
    MISS = "miss"
    REFUSED = "refused"
    BYPASSED = "bypassed"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class CacheOutcome(Brief):
    """The outcome of the cache, with details.

    Attributes:
        status: the status of the look-up.
        key: the hexadecimal hash of the key, "" without a cache.
        path: the path of the entry, whether it exists or not.
        reason: the reason in words, "" for a hit.
        changes: the differences from the nearest entry, after a miss.
        nearest: the path of the nearest entry, "" where no entry has the same content.
        ns: nanoseconds of each part that took place: hash, wait, read, compile, write.
        is_told: whether the user was warned of the reason.
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
