"""CachedValue: a value out of a cache, or made and kept there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any, Generic, TypeVar

from ..basics.data_class import dataclass
from ..errors import CacheMiss, LiteDelegateError, ModelFormatError
from ..sections.sections import Bytes, SectionedFile
from .folder import CacheFolder, WrongKey, age_text
from .key import CacheKey
from .lock import locked, no_look
from .outcome import CacheOutcome, CacheStatus

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CachedValue(Generic[T]):
    """A value that a cache can hold: the functions that make, read and write it.

    Attributes:
        make: makes the value anew.
        load: reads the value from a file; raises ``ModelFormatError`` where the file is damaged or another's.
        parts: the fields and sections of a file for the value; raises ``LiteDelegateError`` where it cannot be kept.
    """

    make: Callable[[], T]
    load: Callable[[SectionedFile], T]
    parts: Callable[[T], tuple[Mapping[str, Any], Mapping[str, Bytes]]]


@dataclass(slots=True)
class _Way:
    """The steps of one look-up in the cache, with their times."""

    folder: CacheFolder
    key: CacheKey
    ns: dict[str, int] = field(default_factory=dict)
    refused: str = ""
    may_write: bool = True

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        started = time.perf_counter_ns()
        try:
            yield
        finally:
            self.ns[part] = self.ns.get(part, 0) + time.perf_counter_ns() - started

    def outcome(self, status: CacheStatus, reason: str = "", *, is_told: bool = False) -> CacheOutcome:
        path = str(self.folder.path(self.key))
        return CacheOutcome(status, self.key.digest, path, reason, is_told=is_told, ns=dict(self.ns))


def through_cache(
    folder: CacheFolder,
    key: CacheKey,
    made: CachedValue[T],
    warn: Callable[[str], None],
    look: Callable[[], object] = no_look,
) -> tuple[T, CacheOutcome]:
    """The value of a key, and the outcome of the cache.

    Args:
        folder: the folder with the entries.
        key: the key of the value.
        made: the functions that make, read and write the value.
        warn: gets the warning that the cache cannot be used.
        look: called now and then while another process makes the entry; an error of it ends the wait.

    Raises:
        CacheMiss: the entry does not exist, and is required.
        Exception: any error of ``made.make`` or ``look``.
    """
    way = _Way(folder, key)
    found = _read(way, made)
    if found is not None:
        return found, way.outcome(CacheStatus.HIT)
    missed = explained(folder, key, way.refused)
    if folder.options.required:
        raise CacheMiss(f"The model is not in the cache, which it must be (REQUIRE_CACHED): {missed.reason}.")
    try:
        folder.make()
        with way.timed("wait"):
            lock = locked(folder.lock_path(key), folder.options.wait_ms, look)
            is_mine = lock.__enter__()
    except OSError as e:
        return _bypassed(way, made, _system(e), warn)
    try:
        if not is_mine:
            return _bypassed(way, made, f"another process has held the entry for {folder.options.wait_ms} ms", warn)
        found = _read(way, made)
        if found is not None:
            return found, way.outcome(CacheStatus.HIT)
        return _filled(way, made, missed, warn)
    finally:
        lock.__exit__(None, None, None)


def explained(folder: CacheFolder, key: CacheKey, refused: str = "") -> CacheOutcome:
    """The outcome that explains why the entry of a key does not exist, or cannot be used."""
    path = str(folder.path(key))
    if refused:
        return CacheOutcome(CacheStatus.REFUSED, key.digest, path, refused)
    nearest = folder.nearest(key)
    if nearest is None:
        return CacheOutcome(CacheStatus.MISS, key.digest, path, "no entry for this content")
    entry, changes = nearest
    name = f"{entry.path.stem[:8]}..., used {age_text(entry)}"
    reason = f"{', '.join(map(str, changes))} (entry {name})"
    return CacheOutcome(CacheStatus.MISS, key.digest, path, reason, changes, str(entry.path))


def _read(way: _Way, made: CachedValue[T]) -> T | None:
    """The value of an entry; None without an entry. A damaged entry is removed."""
    folder, key = way.folder, way.key
    try:
        with way.timed("read"):
            file = folder.read(key)
            value = None if file is None else made.load(file)
    except WrongKey as e:
        way.refused, way.may_write = str(e), False
        return None
    except ModelFormatError as e:
        way.refused = str(e)
        _removed(way)
        return None
    except LiteDelegateError as e:  # the device is not there, say: making the value will tell
        way.refused, way.may_write = str(e), False
        return None
    except OSError as e:
        way.refused = _system(e)
        return None
    if value is not None:
        folder.used(key)
    return value


def _removed(way: _Way) -> None:
    try:
        way.folder.remove(way.folder.path(way.key))
    except OSError as e:
        way.refused = f"{way.refused} It cannot be removed: {_system(e)}."


def _filled(
    way: _Way, made: CachedValue[T], missed: CacheOutcome, warn: Callable[[str], None]
) -> tuple[T, CacheOutcome]:
    with way.timed("compile"):
        value = made.make()
    if way.refused:
        missed = replace(missed, status=CacheStatus.REFUSED, reason=way.refused)
    if not way.may_write:
        return value, replace(missed, ns=dict(way.ns))
    try:
        with way.timed("write"):
            way.folder.write(way.key, *made.parts(value))
            way.folder.prune(way.folder.options.size, way.folder.path(way.key))
    except LiteDelegateError as e:
        return value, way.outcome(CacheStatus.BYPASSED, str(e))
    except OSError as e:
        warn(f"The cache in '{way.folder.folder}' cannot be used: {_system(e)}.")
        return value, way.outcome(CacheStatus.BYPASSED, _system(e), is_told=True)
    except Exception as e:  # the user's encrypt may raise anything
        text = f"{type(e).__name__}: {e}"
        warn(f"The model cannot be written to the cache in '{way.folder.folder}': {text}")
        return value, way.outcome(CacheStatus.BYPASSED, text, is_told=True)
    return value, replace(missed, ns=dict(way.ns))


def _bypassed(way: _Way, made: CachedValue[T], reason: str, warn: Callable[[str], None]) -> tuple[T, CacheOutcome]:
    warn(f"The cache in '{way.folder.folder}' cannot be used: {reason}.")
    with way.timed("compile"):
        value = made.make()
    return value, way.outcome(CacheStatus.BYPASSED, reason, is_told=True)


def _system(error: OSError) -> str:
    return error.strerror or str(error)
