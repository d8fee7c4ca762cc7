"""Locks between processes, and threads: one file a name, given back by the system when its holder ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # no such locks on this system: nobody waits, and renames still protect
    fcntl = None  # type: ignore[assignment]

POLL_SECONDS = 0.01


@contextmanager
def locked(path: Path, wait_ms: int) -> Iterator[bool]:
    """Holds the lock of a file, which is made, while the block runs. Gives False where it took too long to get it.

    Where the file system has no locks it is as if it was had at once.

    Raises:
        OSError: the file cannot be made.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _take(handle, wait_ms)
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """True if somebody holds the lock of a file now."""
    try:
        with locked(path, 0) as mine:
            return not mine
    except OSError:
        return False


def _take(handle: int, wait_ms: int) -> bool:
    if fcntl is None:
        return True
    end = time.monotonic() + wait_ms / 1000
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_SECONDS)
        except OSError:  # a network folder without locks
            return True
