"""Runs flatc, and makes its Python readers a package of ours."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ._emit_layout import HEADER
from ._fbs import FILES, FOLDER

FLATC_VERSION = "2.0.8"
"""The flatc release whose output is committed; another one formats it differently."""


def flatc_problem() -> str | None:
    """Why readers cannot be generated here, None when they can."""
    found = shutil.which("flatc")
    if found is None:
        return f"flatc is not installed; on Debian: apt-get install flatbuffers-compiler ({FLATC_VERSION})"
    text = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if text.strip() != f"flatc version {FLATC_VERSION}":
        return f"flatc {FLATC_VERSION} is needed, found {text.strip()!r}"
    return None


def emit_readers() -> dict[str, str]:
    """File name to text, one per enum, union and table.

    flatc imports by namespace (``mindspore.schema``); here imports are relative, so that no package with
    that name exists.

    Raises:
        RuntimeError: flatc is missing, has another version or fails.
    """
    problem = flatc_problem()
    if problem:
        raise RuntimeError(problem)
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            _run_flatc(FOLDER / name, folder)
        files = sorted(Path(folder, "mindspore", "schema").glob("*.py"))
        return {f.name: _ours(f.read_text(encoding="utf-8")) for f in files if f.name != "__init__.py"}


def _run_flatc(source: Path, folder: str) -> None:
    done = subprocess.run(["flatc", "--python", "-o", folder, str(source)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"flatc failed on {source.name}: {done.stdout}{done.stderr}")


def _ours(text: str) -> str:
    text = re.sub(r"from mindspore\.schema\.(\w+) import", r"from .\1 import", text)
    return HEADER + text.rstrip("\n") + "\n"
