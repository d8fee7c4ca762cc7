"""JobFolder: the folder of one job, with its parts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...basics.data_class import dataclass
from ...basics.files import write_whole
from ...cache.key import CacheKey
from ...cache.lock import locked
from ...errors import InputError
from .part import PartFacts, part_name, read_facts

JOB, LOCK, MANIFEST, SUCCESS = "_job.json", "_lock", "_manifest.json", "_SUCCESS"
"""Names of files in the folder, which readers of data sets leave out: they begin with "_"."""
OURS = (LOCK, "_model-", f".{JOB}.", "._model-")
"""The first characters of the names that a folder has before it has a job: a driver may end at any time."""


@dataclass(frozen=True, slots=True)
class KeptJob:
    """The job of a folder.

    Attributes:
        fields: of its key; the digest of the fields is the key.
        sizes: the rows of a batch and of a chunk, which stay for the whole job.
    """

    fields: Mapping[str, Any]
    sizes: Mapping[str, int]


class JobFolder:
    """The folder of one job.

    Args:
        path: of the folder, which is made.

    Raises:
        InputError: it is no folder, or has files and no job.
        OSError: it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise InputError(f"'{path}' is a file, expected a folder for the parts.")
        path.mkdir(parents=True, exist_ok=True)
        if not (path / JOB).exists():
            other = next((each.name for each in path.iterdir() if not each.name.startswith(OURS)), None)
            if other is not None:
                raise InputError(f"'{path}' has files already ('{other}'), and no job of lite-delegate batch.")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps other drivers out while the block runs.

        Raises:
            InputError: another driver works on the job.
        """
        with locked(self.path / LOCK, 0) as is_mine:
            if not is_mine:
                raise InputError(f"Another process works on the job in '{self.path}'.")
            yield

    @property
    def job(self) -> KeptJob | None:
        """The job that the folder has; None for a new folder.

        Raises:
            InputError: the job's file is damaged.
        """
        try:
            kept = json.loads((self.path / JOB).read_text())
            return KeptJob(kept["key"], kept["sizes"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as e:
            raise InputError(f"'{self.path / JOB}' is damaged ({e}); take another folder.") from e

    def take(self, key: CacheKey, sizes: Mapping[str, int]) -> None:
        """Makes the folder the folder of a job, or checks that it is.

        Raises:
            InputError: it has another job; the message says what differs.
        """
        kept = self.job
        if kept is None:
            write_whole(self.path / JOB, json.dumps({"key": key.fields, "sizes": sizes}, indent=1).encode())
            return
        changes = key.changes_from(kept.fields)
        if changes:
            raise InputError(
                f"'{self.path}' holds the results of another job: {'; '.join(map(str, changes[:3]))}. Take another "
                "folder, or run the old job again."
            )

    def parts(self, key: str) -> Iterator[PartFacts]:
        """The whole parts of a job. Parts that are not whole, and temporary files, are removed.

        Raises:
            OSError: a part cannot be read now.
        """
        self._sweep(".*.tmp")
        for path in self.path.glob("part-*.parquet"):
            facts = read_facts(path)
            if facts is None or facts.job != key or path.name != part_name(facts.chunk):
                path.unlink()
            else:
                yield facts

    @property
    def is_done(self) -> bool:
        """Whether the job has ended."""
        return (self.path / SUCCESS).exists()

    def reopen(self) -> None:
        """Takes the mark of success away: parts are to be written."""
        (self.path / SUCCESS).unlink(missing_ok=True)

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Writes the manifest, and then the mark of success. The compiled model goes, and what ended workers left.

        Raises:
            OSError: a file cannot be written.
        """
        write_whole(self.path / MANIFEST, json.dumps(manifest, indent=1).encode())
        self._sweep("_model-*.ldm", ".*.tmp")
        _flush(self.path)  # the names of all parts are on the disk before the mark is
        write_whole(self.path / SUCCESS, b"")

    def _sweep(self, *patterns: str) -> None:
        for pattern in patterns:
            for path in self.path.glob(pattern):
                path.unlink(missing_ok=True)


def _flush(folder: Path) -> None:
    """Brings the names in a folder to the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
