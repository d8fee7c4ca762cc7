"""CacheFolder: entries in a folder, each a sectioned file, written whole or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..errors import ModelFormatError
from ..sections.sections import Bytes, SectionedFile, open_sections, sectioned_bytes, sectioned_pieces
from .key import CacheKey, Change
from .lock import locked, removed_unlocked
from .options import CacheOptions, Encryption

SUFFIX = ".ldc"
LOCK_SUFFIX = ".lock"
TEMPORARY_SUFFIX = ".tmp"
NAME_DIGITS = 32
TEMPORARY_WAIT_MS = 1000
"""Milliseconds to wait for a temporary file's lock: a check for left-over files holds the lock for a moment."""
PRUNER_MS = 1000
"""Another process that removes an entry holds its lock for a moment, who makes it for longer."""
ENCRYPTED = "encrypted"
KEY = "key"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as its header describes it.

    Attributes:
        path: of the file.
        nbytes: of the file.
        used: when it was used last, in seconds since 1970.
        digest: of its key.
        fields: of its key; empty where it is encrypted.
        problem: why it cannot be read, "" where the header can.
    """

    path: Path
    nbytes: int
    used: float
    digest: str = ""
    fields: Mapping[str, Any] | None = None
    problem: str = ""


class WrongKey(ModelFormatError):
    """An entry is encrypted, and not for us: it is not ours to replace."""


class CacheFolder:
    """The entries of a folder.

    Args:
        options: which folder, and how it is used.
    """

    def __init__(self, options: CacheOptions) -> None:
        self.options = options
        self.folder = Path(options.folder)

    def path(self, key: CacheKey) -> Path:
        """Where the entry of a key is, or would be."""
        return self.folder / f"{self.options.blob_id or key.digest[:NAME_DIGITS]}{SUFFIX}"

    def lock_path(self, key: CacheKey) -> Path:
        """The file whose lock the maker of a key's entry holds."""
        return self.path(key).with_suffix(LOCK_SUFFIX)

    def make(self) -> None:
        """Makes the folder where it is not there.

        Raises:
            OSError: it cannot be made, or cannot be used.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self, key: CacheKey) -> SectionedFile | None:
        """The entry of a key, None without an entry. Its sections are yet to be checked.

        Raises:
            WrongKey: the entry is encrypted with another key, or no function can decrypt it.
            ModelFormatError: the entry is damaged, or belongs to another key.
        """
        path = self.path(key)
        if not path.is_file():
            return None
        file = open_sections(path)
        if file.fields.get(ENCRYPTED) and self.options.encryption is None:
            raise WrongKey(f"{file.where}: it is encrypted, and there is nothing to decrypt it.")
        if file.fields.get("key_digest") != key.digest:
            raise ModelFormatError(f"{file.where}: it is the entry of another key ({file.fields.get('key_digest')}).")
        if self.options.encryption is None:
            return file
        return _decrypted(file, self.options.encryption, key)

    def write(self, key: CacheKey, fields: Mapping[str, Any], sections: Mapping[str, Bytes]) -> None:
        """Writes the entry of a key in place of an old entry, atomically.

        Raises:
            OSError: the entry cannot be written; the old entry is still there.
            Exception: an error of the user's ``encrypt``.
        """
        all_fields = {**fields, KEY: key.fields, "key_digest": key.digest, ENCRYPTED: False}
        if self.options.encryption is not None:
            inner = self.options.encryption.encrypt(sectioned_bytes(all_fields, sections))
            all_fields, sections = {"key_digest": key.digest, ENCRYPTED: True}, {ENCRYPTED: inner}
        path = self.path(key)
        temporary = path.with_name(f".{path.name}.{os.urandom(16).hex()}{TEMPORARY_SUFFIX}")
        try:
            with locked(temporary, TEMPORARY_WAIT_MS), open(temporary, "r+b") as file:
                for piece in sectioned_pieces(all_fields, sections):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        self._flush_folder()

    def used(self, key: CacheKey) -> None:
        """Takes note that an entry was used now."""
        try:
            os.utime(self.path(key))
        except OSError:  # a folder that is only read: nobody prunes there
            return

    def remove(self, path: Path) -> None:
        """Removes an entry, if it is there."""
        path.unlink(missing_ok=True)

    def entries(self) -> list[Entry]:
        """All entries, the one that was used last first."""
        found = [entry for path in self.folder.glob(f"*{SUFFIX}") if (entry := _entry(path)) is not None]
        return sorted(found, key=lambda entry: (-entry.used, entry.path.name))

    def nearest(self, key: CacheKey) -> tuple[Entry, tuple[Change, ...]] | None:
        """The entry of the same content that differs least, and the differences; None without such an entry."""
        same = [each for each in self.entries() if each.fields and each.fields.get("content") == key.content]
        found = [(entry, key.changes_from(entry.fields or {})) for entry in same]
        return min(found, key=lambda each: (len(each[1]), -each[0].used), default=None)

    def prune(self, size: int, keep: Path | None = None) -> list[Path]:
        """Removes the entries that were used least recently, until all have at most ``size`` bytes; gives which.

        Args:
            size: 0: no limit.
            keep: is never removed; neither is one that somebody makes now.
        """
        self._remove_leftovers()
        entries = self.entries()
        total, removed = sum(entry.nbytes for entry in entries), []
        for entry in reversed(entries):
            if not size or total <= size:
                break
            if entry.path == keep or not self._removed_as_it_was(entry):
                continue
            total -= entry.nbytes
            removed.append(entry.path)
        return removed

    def _removed_as_it_was(self, entry: Entry) -> bool:
        """Removes an entry and its lock, unless somebody makes it now, or has used it since; gives whether it went."""
        lock = entry.path.with_suffix(LOCK_SUFFIX)
        with locked(lock, PRUNER_MS) as mine:
            if not mine or _used_since(entry):
                return False
            self.remove(entry.path)
            with suppress(OSError):  # some systems keep files that are open
                lock.unlink()
        return True

    def clear(self) -> list[Path]:
        """Removes all entries, and the left-over files of killed writers. Returns the removed entries."""
        self._remove_leftovers()
        removed = [entry.path for entry in self.entries()]
        for path in removed:
            self.remove(path)
        for path in self.folder.glob(f"*{LOCK_SUFFIX}"):
            removed_unlocked(path)
        return removed

    def _remove_leftovers(self) -> None:
        for path in self.folder.glob(f".*{SUFFIX}.*{TEMPORARY_SUFFIX}"):
            removed_unlocked(path)

    def _flush_folder(self) -> None:
        if hasattr(os, "O_DIRECTORY"):
            handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _used_since(entry: Entry) -> bool:
    try:
        return entry.path.stat().st_mtime != entry.used
    except FileNotFoundError:  # somebody else has removed it
        return False


def age_text(entry: Entry) -> str:
    """The time since an entry was used, for people."""
    seconds = max(time.time() - entry.used, 0)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{counted(count, unit)} ago"
    return "just now"


def verify(entry: Entry) -> str:
    """The fault of an entry, "" for none: all sections are read. Encrypted contents are not decrypted."""
    try:
        open_sections(entry.path).check()
    except ModelFormatError as e:
        return str(e)
    return ""


def _entry(path: Path) -> Entry | None:
    try:
        status = path.stat()
    except OSError:  # somebody removed it meanwhile
        return None
    try:
        fields = open_sections(path).fields
    except ModelFormatError as e:
        return Entry(path, status.st_size, status.st_mtime, problem=str(e))
    key = fields.get(KEY)
    digest = str(fields.get("key_digest", ""))
    return Entry(path, status.st_size, status.st_mtime, digest, key if isinstance(key, Mapping) else None)


def _decrypted(file: SectionedFile, encryption: Encryption, key: CacheKey) -> SectionedFile:
    try:
        data = encryption.decrypt(bytes(file.section(ENCRYPTED)))
        inner = open_sections(data)
    except ModelFormatError:
        raise
    except Exception as e:  # the user's own code may raise anything
        raise WrongKey(f"{file.where}: it cannot be decrypted: {type(e).__name__}: {e}.") from e
    if inner.fields.get("key_digest") != key.digest:
        raise WrongKey(f"{file.where}: it cannot be decrypted to an entry of this key.")
    return inner
