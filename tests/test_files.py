"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lite_delegate import InputError
from lite_delegate.files import check_target, temporary_beside, write_whole


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("before")
    with temporary_beside(target) as new:
        new.write_text("half")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("before", [target])
    write_whole(target, b"after")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("after", [target])


def test_errors_name_what_was_asked_for_and_not_what_stands_for_it(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with pytest.raises(FileNotFoundError) as caught, temporary_beside(target) as new:
        new.read_bytes()
    assert caught.value.filename == str(target)
    with pytest.raises(FileNotFoundError) as caught, temporary_beside(target):
        (tmp_path / "other").read_bytes()
    assert caught.value.filename == str(tmp_path / "other")


def test_targets_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_target(tmp_path / "out")
    for path, message in ((tmp_path, "is a directory"), (tmp_path / "no" / "out", "is not a directory")):
        with pytest.raises(InputError, match=message):
            check_target(path)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(InputError, match="cannot be written to"):
        check_target(tmp_path / "out")


def test_a_pipe_is_written_into_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_target(pipe)
        write_whole(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert (pipe.is_fifo(), list(tmp_path.iterdir())) == (True, [pipe])


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    target, link = tmp_path / "sub" / "target", tmp_path / "link"
    target.write_text("before")
    link.symlink_to(target)
    write_whole(link, b"after")
    assert (link.is_symlink(), target.read_text()) == (True, "after")
