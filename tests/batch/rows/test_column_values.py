"""The values of columns, against a plain loop over Python values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.batch.rows.column_values import (
    NO_ELEMENT,
    NO_VALUE,
    RAGGED,
    ColumnValues,
    array_values,
    column_values,
)
from lite_delegate.batch.rows.row_type import RowType

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
INTEGERS = {"int8": pa.int8(), "uint8": pa.uint8(), "int32": pa.int32(), "int64": pa.int64(), "uint64": pa.uint64()}


def by_row(found: ColumnValues) -> dict[int, Any]:
    """The value of each row as nested lists, or its reason."""
    rows: dict[int, Any] = dict(found.errors)
    for group in found.groups:
        assert list(group.positions) == sorted(group.positions)
        for row, value in zip(group.positions.tolist(), group.values, strict=True):
            assert row not in rows
            rows[row] = np.asarray(value).tolist()
    return dict(sorted(rows.items()))


def has_none(value: Any) -> bool:
    return any(map(has_none, value)) if isinstance(value, list) else value is None


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of nested lists; None for lists of different lengths."""
    if not isinstance(value, list):
        return ()
    if not value:
        return (0,)
    shapes = {shape_of(each) for each in value}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(value), *inner)


def flat(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in flat(each)] if isinstance(value, list) else [value]


def plain(column: Any, wanted: RowType) -> dict[int, Any]:
    """The value or the reason of each row, one by one."""
    rows: dict[int, Any] = {}
    for row, value in enumerate(column.to_pylist()):
        shape = shape_of(value)
        if value is None:
            rows[row] = NO_VALUE
        elif has_none(value):
            rows[row] = NO_ELEMENT
        elif shape is None:
            rows[row] = RAGGED
        else:
            rows[row] = plain_value(flat(value), shape, wanted)
    return rows


def plain_value(leaves: list[Any], shape: tuple[int, ...], wanted: RowType) -> Any:
    if len(shape) > 1:
        while len(shape) > len(wanted.shape) and shape[0] == 1:
            shape = shape[1:]
        fits = len(shape) == len(wanted.shape) and all(w in (None, d) for w, d in zip(wanted.shape, shape, strict=True))
    else:
        known = int(np.prod([dim for dim in wanted.shape if dim is not None]))
        left = wanted.shape.count(None)
        fits = left < 2 and (len(leaves) % known == 0 if left and known else not left and len(leaves) == known)
        shape = tuple(len(leaves) // known if dim is None else dim for dim in wanted.shape) if fits else ()
    if not fits:
        return "does not fit"
    with np.errstate(all="ignore"):
        array = np.array(leaves, dtype=np.float64 if any(isinstance(v, float) for v in leaves) else object)
        if wanted.dtype.kind in "iu":
            limits = np.iinfo(wanted.dtype)
            if not all(limits.min <= value <= limits.max for value in leaves):
                return "loses"
        elif array.dtype == object and any(int(wanted.dtype.type(value)) != value for value in leaves):
            return "loses"
        return array.astype(wanted.dtype).reshape(shape).tolist()


def alike(found: Any, expected: Any) -> bool:
    if expected == "does not fit":
        return isinstance(found, str) and found.startswith("expected ")
    if expected == "loses":
        return isinstance(found, str) and " loses something as " in found
    return bool(found == expected)


@st.composite
def columns(draw: st.DrawFn) -> Any:
    """A column of numbers or of lists of up to three levels, with missing values on each of them; perhaps a slice."""
    name = draw(st.sampled_from(["int8", "uint8", "int32", "int64", "uint64", "float32"]))
    if name == "float32":
        kind, leaf = pa.float32(), st.floats(width=32, allow_nan=False)
    else:
        limits, kind = np.iinfo(name), INTEGERS[name]
        small = st.integers(max(-3, int(limits.min)), 3)
        leaf = st.one_of(small, st.sampled_from([int(limits.min), int(limits.max)]))
    values: st.SearchStrategy[Any] = maybe(draw, leaf)
    for _ in range(draw(st.integers(0, 3))):
        size = draw(st.integers(0, 3))
        form = draw(st.sampled_from(["list", "large", "fixed"]))
        if form == "fixed":
            kind = pa.list_(kind, size)
            values = st.lists(values, min_size=size, max_size=size)
        else:
            kind = pa.list_(kind) if form == "list" else pa.large_list(kind)
            is_uniform = draw(st.booleans())
            values = st.lists(values, min_size=size if is_uniform else 0, max_size=size)
        values = maybe(draw, values)
    rows = draw(st.lists(values, max_size=8))
    return pa.array(rows, kind).slice(draw(st.integers(0, 3)), draw(st.integers(0, 8)))


def maybe(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values) if draw(st.integers(0, 3)) == 0 else values


SHAPES = st.sampled_from([(), (1,), (2,), (None,), (2, 2), (2, None), (1, 2, 3), (None, None), (3, None, 2), (0,)])


@settings(max_examples=500, deadline=None)
@given(columns(), SHAPES, st.sampled_from(["float32", "float64", "int8", "uint8", "int64", "uint64"]))
def test_columns_of_numbers_and_lists(column: Any, shape: tuple[int | None, ...], dtype: str) -> None:
    wanted = RowType("x", np.dtype(dtype), shape)
    if pa.types.is_floating(leaf_of(column.type)) and wanted.dtype.kind != "f":
        return
    found, expected = by_row(column_values(column, wanted)), plain(column, wanted)
    assert list(found) == list(expected)
    for row, value in expected.items():
        assert alike(found[row], value), (row, found[row], value)


def leaf_of(kind: Any) -> Any:
    while hasattr(kind, "value_type"):
        kind = kind.value_type
    return kind


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1.5, None], pa.float64(), {0: 1.5, 1: NO_VALUE}),
        ([True, False], pa.bool_(), {0: 1.0, 1: 0.0}),
        ([2**24 + 1, 3], pa.int64(), {0: "int64 loses something as float32", 1: 3.0}),
        ([[1.5]], pa.list_(pa.float16()), {0: 1.5}),
    ],
)
def test_numbers(values: list[Any], kind: Any, expected: dict[int, Any]) -> None:
    assert by_row(column_values(pa.array(values, kind), RowType("x", np.dtype("float32"), ()))) == expected


