"""Writing files whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """A path in the folder of ``path``, to be written and then put in its place with ``os.replace``.

    Whatever is still there when the block ends is removed, so a failure leaves what was at ``path`` and nothing else.
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
