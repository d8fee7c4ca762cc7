"""Arrow's files and streams."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.sources.opened import open_source
from lite_delegate.errors import InputError

from .reading import all_rows_of

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
FORMS = ["file", "stream"]


def write(path: Path, table: Any, sizes: Sequence[int], form: str, compression: str | None = None) -> Path:
    """Writes record batches of these sizes."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    new = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as file, new(file, table.schema, options=options) as writer:
        at = 0
        for size in sizes:
            for batch in table.slice(at, size).combine_chunks().to_batches():
                writer.write_batch(batch)
            at += size
    return path


@pytest.fixture
def table() -> Any:
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(120, dtype=np.int16).reshape(20, 2, 3))
    names = pa.array([f"n{number % 3}" for number in range(20)]).dictionary_encode()
    return pa.table({"text": ["x" * n for n in range(20)], "id": range(20), "t": tensors, "name": names})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("rows", [1, 4, 100])
def test_all_rows_once(tmp_path: Path, table: Any, form: str, compression: str | None, rows: int) -> None:
    path = write(tmp_path / "a.arrow", table, [3, 11, 2, 4], form, compression)
    found, errors = all_rows_of(pickle.loads(pickle.dumps(open_source(path))), rows)
    assert not errors
    assert found == table.to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_chunks_in_any_order(tmp_path: Path, table: Any, form: str) -> None:
    source = open_source(write(tmp_path / "a.arrow", table, [3, 11, 2, 4], form))
    for chunk in reversed(list(source.chunks(4))):
        read = source.read(chunk, ["id", "name"])
        assert read.table.column_names == ["id", "name"]
        assert read.table.to_pylist() == table.select(["id", "name"]).slice(chunk.first_row, chunk.rows).to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_rows_without_columns_and_no_rows(tmp_path: Path, table: Any, form: str) -> None:
    assert len(all_rows_of(open_source(write(tmp_path / "a.arrow", table, [20], form)), 7, [])[0]) == 20
    assert all_rows_of(open_source(write(tmp_path / "b.arrow", table.slice(0, 0), [], form)), 7) == ([], {})


def test_feather(tmp_path: Path, table: Any) -> None:
    from pyarrow import feather

    feather.write_feather(table, tmp_path / "a.feather")
    assert all_rows_of(open_source(tmp_path), 6)[0] == table.to_pylist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kept", [0, 4, 40, 600, -300])
def test_damaged_files_are_named(tmp_path: Path, table: Any, form: str, kept: int) -> None:
    path = write(tmp_path / "a.arrow", table, [5, 5, 5, 5], form)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"a\.arrow' is no Arrow file or stream that can be read"):
        all_rows_of(open_source(path), 5)


def test_files_that_differ_in_columns(tmp_path: Path, table: Any) -> None:
    write(tmp_path / "1.arrow", table, [20], "file")
    write(tmp_path / "2.arrow", table.select(["t", "id", "name", "text"]), [20], "stream")
    assert len(all_rows_of(open_source(tmp_path), 50)[0]) == 40
    write(tmp_path / "3.arrow", table.drop_columns(["id"]), [20], "file")
    with pytest.raises(InputError, match=r"3\.arrow' has other columns than .*1\.arrow'"):
        list(open_source(tmp_path).chunks(50))
