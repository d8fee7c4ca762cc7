"""Arrays as columns of Arrow, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.rows.arrow_arrays import arrow_type, as_arrow
from lite_delegate.errors import InputError

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
ARRAYS = [
    np.arange(6, dtype=np.float16),
    np.arange(6, dtype=">i4").reshape(3, 2),
    np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
    np.array([[True, False], [False, False]]),
    np.array(["a", "bc"]),
    np.array([b"a", b"bc"]),
    np.zeros((2, 0), np.float32),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{list(array.shape)}")
def test_items_are_rows(array: Any) -> None:
    column = as_arrow(array)
    assert column.type == arrow_type(array.dtype, array.shape[1:], "x")
    expected = [each.decode() for each in array.tolist()] if array.dtype.kind == "S" else array
    flat = [np.asarray(each).reshape(-1).tolist() for each in expected]
    assert [np.asarray(each).reshape(-1).tolist() for each in column.to_pylist()] == flat


def test_missing_rows() -> None:
    column = as_arrow(np.ones((3, 2), np.float32), np.array([False, True, False]))
    assert column.to_pylist() == [[1.0, 1.0], None, [1.0, 1.0]]


@pytest.mark.parametrize("dtype", ["complex64", "longdouble", "M8[s]", [("a", "i4")]])
def test_refused_elements(dtype: Any) -> None:
    with pytest.raises(InputError, match=r"'x' has elements of .*, expected numbers, bool or strings"):
        arrow_type(np.dtype(dtype), (), "x")
