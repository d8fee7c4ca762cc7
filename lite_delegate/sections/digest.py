"""Digests of large contents: pieces are hashed side by side, and then their hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..flatbuffer.mapping import map_file, release_pages
from ..flatbuffer.problem import FormatProblem

PIECE = 4 * 2**20
"""Bytes of a piece; the last one is what is left."""


def keep(start: int, length: int) -> None:
    """Keeps what was read of a content in memory."""


def digest_of(content: bytes | bytearray | memoryview, let_go: Callable[[int, int], object] = keep) -> str:
    """The hexadecimal SHA-256 over the SHA-256 of each piece of bytes: whatever byte differs, it differs.

    Args:
        content: the bytes.
        let_go: told from where on how many bytes were read and are not needed any more.
    """
    view = memoryview(content).cast("B")

    def of(start: int) -> bytes:
        piece = view[start : start + PIECE]
        found = hashlib.sha256(piece).digest()
        let_go(start, piece.nbytes)
        return found

    starts = range(0, view.nbytes, PIECE)
    threads = min(len(starts), os.cpu_count() or 1)
    if threads <= 1:
        return hashlib.sha256(b"".join(map(of, starts))).hexdigest()
    from concurrent.futures import ThreadPoolExecutor  # small contents do without

    with ThreadPoolExecutor(threads, "lite-delegate-digest") as pool:
        return hashlib.sha256(b"".join(pool.map(of, starts))).hexdigest()


def digest_of_file(path: Path) -> tuple[str, memoryview]:
    """The digest of a file's contents, without keeping them in memory; and the contents, mapped.

    Raises:
        OSError: it cannot be read.
    """
    try:
        content = map_file(path)
    except FormatProblem as e:
        raise OSError(f"'{path}': {e}") from e
    return digest_of(content, partial(release_pages, content)), content
