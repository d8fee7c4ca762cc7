"""Parquet files."""

from __future__ import annotations

import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.rows.column_values import column_values
from lite_delegate.batch.rows.row_type import RowType
from lite_delegate.batch.sources import parquet as parquet_source
from lite_delegate.batch.sources.opened import open_source
from lite_delegate.errors import InputError

from .reading import all_rows_of

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="data sets are read by pyarrow")
ROWS = 23


def table(rows: int = ROWS) -> Any:
    return pa.table({"id": range(rows), "x": [[float(number), 0.5] for number in range(rows)]})


@pytest.mark.parametrize("group", [1, 4, 7, 100])
@pytest.mark.parametrize("rows", [1, 5, 8, 100])
def test_all_rows_once(tmp_path: Path, group: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_source, "BATCH_ROWS", 3)
    pq.write_table(table(), tmp_path / "1.parquet", row_group_size=group)
    pq.write_table(table().slice(5, 6), tmp_path / "2.parquet")
    source = pickle.loads(pickle.dumps(open_source(tmp_path)))
    expected = table().to_pylist() + table().slice(5, 6).to_pylist()
    assert all_rows_of(source, rows) == (expected, {})
    for chunk in reversed(list(source.chunks(rows))):
        read = source.read(chunk, ["x", "id"]).table
        assert read.column_names == ["x", "id"]
        start = chunk.first_row if chunk.file.endswith("1.parquet") else ROWS + chunk.first_row
        assert read.column("id").to_pylist() == [row["id"] for row in expected[start : start + chunk.rows]]


COLUMNS = {
    "decimal": (pa.array([Decimal("1.25"), Decimal("-3.5")], pa.decimal128(9, 3)), (), [1.25, -3.5]),
    "dictionary": (pa.array([2.0, 3.0]).dictionary_encode(), (), [2.0, 3.0]),
    "half": (pa.array(np.array([0.5, 1.5], np.float16)), (), [0.5, 1.5]),
    "list": (pa.array([[1, 2], [3, 4]], pa.list_(pa.int8())), (2,), [[1, 2], [3, 4]]),
    "large": (pa.array([[1, 2], [3, 4]], pa.large_list(pa.float64())), (2,), [[1, 2], [3, 4]]),
    "nested": (pa.array([[[1, 2]], [[3, 4]]], pa.list_(pa.list_(pa.uint8()))), (1, 2), [[[1, 2]], [[3, 4]]]),
    "fixed": (pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2)), (2, 1), [[[1], [2]], [[3], [4]]]),
    "tensor": (
        pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(4, dtype=np.float32).reshape(2, 1, 2)),
        (1, 2),
        [[[0, 1]], [[2, 3]]],
    ),
    "bytes": (
        pa.array([np.array([1, 2], np.float32).tobytes(), np.array([3, 4], np.float32).tobytes()]),
        (2,),
        [[1, 2], [3, 4]],
    ),
    "shaped": (
        pa.array(
            [{"data": [1.0, 2.0], "shape": [1, 2]}, {"data": [3.0, 4.0], "shape": [1, 2]}],
            pa.struct([("data", pa.list_(pa.float32())), ("shape", pa.list_(pa.int32()))]),
        ),
        (1, 2),
        [[[1, 2]], [[3, 4]]],
    ),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_each_kind_come_back(tmp_path: Path, name: str) -> None:
    column, shape, expected = COLUMNS[name]
    pq.write_table(pa.table({"x": column}), tmp_path / "a.parquet")
    source = open_source(tmp_path / "a.parquet")
    (chunk,) = source.chunks(10)
    read = source.read(chunk, ["x"]).table.column("x").combine_chunks()
    read = read.chunk(0) if isinstance(read, pa.ChunkedArray) else read
    found = column_values(read, RowType("x", np.dtype("float32"), shape))
    assert not found.errors
    assert found.groups[0].values.tolist() == expected


def test_columns_in_the_names_of_folders(tmp_path: Path) -> None:
    for year, place in ((2023, "a%20b"), (2024, "c"), (2024, "__HIVE_DEFAULT_PARTITION__")):
        folder = tmp_path / f"year={year}" / f"place={place}"
        folder.mkdir(parents=True)
        pq.write_table(table(2), folder / "part.parquet")
    source = pickle.loads(pickle.dumps(open_source(tmp_path)))
    assert [(field.name, str(field.type)) for field in source.schema][2:] == [("year", "int64"), ("place", "string")]
    found, _ = all_rows_of(source, 10)
    assert [(row["year"], row["place"], row["id"]) for row in found] == [
        (2023, "a b", 0), (2023, "a b", 1), (2024, None, 0), (2024, None, 1), (2024, "c", 0), (2024, "c", 1),
    ]  # fmt: skip
    assert all_rows_of(source, 10, ["year"])[0][-1] == {"year": 2024}
    assert all_rows_of(source, 10, ["year", "id"])[0][-1] == {"year": 2024, "id": 1}


def test_a_column_of_the_file_goes_before_the_folder(tmp_path: Path) -> None:
    (tmp_path / "id=7").mkdir()
    pq.write_table(table(2), tmp_path / "id=7" / "a.parquet")
    assert [row["id"] for row in all_rows_of(open_source(tmp_path), 10)[0]] == [0, 1]


def test_folders_that_differ(tmp_path: Path) -> None:
    for name in ("a=1", "b=1"):
        (tmp_path / name).mkdir()
        pq.write_table(table(2), tmp_path / name / "x.parquet")
    with pytest.raises(InputError, match="Folders name different columns"):
        open_source(tmp_path)


def test_files_that_differ_in_columns(tmp_path: Path) -> None:
    pq.write_table(table(2), tmp_path / "1.parquet")
    pq.write_table(table(2).select(["x", "id"]), tmp_path / "2.parquet")
    assert len(all_rows_of(open_source(tmp_path), 10)[0]) == 4
    pq.write_table(table(2).append_column("y", [[1, 2]]), tmp_path / "3.parquet")
    with pytest.raises(InputError, match=r"3\.parquet' has other columns than .*1\.parquet': .* y int64 instead of"):
        list(open_source(tmp_path).chunks(10))


@pytest.mark.parametrize("rows", [4, 100])
def test_damaged_files_are_named(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError, match=r"a\.parquet' is no Parquet file that can be read"):
        open_source(path)
    numbers = pa.table({"id": pa.array(np.random.default_rng(0).integers(0, 2**60, 2000))})
    pq.write_table(numbers, path, compression="zstd", use_dictionary=False)
    data = bytearray(path.read_bytes())
    data[40:4000] = bytes(3960)
    path.write_bytes(data)
    source = open_source(path)
    with pytest.raises(InputError, match=r"a\.parquet' cannot be read"):
        all_rows_of(source, rows * 100)


def test_no_rows(tmp_path: Path) -> None:
    pq.write_table(table(0), tmp_path / "a.parquet")
    assert all_rows_of(open_source(tmp_path), 10) == ([], {})
