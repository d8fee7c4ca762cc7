"""Folders of images."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from lite_delegate.batch.sources.opened import open_source
from lite_delegate.errors import InputError

from .reading import all_rows_of

pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("cat/1.jpg", "cat/2.PNG", "dog/1.webp", "dog/.hidden.jpg", "readme.txt")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(bytes([number] * (number + 1)))
    return tmp_path


def test_files_are_rows(folder: Path) -> None:
    source = open_source(folder)
    chunks = list(source.chunks(2))
    assert [chunk.rows for chunk in chunks] == [2, 1]
    assert chunks[0].file == str(folder / "cat")
    copy = pickle.loads(pickle.dumps(source))
    assert copy.files == ()
    rows = [row for chunk in chunks for row in copy.read(chunk, ["file", "image"]).table.to_pylist()]
    assert rows == [
        {"file": "cat/1.jpg", "image": b"\0"},
        {"file": "cat/2.PNG", "image": b"\1\1"},
        {"file": "dog/1.webp", "image": b"\2\2\2"},
    ]


def test_files_are_read_only_where_their_bytes_are_wanted(folder: Path) -> None:
    source = open_source(folder)
    chunks = list(source.chunks(9))
    (folder / "cat" / "1.jpg").unlink()
    assert not source.read(chunks[0], ["file"]).errors
    read = source.read(chunks[0], ["image"])
    assert read.errors == {0: "the file cannot be read: No such file or directory"}
    assert read.table.column("image").to_pylist() == [None, b"\1\1", b"\2\2\2"]


def test_a_relative_folder_is_found_from_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    source = open_source("cat")
    chunks = list(source.chunks(9))
    monkeypatch.chdir("/")
    assert source.read(chunks[0], ["file", "image"]).table.column("file").to_pylist() == ["1.jpg", "2.PNG"]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a\xff.png")).write_bytes(b"x")
    assert all_rows_of(open_source(tmp_path), 9)[0] == [{"file": "a\ufffd.png", "image": b"x"}]


def test_types_are_for_csv(folder: Path) -> None:
    with pytest.raises(InputError, match="--type is for CSV; the columns of images have types of their own"):
        open_source(folder, {"file": "string"})
