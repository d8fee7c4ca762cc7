"""A function of the user as the giver of values."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.preprocessing.function_feed import FunctionFeed, function_feed
from lite_delegate.batch.rows.row_type import RowType
from lite_delegate.errors import InputError

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
pytest.importorskip("PIL.Image", reason="images are read by Pillow")

from .pictures import encoded, picture  # noqa: E402

SOURCE = """
import numpy as np
seen = []

def one(row):
    seen.append(row)
    return [row["a"], 10 / row["a"]]

def two(row):
    return {"x": np.full(2, row["a"]), "y": row["v"].sum(), "more": 0}

def swapped(row):
    return {"x": [1, 2], "yy": 1}
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "own_rows.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    import importlib

    importlib.invalidate_caches()
    yield lambda: sys.modules["own_rows"]
    sys.modules.pop("own_rows", None)


X, Y = RowType("x", np.dtype("float32"), (2,)), RowType("y", np.dtype("int64"), ())


def feed(name: str, inputs: tuple[RowType, ...], table: Any, images: tuple[str, ...] = ()) -> FunctionFeed:
    found: FunctionFeed = pickle.loads(
        pickle.dumps(function_feed(f"own_rows:{name}", inputs, table.column_names, images))
    )
    return found


def test_an_array_for_the_only_input(module: Any) -> None:
    table = pa.table({"a": [1, 0, 4]})
    found = feed("one", (X,), table).values(table)["x"]
    assert found.errors == {1: "own_rows:one raised ZeroDivisionError: division by zero"}
    (group,) = found.groups
    assert group.positions.tolist() == [0, 2]
    assert group.values.tolist() == [[1.0, 10.0], [4.0, 2.5]]


def test_a_dict_for_several_inputs(module: Any) -> None:
    table = pa.table({"a": [1.5, 2.5], "v": [[1, 2], [3]]})
    found = feed("two", (X, Y), table).values(table)
    assert found["x"].groups[0].values.tolist() == [[1.5, 1.5], [2.5, 2.5]]
    assert found["y"].groups[0].values.tolist() == [3, 3]


def test_answers_that_do_not_fit(module: Any) -> None:
    table = pa.table({"a": [1]})
    said = feed("swapped", (X, Y), table).values(table)["y"].errors
    assert said == {0: "own_rows:swapped returned no 'y'. Did you mean 'yy'?"}
    assert feed("one", (X, Y), table).values(table)["x"].errors == {
        0: "own_rows:one returned list, expected a dict with x, y"
    }
    wide = RowType("x", np.dtype("float32"), (3,))
    assert feed("one", (wide,), table).values(table)["x"].errors == {0: "expected float32 [3], got float64 [2]"}


def test_rows_are_plain_values(module: Any) -> None:
    array = picture(4, 5)
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(6.0).reshape(1, 2, 3))
    struct = pa.array([{"bytes": encoded(array), "path": None}])
    shaped = pa.array([{"data": [1, 2], "shape": [2, 1]}])
    columns = {
        "a": [5],
        "t": ["text"],
        "l": [[1.0, 2.0]],
        "n": [[[1], [2]]],
        "g": tensors,
        "b": [b"\0"],
        "none": [None],
    }
    table = pa.table({**columns, "image": [encoded(array)], "struct": struct, "shaped": shaped})
    feed("one", (X,), table, ("image", "struct")).values(table)
    (row,) = module().seen
    assert (row["a"], row["t"], row["b"], row["none"]) == (5, "text", b"\0", None)
    assert isinstance(row["l"], np.ndarray)
    assert row["l"].tolist() == [1.0, 2.0]
    assert row["n"].tolist() == [[1], [2]]
    assert row["g"].tolist() == np.arange(6.0).reshape(2, 3).tolist()
    assert row["shaped"].tolist() == [[1], [2]]
    for name in ("image", "struct"):
        assert row[name].dtype == np.uint8
        assert row[name].tolist() == array.tolist()


def test_an_image_that_cannot_be_read_is_an_error_of_its_row(module: Any) -> None:
    table = pa.table({"a": [1, 2], "image": [b"none", encoded(picture(2, 2))]})
    found = feed("one", (X,), table, ("image",)).values(table)["x"]
    assert found.errors == {0: "column 'image' has no image of a format that Pillow reads"}


def test_the_source_of_the_function_is_a_fact(module: Any, tmp_path: Path) -> None:
    table = pa.table({"a": [1]})
    before = feed("one", (X,), table).facts
    assert before["preprocess"] == "own_rows:one"
    (tmp_path / "own_rows.py").write_text(SOURCE + "\n# changed\n")
    assert feed("one", (X,), table).facts != before


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("own_rows:on", "'own_rows' has no function 'on'. Did you mean 'one'"),
        ("own_rows:seen", "'own_rows' has no function 'seen'"),
        ("own_rowz:one", "module 'own_rowz' cannot be imported: ModuleNotFoundError"),
    ],
)
def test_refusals(module: Any, spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        function_feed(spec, [X], ["a"], [])
