"""ProgramFolder: programs that the simulated driver keeps on disk, where the environment names a folder."""

from __future__ import annotations

import hashlib
import os
import warnings
from contextlib import suppress
from pathlib import Path

from ...basics.files import write_whole
from ...delegate import Boundary
from ...errors import DelegateBuildError, DelegateWarning, ModelFormatError
from ...version import VERSION
from ..blob import Blob, BlobModel, BlobOrigin, blob_bytes, open_blob
from ..device.driver_cache import LIMIT_BYTES
from ..ir import compiler_version

VARIABLE = "LITE_DELEGATE_NPU_CACHE_DIR"
SUFFIX = ".npu"
NAME_DIGITS = 32
NOWHERE = BlobOrigin("", "", "", {})
"""The origin of every program: the key of a program has its target."""


class ProgramFolder:
    """Programs in a folder, each a blob in a file of its own; the least recently used files go. Processes share it.

    Args:
        folder: the folder, which is made where it does not exist.
        limit: the most bytes of all files together.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit

    def path(self, key: str) -> Path:
        """The path for the program of a key; programs of each release and compiler have names of their own."""
        name = hashlib.sha256(f"{VERSION} {compiler_version.COMPILER_VERSION} {key}".encode()).hexdigest()
        return self.folder / f"{name[:NAME_DIGITS]}{SUFFIX}"

    def get(self, key: str) -> BlobModel | None:
        """The program of a key; None without a file, or where the file was cut or altered."""
        path = self.path(key)
        try:
            blob = open_blob(path)
            os.utime(path)
        except (ModelFormatError, OSError):
            return None
        (model,) = blob.models
        return model if blob.graph == key else None

    def put(self, key: str, model: BlobModel, boundary: Boundary) -> None:
        """Keeps a program, written whole or not at all; where that cannot be, the user is warned.

        Args:
            key: of the program.
            model: the program with its ports and constants.
            boundary: of the run, whose tensors the ports are numbers of.
        """
        try:
            content = blob_bytes(Blob(NOWHERE, key, tuple(boundary.inputs), tuple(boundary.outputs), (model,)))
            if len(content) > self.limit:
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.path(key), content)
            self._prune()
        except (DelegateBuildError, OSError, ValueError) as e:
            text = f"{VARIABLE}: the simulated driver keeps nothing in '{self.folder}': {e}"
            warnings.warn(DelegateWarning(text), stacklevel=2)

    def _prune(self) -> None:
        kept = sorted((each.stat().st_mtime_ns, each) for each in self.folder.glob(f"*{SUFFIX}"))
        total = sum(each.stat().st_size for _, each in kept)
        for _, path in kept:
            if total <= self.limit:
                return
            total -= path.stat().st_size
            with suppress(FileNotFoundError):  # another process removed it
                path.unlink()


def named_folder() -> ProgramFolder | None:
    """The folder that the environment variable ``LITE_DELEGATE_NPU_CACHE_DIR`` names; None where it names none."""
    folder = os.environ.get(VARIABLE, "")
    return ProgramFolder(Path(folder), LIMIT_BYTES) if folder else None
