"""Writing files: whole or not at all, several together, and never over a file that is read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import InputError

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors of writing into an open file, whose texts do not name the file."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class NewFile:
    """A file that is to replace another file, and lies beside it until then.

    Args:
        target: the file to replace. Where the path is a link, the file that it points to.
    """

    def __init__(self, target: Path) -> None:
        self.target = target.resolve() if target.is_symlink() else target
        self.path = self.target.with_name(f".{self.target.name}.{os.urandom(16).hex()}.tmp")

    def open(self) -> BinaryIO:
        """The new file, open for writing. It has the permissions of the replaced file from the start on; without such
        a file, the permissions of new files."""
        mode = stat.S_IMODE(self.target.stat().st_mode) & 0o777 if self.target.is_file() else None
        descriptor = os.open(self.path, _NEW, 0o666 if mode is None else 0o600)
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        return os.fdopen(descriptor, "wb")

    @property
    def is_written(self) -> bool:
        """Whether it was opened."""
        return self.path.exists()


@contextmanager
def replacing(*targets: Path) -> Iterator[tuple[NewFile, ...]]:
    """New files for targets. The opened files replace their targets when the block ends well: all files, or none.

    A failure leaves the old files, and no others. An OSError names the target, the path that the caller gave. Only the
    end of the process between two renamings can leave one file new and another file old.
    """
    files = tuple(map(NewFile, targets))
    try:
        yield files
        _take_places([file for file in files if file.is_written])
    except OSError as e:
        asked = {str(file.path): str(target) for file, target in zip(files, targets, strict=True)}
        if e.filename is None and e.errno in _NO_ROOM:
            e.filename = str(targets[-1])
        elif e.filename in asked:
            e.filename, e.filename2 = asked[e.filename], None
        raise
    finally:
        for file in files:
            file.path.unlink(missing_ok=True)


def _take_places(files: Sequence[NewFile]) -> None:
    if not files:
        return
    *others, last = files
    with _restored_on_failure([file.target for file in others]):
        for file in others:
            os.replace(file.path, file.target)
        os.replace(last.path, last.target)


@contextmanager
def _restored_on_failure(targets: Sequence[Path]) -> Iterator[None]:
    """Second names for the files at the targets, which take their places again if the block fails."""
    kept = [(target, NewFile(target).path if target.exists() else None) for target in targets]
    try:
        for target, second in kept:
            if second is not None:
                _second_name(target, second)
        yield
    except BaseException:
        for target, second in kept:
            if second is None:
                target.unlink(missing_ok=True)
            elif second.exists():
                os.replace(second, target)
        raise
    finally:
        for _, second in kept:
            if second is not None:
                second.unlink(missing_ok=True)


def _second_name(path: Path, second: Path) -> None:
    try:
        os.link(path, second)
    except OSError:  # a file system without hard links
        from shutil import copyfile  # with compression: most processes write nothing

        copyfile(path, second)


def check_target(path: Path) -> None:
    """Checks that a file can be written there, as far as that shows beforehand.

    Raises:
        InputError: (a ValueError) the folder does not exist or takes no new files, or the path is a folder.
    """
    if _is_special(path):
        return
    directory = (path.resolve() if path.is_symlink() else path).parent
    if not directory.is_dir():
        raise InputError(f"'{directory}' is not a directory; cannot write '{path}'.")
    if path.is_dir():
        raise InputError(f"'{path}' is a directory, expected the name of a file.")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise InputError(f"'{directory}' cannot be written to; cannot write '{path}'.")


def check_not_read(path: Path, inputs: Iterable[Path]) -> None:
    """Checks that an output is none of the files that it is made from, under any of their names.

    Raises:
        InputError: (a ValueError) it is one of them; the message names both.
    """
    same = same_file(path, inputs)
    if same is not None:
        known = "" if same == path else f" ('{same}')"
        raise InputError(f"'{path}' cannot be written: it is a file that is read{known}; name another file.")


def same_file(path: Path, others: Iterable[Path]) -> Path | None:
    """The first of other paths that leads to the same file: by links of both kinds, and ``/dev/fd``, too."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # nothing is there that could be one of them
        return None
    return next((other for other in others if _is(other, status)), None)


def _is(path: Path, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), status)
    except (OSError, ValueError):
        return False


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all: the old file stays until all contents are written.

    The target of a link is written, and the permissions of a replaced file stay. A device or a pipe, such as
    ``/dev/null``, is written into.

    Raises:
        InputError: (a ValueError) as of ``check_target``.
        OSError: the file cannot be written.
    """
    if _is_special(path):
        path.write_bytes(content)
        return
    check_target(path)
    with replacing(path) as (new,), new.open() as file:
        file.write(content)


def _is_special(path: Path) -> bool:
    """Whether the path is a device, a pipe or the like, which a file must not replace."""
    return path.exists() and not path.is_file() and not path.is_dir()
