"""Options of a cache."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import InputError

DEFAULT_SIZE = 4 * 2**30
DEFAULT_WAIT_MS = 60_000
MODES = ("OPTIMIZE_SPEED", "OPTIMIZE_SIZE")


@dataclass(frozen=True, slots=True)
class Encryption(Brief):
    """The encryption of entries: functions over bytes. ``decrypt`` raises where the bytes are not its own."""

    encrypt: Callable[[bytes], bytes]
    decrypt: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class CacheOptions(Brief):
    """A folder with a cache, and the options of its use.

    Attributes:
        folder: the folder, made where it does not exist, with mode 0700; entries have mode 0600.
        size: the most bytes of all entries together, the least recently used entries go first; 0: no limit.
        wait_ms: milliseconds to wait for another process that makes the same entry.
        required: whether a missing entry is an error.
        mode: OPTIMIZE_SIZE leaves out constants that the model's own file has.
        blob_id: the name of the entry; "": by its key.
        encryption: the encryption of entries; None: anybody who may read the folder can read the entries.

    Raises:
        InputError: a value that is not allowed, or a folder that is a file.
    """

    folder: str | os.PathLike[str]
    size: int = DEFAULT_SIZE
    wait_ms: int = DEFAULT_WAIT_MS
    required: bool = False
    mode: str = MODES[0]
    blob_id: str = ""
    encryption: Encryption | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.folder, (str, os.PathLike)) or not os.fspath(self.folder):
            raise InputError(f"CACHE_DIR must be the path of a folder, got {self.folder!r}.")
        if Path(self.folder).exists() and not Path(self.folder).is_dir():
            raise InputError(f"CACHE_DIR must be a folder, but '{os.fspath(self.folder)}' is a file.")
        for name, value in (("CACHE_SIZE", self.size), ("CACHE_WAIT_MS", self.wait_ms)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"{name} must be a whole number of at least 0, got {value!r}.")
        if self.mode not in MODES:
            raise InputError(f"CACHE_MODE must be one of {', '.join(MODES)}, got {self.mode!r}.")
        if os.path.basename(self.blob_id) != self.blob_id or self.blob_id.startswith("."):
            raise InputError(f"CACHE_BLOB_ID must be the name of a file, got {self.blob_id!r}.")
