"""Locks between processes, and threads: one file a name, given back by the system when its holder ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on this system: nobody waits, and renames still protect
    fcntl = None  # type: ignore[assignment]

POLL_SECONDS = 0.01


def no_look() -> None:
    """Lets who waits wait."""


@contextmanager
def locked(path: Path, wait_ms: int, look: Callable[[], object] = no_look) -> Iterator[bool]:
    """Holds the lock of a file, which is made, while the block runs. Gives False where waiting took too long.

    Where the file system has no locks, the block runs at once.

    Args:
        path: the path of the file.
        wait_ms: the most milliseconds to wait for the holder.
        look: called now and then while it waits; an error of it ends the wait.

    Raises:
        OSError: the file cannot be made.
    """
    end = time.monotonic() + wait_ms / 1000
    handle = _opened(path)
    try:
        is_mine = _take(handle, end, look)
        while is_mine and not _is_at(handle, path):  # somebody removed the file before the lock was had
            os.close(handle)
            handle = _opened(path)
            is_mine = _take(handle, end, look)
        yield is_mine
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """True if somebody holds the lock of a file now."""
    try:
        with locked(path, 0) as mine:
            return not mine
    except OSError:
        return False


def removed_unlocked(path: Path) -> bool:
    """Removes a file if nobody holds its lock. True if nobody does. A later opener makes a new file."""
    try:
        if fcntl is None:  # systems without these locks keep files that are open
            path.unlink(missing_ok=True)
            return True
        with locked(path, 0) as mine:
            if mine:
                path.unlink(missing_ok=True)
            return mine
    except OSError:
        return False


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


def _is_at(handle: int, path: Path) -> bool:
    """True if an open file is the one at a path still."""
    if fcntl is None:
        return True
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def _take(handle: int, end: float, look: Callable[[], object]) -> bool:
    """Takes the lock of an open file, until ``end`` by the monotonic clock; gives whether it was had."""
    if fcntl is None:
        return True
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            look()
            time.sleep(POLL_SECONDS)
        except OSError:  # a network folder without locks
            return True
