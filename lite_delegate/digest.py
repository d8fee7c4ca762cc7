"""Digests of large contents: pieces are hashed side by side, and then their hashes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from .flatbuffer.mapping import map_file
from .flatbuffer.problem import FormatProblem

PIECE = 4 * 2**20
"""Bytes of a piece; the last one is what is left."""


def digest_of(content: bytes | bytearray | memoryview) -> str:
    """The hexadecimal SHA-256 over the SHA-256 of each piece of bytes: whatever byte differs, it differs."""
    view = memoryview(content).cast("B")

    def of(start: int) -> bytes:
        return hashlib.sha256(view[start : start + PIECE]).digest()

    starts = range(0, view.nbytes, PIECE)
    threads = min(len(starts), os.cpu_count() or 1)
    if threads <= 1:
        return hashlib.sha256(b"".join(map(of, starts))).hexdigest()
    from concurrent.futures import ThreadPoolExecutor  # small contents do without

    with ThreadPoolExecutor(threads, "lite-delegate-digest") as pool:
        return hashlib.sha256(b"".join(pool.map(of, starts))).hexdigest()


def digest_of_file(path: Path) -> str:
    """The same of the contents of a file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        return digest_of(map_file(path))
    except FormatProblem as e:
        raise OSError(f"'{path}': {e}") from e
