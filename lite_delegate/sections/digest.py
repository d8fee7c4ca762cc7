"""Digests of large contents: pieces are hashed side by side, and then their hashes.

The hash is BLAKE2b. SHA-256 takes three times as long on processors without instructions for it, and a process that
reads a compiled model hashes all of its weights before the first prediction.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread

from ..flatbuffer.mapping import map_file, release_pages
from ..flatbuffer.problem import FormatProblem

PIECE = 4 * 2**20
"""Bytes of a piece; the last one is what is left."""


def keep(start: int, length: int) -> None:
    """Keeps what was read of a content in memory."""


def digest_of(content: bytes | bytearray | memoryview, let_go: Callable[[int, int], object] = keep) -> str:
    """The hexadecimal BLAKE2b over the BLAKE2b of each piece of bytes, each of 32 bytes: any other byte changes it.

    Args:
        content: the bytes.
        let_go: told from where on how many bytes were read and are not needed any more.
    """
    view = memoryview(content).cast("B")
    starts = range(0, view.nbytes, PIECE)
    found, left = [b""] * len(starts), iter(range(len(starts)))

    def hash_pieces() -> None:
        for position in left:  # of one iterator for all threads
            piece = view[starts[position] : starts[position] + PIECE]
            found[position] = _hash(piece).digest()
            let_go(starts[position], piece.nbytes)

    helpers = [Thread(target=hash_pieces, daemon=True) for _ in range(min(len(starts), os.cpu_count() or 1) - 1)]
    for helper in helpers:
        helper.start()
    hash_pieces()
    for helper in helpers:
        helper.join()
    return _hash(b"".join(found)).hexdigest()


_hash = partial(hashlib.blake2b, digest_size=32)


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
