"""A cache of files: bytes under keys, verified, written atomically, made by one process while other processes wait."""

from .options import CacheOptions, Encryption
from .outcome import CacheOutcome, CacheStatus

__all__ = ["CacheOptions", "CacheOutcome", "CacheStatus", "Encryption"]
