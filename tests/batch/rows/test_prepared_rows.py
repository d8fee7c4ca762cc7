"""The rows of a table as arrays for all inputs, against a plain loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.batch.rows.feed import ColumnFeed
from lite_delegate.batch.rows.prepared_rows import prepared_rows
from lite_delegate.batch.rows.row_type import RowType

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
LISTS = st.none() | st.lists(st.integers(0, 9), max_size=3)


@given(st.lists(st.tuples(LISTS, LISTS, st.none() | st.integers(0, 9)), max_size=10), st.sets(st.integers(0, 12)))
def test_groups_have_all_inputs_of_each_row(rows: list[tuple[Any, ...]], unread: set[int]) -> None:
    kinds = (pa.list_(pa.int64()), pa.list_(pa.int64()), pa.int64())
    table = pa.table({n: pa.array([row[i] for row in rows], kinds[i]) for i, n in enumerate("abc")})
    shapes: Mapping[str, tuple[int | None, ...]] = {"a": (None,), "b": (None,), "c": ()}
    feeds = [ColumnFeed(RowType(name, np.dtype("int64"), shape), (name,)) for name, shape in shapes.items()]
    bad = {row: "unread" for row in unread if row < len(rows)}
    found = prepared_rows(table, feeds, bad)
    made: dict[int, Any] = {}
    for group in found.groups:
        assert group.positions.tolist() == sorted(group.positions.tolist())
        for at, row in enumerate(group.positions.tolist()):
            made[row] = tuple(group.arrays[name][at].tolist() for name in "abc")
    good = {row: each for row, each in enumerate(rows) if None not in each and row not in bad}
    assert made == good
    assert sorted(found.errors) == [row for row in range(len(rows)) if row not in good]
    for row, reason in found.errors.items():
        first = next((name for name, value in zip("abc", rows[row], strict=True) if value is None), "")
        assert reason == ("unread" if row in bad else f"input '{first}': has no value")
