"""The files of a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate.batch.sources.paths import found_files
from lite_delegate.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "b/2.parquet",
        "b/_SUCCESS",
        "b/.part.parquet",
        "a/10.parquet",
        "a/9.pq",
        "_old/1.parquet",
        "note.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def test_a_folder_has_its_files_by_path(folder: Path) -> None:
    found = found_files(folder)
    assert found.format == "Parquet"
    assert found.names == ("a/10.parquet", "a/9.pq", "b/2.parquet")
    assert found.paths == tuple(str(folder / name) for name in found.names)


def test_names_in_patterns_and_of_files(folder: Path) -> None:
    assert found_files(f"{folder}/*/*.parquet").names == ("_old/1.parquet", "a/10.parquet", "b/2.parquet")
    assert found_files([folder / "b" / "2.parquet", f"{folder}/a/*.pq"]).names == ("2.parquet", "9.pq")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "does not exist"),
        ("*.csv", "No file has a name like"),
        ("note.txt", "is of no format that is read"),
        ("rows.csv.gz", "is compressed as a whole, .*; unpack it first"),
        ("empty", "has no files of a format"),
        ("mixed", "several formats .1 file of CSV, 1 file of NPY"),
    ],
)
def test_refusals(folder: Path, name: str, said: str) -> None:
    (folder / "rows.csv.gz").touch()
    (folder / "empty").mkdir()
    (folder / "mixed").mkdir()
    (folder / "mixed" / "a.csv").touch()
    (folder / "mixed" / "a.npy").touch()
    with pytest.raises(InputError, match=said):
        found_files(folder / name)
