"""Packages of the public index: downloaded once, and only what the list names is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from .catalog import RealPackage

VARIABLE = "LITE_DELEGATE_REAL_MODELS"
_SECONDS = 300


class Unavailable(Exception):
    """A package cannot be had; the message says why."""


def cache_folder() -> Path:
    """Where packages are kept: the environment's ``LITE_DELEGATE_REAL_MODELS``, or a folder of the user's cache."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else Path.home() / ".cache" / "lite_delegate" / "real_models"


def unpacked(package: RealPackage, cache: Path, seconds: float = _SECONDS) -> Path:
    """The folder with the package's models and files, downloaded if it is not in the cache.

    Args:
        package: of the list.
        cache: the folder of all packages.
        seconds: that a download may take.

    Raises:
        Unavailable: pip cannot download it, or it lacks what the list names.
    """
    folder = cache / f"{package.name}-{package.version}"
    wanted = [*(model.path for model in package.models), *package.files]
    if all((folder / each).is_file() for each in wanted):
        return folder
    with tempfile.TemporaryDirectory() as scratch:
        _download(package, scratch, seconds)
        _extract(next(iter(Path(scratch).glob("*.whl"))), wanted, folder)
    return folder


def _download(package: RealPackage, folder: str, seconds: float) -> None:
    asked = f"{package.name}=={package.version}"
    arguments = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--dest", folder, asked]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--retries", "1", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"pip download {asked} took more than {seconds:.0f} s") from None
    if done.returncode or not list(Path(folder).glob("*.whl")):
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip gave no reason"]
        raise Unavailable(f"pip download {asked}: {lines[-1].removeprefix('ERROR: ')}")


def _extract(wheel: Path, wanted: Sequence[str], folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        missing = sorted(set(wanted) - set(archive.namelist()))
        if missing:
            raise Unavailable(f"{wheel.name} has no {', '.join(missing)}")
        for each in wanted:
            target = folder / each
            target.parent.mkdir(parents=True, exist_ok=True)
            beside = target.with_name(target.name + ".part")
            beside.write_bytes(archive.read(each))
            beside.replace(target)
