"""Functions of the user that make columns of outputs, and rows that are whole inputs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import parquet  # noqa: E402

from lite_delegate.errors import InputError  # noqa: E402
from tests.batch.inline import run  # noqa: E402

ROWS = [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0]], [[0.5, 0.25], [2.0, 4.0]]]
"""Whole inputs with different numbers of steps."""
FUNCTIONS = """
def described(outputs):
    total = outputs["total"]
    if total[0] > 7.9:
        raise ArithmeticError("too much")
    return {"text": f"{total[0]:g} and {total[1]:g}", "steps": outputs["doubled"].shape[0]}

described.columns = {"text": "str", "steps": "int32"}

def stateless(outputs):
    return {}

def misses(outputs):
    return {"text": "x"}

misses.columns = {"text": "str", "score": "float32"}

def odd(outputs):
    return {"text": "x"}

odd.columns = {"text": "datetime64"}
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_columns.py").write_text(FUNCTIONS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_columns", raising=False)


def job(folder: Path, postprocess: str, **options: Any) -> list[dict[str, Any]]:
    """The rows of a job with a model that adds up the steps of a row, and doubles them."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["T", 2])
    y = helper.make_tensor_value_info("doubled", TensorProto.FLOAT, ["T", 2])
    z = helper.make_tensor_value_info("total", TensorProto.FLOAT, [2])
    nodes = [
        helper.make_node("Add", ["x", "x"], ["doubled"]),
        helper.make_node("ReduceSum", ["x", "axes"], ["total"], keepdims=0),
    ]
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [0])
    graph = helper.make_graph(nodes, "steps", [x], [y, z], [axes])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "m.onnx")
    parquet.write_table(pa.table({"id": range(3), "x": ROWS}), folder / "in.parquet")
    run(
        folder / "m.onnx",
        folder / "in.parquet",
        folder / "out",
        has_whole_inputs=True,
        postprocess=postprocess,
        **options,
    )
    found: list[dict[str, Any]] = parquet.read_table(folder / "out").to_pylist()
    return found


def test_rows_are_whole_inputs(tmp_path: Path) -> None:
    found = job(tmp_path, "")
    for each, row in zip(found, ROWS, strict=True):
        assert each["error"] is None
        doubled, total = each["doubled"], each["total"]
        assert doubled["shape"] == [len(row), 2]
        assert doubled["data"] == [2 * number for step in row for number in step]
        assert np.array(total["data"] if isinstance(total, dict) else total).tolist() == np.sum(row, 0).tolist()


@pytest.mark.usefixtures("functions")
def test_a_function_makes_the_columns(tmp_path: Path) -> None:
    assert job(tmp_path, "my_columns:described") == [
        {"id": 0, "text": None, "steps": None, "error": "'my_columns:described' failed: ArithmeticError: too much"},
        {"id": 1, "text": "7 and 8", "steps": 1, "error": None},
        {"id": 2, "text": "2.5 and 4.25", "steps": 2, "error": None},
    ]


@pytest.mark.usefixtures("functions")
def test_other_columns_than_stated_are_errors_of_rows(tmp_path: Path) -> None:
    (reason,) = {each["error"] for each in job(tmp_path, "my_columns:misses")}
    assert reason == "'my_columns:misses' must give ['score', 'text'], got ['text']."


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("my_columns:nothing", "--postprocess my_columns:nothing: 'my_columns' has no function 'nothing'"),
        ("no_such_module:f", "--postprocess no_such_module:f: module 'no_such_module' cannot be imported: ModuleNotF"),
        ("my_columns", "--postprocess my_columns: expected MODULE:FUNCTION."),
        (
            "my_columns:stateless",
            "'my_columns:stateless' must state the columns that it gives, as stateless",
        ),
        ("my_columns:odd", "'my_columns:odd': the column 'text' must be of 'str' or of numbers"),
    ],
)
def test_mistakes_in_functions_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        job(tmp_path, text)
    assert str(caught.value).startswith(message)


@pytest.mark.usefixtures("functions")
def test_outputs_are_either_saved_or_given_to_a_function(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--save chooses outputs, and --postprocess makes other columns"):
        job(tmp_path, "my_columns:described", save=("total",))


@pytest.mark.usefixtures("functions")
def test_another_function_of_the_same_name_is_another_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job(tmp_path, "my_columns:described")
    (tmp_path / "my_columns.py").write_text(FUNCTIONS.replace("7.9", "8.9"))
    monkeypatch.delitem(sys.modules, "my_columns")
    with pytest.raises(InputError, match="holds the results of another job: postprocess"):
        job(tmp_path, "my_columns:described")
