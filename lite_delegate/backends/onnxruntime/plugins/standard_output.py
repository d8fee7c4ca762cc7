"""Standard output is kept clean of the lines that native libraries print."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

OUT, ERR = 1, 2
_lock = Lock()
_inside = 0
"""The number of blocks that are being run, in all threads."""
_kept: list[int] = []
"""The copy of standard output while it is redirected."""


@contextmanager
def away_from_standard_output() -> Iterator[None]:
    """Lines that are printed meanwhile go to standard error: libraries of vendors greet on standard output.

    The redirection is the whole process's, so what other threads print goes there, too.
    """
    global _inside
    with _lock:
        _inside += 1
        if _inside == 1:
            _redirect()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _bring_back()


def _redirect() -> None:
    """Standard output becomes standard error, unless one of the two is closed."""
    _flush()
    with suppress(OSError):
        kept = os.dup(OUT)
        try:
            os.dup2(ERR, OUT)
        except OSError:
            os.close(kept)
        else:
            _kept.append(kept)


def _bring_back() -> None:
    while _kept:
        _flush()
        kept = _kept.pop()
        os.dup2(kept, OUT)
        os.close(kept)


def _flush() -> None:
    """Writes out what Python, and the C library, keep for standard output."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    with suppress(OSError, ValueError, AttributeError, TypeError):  # systems name the stream otherwise
        library = ctypes.CDLL(None)
        library.fflush(ctypes.c_void_p.in_dll(library, "stdout"))
