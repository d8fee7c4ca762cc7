"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from lite_delegate import InputError
from lite_delegate.basics.files import check_not_read, check_target, replacing, write_whole


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("before")
    with pytest.raises(UnicodeEncodeError), replacing(target) as (new,):
        new.path.write_text("half, and then \ud800", encoding="utf-8")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("before", [target])
    write_whole(target, b"after")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("after", [target])


def test_errors_name_what_was_asked_for_and_not_what_stands_for_it(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with pytest.raises(FileNotFoundError) as caught, replacing(target) as (new,):
        new.path.read_bytes()
    assert caught.value.filename == str(target)
    with pytest.raises(FileNotFoundError) as caught, replacing(target):
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


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "out"
    target.write_text("before")
    target.chmod(mode)
    with replacing(target) as (new,), new.open() as file:
        assert stat.S_IMODE(new.path.stat().st_mode) == mode  # at no time may others read it
        file.write(b"after")
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("after", mode)


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_of_new_files(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "out", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == mode


@pytest.mark.parametrize("existing", [(), ("a",), ("b",), ("a", "b")])
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("failing", [0, 1, 2])
def test_several_files_change_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: tuple[str, ...], failing: int, links: bool
) -> None:
    """The renaming number ``failing`` fails, 2: none does; with and without hard links in the file system."""
    a, b = tmp_path / "a", tmp_path / "b"
    for name in existing:
        (tmp_path / name).write_text("before")
    calls, replace = iter(range(9)), os.replace

    def replace_or_fail(source: Path, target: Path) -> None:
        if next(calls) == failing:
            raise OSError(5, "device")
        replace(source, target)

    def no_links(source: Path, target: Path) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", replace_or_fail)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(OSError, match="device") if failing < 2 else nullcontext(), replacing(a, b) as files:
        for new in files:
            with new.open() as file:
                file.write(b"after")
    expected = dict.fromkeys("ab", "after") if failing == 2 else dict.fromkeys(existing, "before")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == expected


def test_a_file_that_was_not_opened_takes_no_place(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_text("before")
    with replacing(a, b) as (_, new), new.open() as file:
        file.write(b"after")
    assert (a.read_text(), b.read_text()) == ("before", "after")


def test_what_is_read_is_not_written_under_any_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, soft, hard, other = (tmp_path / name for name in ("file", "soft", "hard", "other"))
    file.write_text("before")
    other.write_text("before")
    soft.symlink_to(file)
    os.link(file, hard)
    monkeypatch.chdir(tmp_path)
    with file.open() as opened:
        for path in (file, soft, hard, Path("file"), Path(f"/dev/fd/{opened.fileno()}")):
            with pytest.raises(InputError, match="it is a file that is read"):
                check_not_read(path, [other, file])
    for path in (other, tmp_path / "absent", Path("a\0b")):
        check_not_read(path, [file, tmp_path / "gone", Path("a\0b")])
