"""MindSpore Lite's ``.ms`` files."""

from .reader import read_ms, read_ms_buffer
from .writer import ms_bytes, write_ms

__all__ = ["ms_bytes", "read_ms", "read_ms_buffer", "write_ms"]
