"""DriverCache: compiled programs that the simulated driver keeps in memory. The least recently used is evicted
first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Generic, TypeVar

from ...basics.data_class import dataclass
from ...basics.forking import free, free_in_children

T = TypeVar("T")
LIMIT_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class DriverCacheCounters:
    """The numbers of lookups of the driver's cache, one for each part of a model to be compiled.

    Attributes:
        hits: it was there.
        misses: it was not, and was compiled.
        bypassed: it was compiled without looking, and was not kept.
    """

    hits: int = 0
    misses: int = 0
    bypassed: int = 0


class DriverCache(Generic[T]):
    """Compiled programs by their keys. Several threads may use it.

    Args:
        limit: bytes that all of them may have together.
    """

    def __init__(self, limit: int = LIMIT_BYTES) -> None:
        self.limit = limit
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._counters = DriverCacheCounters()
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    @property
    def counters(self) -> DriverCacheCounters:
        """The numbers of lookups until now."""
        return self._counters

    @property
    def nbytes(self) -> int:
        """The bytes of all entries."""
        with self._lock:
            return sum(nbytes for _, nbytes in self._kept.values())

    def get(self, key: str, behind: Callable[[str], T | None] | None = None) -> T | None:
        """The entry of a key, None without an entry; the lookup is counted.

        Args:
            key: the key of the program.
            behind: the next cache, which is asked where this cache has no entry.
        """
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        value = found[0] if found is not None else None if behind is None else behind(key)
        with self._lock:
            self._counters = _counted(self._counters, is_hit=value is not None)
        return value

    def put(self, key: str, value: T, nbytes: int) -> None:
        """Keeps a value, which nobody changes any more, unless it alone is beyond the limit."""
        if nbytes > self.limit:
            return
        with self._lock:
            self._kept[key] = value, nbytes
            self._kept.move_to_end(key)
            total = sum(nbytes for _, nbytes in self._kept.values())
            while total > self.limit:
                _, (_, freed) = self._kept.popitem(last=False)
                total -= freed

    def bypass(self) -> None:
        """Counts a compilation that bypasses the cache."""
        with self._lock:
            self._counters = replace(self._counters, bypassed=self._counters.bypassed + 1)


def _counted(counters: DriverCacheCounters, *, is_hit: bool) -> DriverCacheCounters:
    return replace(counters, hits=counters.hits + is_hit, misses=counters.misses + (not is_hit))
