"""MindSpore Lite's ``.ms`` files."""

from typing import TYPE_CHECKING

from ...basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .reader import read_ms, read_ms_buffer
    from .writer import ms_bytes, write_ms
else:
    __getattr__ = _deferred(
        __name__,
        {
            "read_ms": "reader",
            "read_ms_buffer": "reader",
            "ms_bytes": "writer",
            "write_ms": "writer",
        },
    )

__all__ = ["ms_bytes", "read_ms", "read_ms_buffer", "write_ms"]
