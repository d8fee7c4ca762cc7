"""Compiled runs as bytes: versioned, hashed, and checked before any of their contents is used."""

from .blob import Blob, BlobModel, BlobOrigin
from .file import blob_bytes, open_blob, read_blob

__all__ = ["Blob", "BlobModel", "BlobOrigin", "blob_bytes", "open_blob", "read_blob"]