def test_decimals_and_dictionaries() -> None:
    from decimal import Decimal

    wanted = RowType("x", np.dtype("float32"), ())
    decimals = pa.array([Decimal("1.25"), None], pa.decimal128(5, 2))
    assert by_row(column_values(decimals, wanted)) == {0: 1.25, 1: NO_VALUE}
    encoded = pa.array([7.0, 8.0, 7.0]).dictionary_encode()
    assert by_row(column_values(encoded, wanted)) == {0: 7.0, 1: 8.0, 2: 7.0}
    inside = pa.ListArray.from_arrays(pa.array([0, 2, 3]), encoded)
    assert by_row(column_values(inside, RowType("x", np.dtype("float32"), (None,)))) == {0: [7.0, 8.0], 1: [7.0]}


def test_strings() -> None:
    wanted = RowType("x", np.dtype(object), ())
    assert by_row(column_values(pa.array(["a", None, "b"]), wanted)) == {0: "a", 1: NO_VALUE, 2: "b"}
    found = by_row(column_values(pa.array([1, 2]), wanted))
    assert found == dict.fromkeys(range(2), "expected strings [], got int64")


def test_fixed_shape_tensors_keep_their_shape() -> None:
    array = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    column = pa.FixedShapeTensorArray.from_numpy_ndarray(array)
    assert by_row(column_values(column, RowType("x", np.dtype("float32"), (2, 3)))) == dict(enumerate(array.tolist()))
    found = by_row(column_values(column, RowType("x", np.dtype("float32"), (3, 2))))
    assert found[0] == "expected float32 [3, 2], got float32 [2, 3]"


def test_structs_of_elements_and_shape() -> None:
    kind = pa.struct([("data", pa.list_(pa.float32())), ("shape", pa.list_(pa.int32()))])
    values = [
        {"data": [1, 2, 3, 4], "shape": [2, 2]},
        None,
        {"data": [1, 2, 3, 4, 5, 6], "shape": [3, 2]},
        {"data": [1, 2, 3], "shape": [2, 2]},
        {"data": None, "shape": [1]},
        {"data": [5, 6, 7, 8], "shape": [2, 2]},
        {"data": [1, None], "shape": [1, 2]},
    ]
    expected = {
        1: NO_VALUE,
        2: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        3: "has 3 elements and the shape [2, 2]",
        4: NO_ELEMENT,
        5: [[5.0, 6.0], [7.0, 8.0]],
        6: NO_ELEMENT,
    }
    wanted = RowType("x", np.dtype("float32"), (None, 2))
    assert by_row(column_values(pa.array(values, kind), wanted)) == {0: [[1.0, 2.0], [3.0, 4.0]], **expected}
    sliced = {row - 1: value for row, value in expected.items()}
    assert by_row(column_values(pa.array(values, kind).slice(1), wanted)) == sliced


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(8)])
def test_bytes_of_tensors(kind: Any) -> None:
    values = [np.array(pair, np.float32).tobytes() for pair in ([1, 2], [3, 4], [5, 6])]
    column = pa.array([values[0], None, values[1], values[2]], kind).slice(1)
    found = by_row(column_values(column, RowType("x", np.dtype("float32"), (2,))))
    assert found == {0: NO_VALUE, 1: [3.0, 4.0], 2: [5.0, 6.0]}


def test_bytes_of_another_length_say_what_they_are() -> None:
    column = pa.array([b"\x89PNG\r\n\x1a\n1234", b"12345", b"12345678"])
    assert by_row(column_values(column, RowType("x", np.dtype("float32"), (2,)))) == {
        0: "expected float32 [2], got 12 bytes of a PNG image; say --preprocess",
        1: "expected float32 [2], got 5 bytes",
        2: np.frombuffer(b"12345678", np.float32).tolist(),
    }


def test_a_uniform_column_is_not_copied() -> None:
    array = np.arange(32, dtype=np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(array), 4).slice(2)
    (group,) = column_values(column, RowType("x", np.dtype("float32"), (2, 2))).groups
    assert np.shares_memory(group.values, array)


def test_arrays_by_row_are_grouped_by_shape_whatever_their_types() -> None:
    arrays = [np.zeros((1, 2), np.uint8), np.ones((2, 2)), "why", np.full((1, 2), 7.0), np.array([None])]
    found = array_values(arrays, RowType("x", np.dtype("float32"), (None, 2)))
    assert by_row(found) == {
        0: [[0.0, 0.0]],
        1: [[1.0, 1.0], [1.0, 1.0]],
        2: "why",
        3: [[7.0, 7.0]],
        4: "expected float32 [?, 2], got object [1]",
    }
    assert len(found.groups) == 2
