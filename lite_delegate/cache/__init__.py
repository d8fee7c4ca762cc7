"""A cache of files: bytes under keys, verified, written atomically, made by one process while the others wait."""

from .options import CacheOptions, Encryption
from .outcome import CacheOutcome, CacheStatus

__all__ = ["CacheOptions", "CacheOutcome", "CacheStatus", "Encryption"]
