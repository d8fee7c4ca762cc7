"""NPY and NPZ files, against numpy itself."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.sources.arrays import arrays_in
from lite_delegate.batch.sources.opened import open_source
from lite_delegate.errors import InputError

from .reading import all_rows_of

pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
ARRAYS = [
    np.arange(24.0).reshape(4, 6),
    np.asfortranarray(np.arange(24.0).reshape(4, 6)),
    np.arange(24, dtype=">i4").reshape(4, 2, 3),
    np.arange(5, dtype=np.float16),
    np.array([[True, False], [True, True], [False, False]]),
    np.array(["a", "bcd", "é"]),
    np.array([[b"a", b"b"], [b"c", b""]]),
    np.zeros((0, 4)),
    np.zeros((5, 0)),
]


def plain(array: Any) -> list[Any]:
    """The rows as Arrow's tensors are shown: lists without levels."""
    each = np.strings.decode(array, "utf-8") if array.dtype.kind == "S" else array
    return [row.reshape(-1).tolist() if row.ndim else row.item() for row in map(np.asarray, each)]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{list(array.shape)}")
@pytest.mark.parametrize("form", ["npy", "npz", "compressed"])
def test_rows_of_an_array(tmp_path: Path, array: Any, form: str) -> None:
    path = tmp_path / ("a.npy" if form == "npy" else "a.npz")
    if form == "npy":
        np.save(path, array)
    else:
        (np.savez if form == "npz" else np.savez_compressed)(path, array=array)
    found, errors = all_rows_of(open_source(path), 2)
    assert not errors
    assert [row["array"] for row in found] == plain(array)


def test_stored_members_are_mapped(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.arange(1000.0), y=np.arange(3000).reshape(1000, 3))
    found = arrays_in(str(tmp_path / "a.npz"))
    assert all(isinstance(array, np.memmap) for array in found.values())
    assert found["y"].tolist() == np.arange(3000).reshape(1000, 3).tolist()


def test_an_archive_is_a_table_of_its_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "1.npz", x=np.arange(3), y=np.arange(6.0).reshape(3, 2))
    np.savez(tmp_path / "2.npz", x=np.arange(2), y=np.zeros((2, 2)))
    found, _ = all_rows_of(open_source(tmp_path), 2)
    assert [row["x"] for row in found] == [0, 1, 2, 0, 1]
    assert found[1] == {"x": 1, "y": [2.0, 3.0]}
    assert len(all_rows_of(open_source(tmp_path), 2, [])[0]) == 5


def test_a_file_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    import os

    path = tmp_path / "a.npy"
    for number in range(2):
        np.save(path, np.full(3, number))
        os.utime(path, ns=(number, number))
        assert [row["array"] for row in all_rows_of(open_source(path), 9)[0]] == [number] * 3


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros(3, [("a", "i4")]), "has elements of .*, expected numbers, bool or strings"),
        (np.zeros(3, "complex64"), "has elements of complex64"),
        (np.zeros(3, "M8[s]"), "has elements of datetime64"),
        (np.array([None, 1]), "has no arrays that can be read"),
        (np.array(5.0), "is a number, expected an array whose first axis is the rows"),
    ],
)
@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_refused_arrays(tmp_path: Path, array: Any, said: str, name: str) -> None:
    if name == "a.npy":
        np.save(tmp_path / name, array, allow_pickle=True)
    else:
        np.savez(tmp_path / name, array=array)
    with pytest.raises(InputError, match=said):
        open_source(tmp_path / name)


def test_damaged_files(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY")
    (tmp_path / "a.npz").write_bytes(b"PK nothing")
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("note.txt", "hello")
    for name in ("a.npy", "a.npz", "b.npz"):
        with pytest.raises(InputError, match="has no arrays that can be read"):
            open_source(tmp_path / name)


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    np.savez(tmp_path / "1.npz", x=np.arange(3), y=np.arange(2))
    with pytest.raises(InputError, match=r"have different numbers of rows: \{'x': 3, 'y': 2\}"):
        list(open_source(tmp_path).chunks(9))
    np.savez(tmp_path / "1.npz", x=np.arange(3))
    np.savez(tmp_path / "2.npz", x=np.arange(3.0))
    with pytest.raises(InputError, match="has other arrays than"):
        list(open_source(tmp_path).chunks(9))
