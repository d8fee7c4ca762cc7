"""Several columns side by side as one input."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.batch.rows.feed import ColumnFeed
from lite_delegate.batch.rows.row_type import RowType

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")


def test_columns_side_by_side_in_order() -> None:
    table = pa.table({"a": [1, 2, 3], "b": [0.5, None, 1.5], "c": [7, 8, 2**40 + 1]})
    feed = ColumnFeed(RowType("x", np.dtype("float32"), (3, 1)), ("c", "a", "b"))
    found = feed.values(table)["x"]
    assert found.errors == {1: "column 'b' has no value", 2: "column 'c' int64 loses something as float32"}
    (group,) = found.groups
    assert group.positions.tolist() == [0]
    assert group.values.tolist() == [[[7.0], [1.0], [0.5]]]


def test_all_rows_with_errors() -> None:
    table = pa.table({"a": pa.array([None, None], pa.int64()), "b": [1, 2]})
    found = ColumnFeed(RowType("x", np.dtype("float32"), (2,)), ("a", "b")).values(table)["x"]
    assert sorted(found.errors) == [0, 1]
    assert not found.groups


def test_a_column_of_several_chunks() -> None:
    column = pa.chunked_array([pa.array([[1, 2]]), pa.array([[3, 4], [5, 6]])])
    (group,) = ColumnFeed(RowType("x", np.dtype("int64"), (2,)), ("a",)).values(pa.table({"a": column}))["x"].groups
    assert group.values.tolist() == [[1, 2], [3, 4], [5, 6]]
