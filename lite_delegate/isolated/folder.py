"""The working folder of a delegate's process, which is removed with it."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "lite-delegate-isolated-"


def new_folder() -> str:
    """A new empty folder. Folders of processes whose parent was killed before it could remove them are removed."""
    root = Path(tempfile.gettempdir())
    for each in root.glob(f"{PREFIX}*"):
        owner = each.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdecimal() and _is_gone(int(owner)) and _is_mine(each):
            shutil.rmtree(each, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=root)


def remove_folder(folder: str) -> None:
    """Removes a folder with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _is_mine(folder: Path) -> bool:
    with suppress(OSError):
        return folder.stat(follow_symlinks=False).st_uid == os.getuid() and not folder.is_symlink()
    return False
