"""Which columns become which inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.rows.input_columns import input_columns, why_not
from lite_delegate.batch.rows.row_type import RowType
from lite_delegate.errors import InputError

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
X = RowType("x", np.dtype("float32"), (2,))
SHAPED = pa.struct([("data", pa.list_(pa.float32())), ("shape", pa.list_(pa.int32()))])


def schema(**kinds: Any) -> Any:
    return pa.schema(list(kinds.items()))


def test_patterns_are_in_the_order_of_the_source() -> None:
    table = schema(id=pa.int64(), c2=pa.float64(), c1=pa.float64())
    assert input_columns([X], table, {"x": "c*"}) == {"x": ("c2", "c1")}
    assert input_columns([X], table, {"x": "c1,c2"}) == {"x": ("c1", "c2")}


def test_the_only_column_that_fits() -> None:
    assert input_columns([X], schema(id=pa.int64(), v=pa.list_(pa.float32())), {}) == {"x": ("v",)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"y": "c"}, "--map y=...: the inputs from rows are 'x'"),
        ({"x": "cc*"}, "no column 'cc\\*'"),
        ({"x": "id"}, "'id': a row has \\[\\], expected float32 \\[2\\]"),
        ({"x": "t"}, "'t': it has string, expected float32"),
        ({"x": "id,c,d"}, "takes float32 \\[2\\], got 3 columns"),
        ({}, "has no column of its name; say --map x=COLUMN"),
    ],
)
def test_refusals(given: dict[str, str], said: str) -> None:
    table = schema(id=pa.int64(), c=pa.int64(), d=pa.int64(), t=pa.string())
    with pytest.raises(InputError, match=said):
        input_columns([X], table, given)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (SHAPED, ""),
        (pa.list_(pa.list_(pa.decimal128(5, 2))), ""),
        (pa.list_(pa.dictionary(pa.int8(), pa.float32())), ""),
        (pa.fixed_shape_tensor(pa.float16(), (2,)), ""),
        (pa.list_(pa.int8(), 2), ""),
        (pa.binary(), ""),
        (pa.binary(8), ""),
        (
            pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
            "it has encoded images; say --preprocess FILE.toml",
        ),
        (pa.binary(9), "it has 9 bytes a row, expected float32 [2]"),
        (pa.fixed_shape_tensor(pa.float16(), (3,)), "a row has [3], expected float32 [2]"),
        (pa.fixed_shape_tensor(pa.float32(), (1, 2), permutation=[1, 0]), "it has tensors with permuted dimensions"),
        (pa.struct([("a", pa.int64())]), "it has struct<a: int64>, expected float32 [2]"),
        (pa.timestamp("s"), "it has timestamp[s], expected float32 [2]"),
    ],
)
def test_types(kind: Any, said: str) -> None:
    found = why_not(kind, X)
    assert found == said or (said and found.startswith(said))
