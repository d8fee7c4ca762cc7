"""Compiled runs as bytes: versioned, hashed, and checked before anything of them is believed."""

from .blob import Blob, BlobModel, BlobPort, Origin
from .file import blob_bytes, read_blob

__all__ = ["Blob", "BlobModel", "BlobPort", "Origin", "blob_bytes", "read_blob"]
