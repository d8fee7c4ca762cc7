"""Opening files: only regular ones, and no more of them than a bound."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import pytest

from lite_delegate.basics.opening import open_regular, read_regular


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(path)
    assert read_regular(path, 5) == read_regular(tmp_path / "link") == b"12345"
    with pytest.raises(OSError, match="expected at most 4 bytes, found more") as caught:
        read_regular(path, 4)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe without a writer would be waited for; opening a device may have effects."""
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("socket")
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda *given: opened.append(given))
    try:
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/zero"), Path("/dev/tty"), tmp_path):
            if path.exists():
                with pytest.raises(OSError, match=r"expected a regular file, found a |Is a directory"):
                    open_regular(path)
    finally:
        listening.close()
    assert opened == []


def test_a_pipe_that_takes_the_place_of_a_file_meanwhile_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, pipe = tmp_path / "file", tmp_path / "pipe"
    path.write_bytes(b"12345")
    os.mkfifo(pipe)
    look = os.stat

    def look_and_change(given: Path) -> os.stat_result:
        found = look(given)
        os.replace(pipe, path)
        return found

    monkeypatch.setattr(os, "stat", look_and_change)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="found a pipe"):
        open_regular(path)
    assert len(os.listdir("/proc/self/fd")) == before
