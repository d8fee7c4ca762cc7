"""Two models over a data set: distances, classes and labels, against loops by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import parquet  # noqa: E402

from lite_delegate.batch import BatchOptions, CoreRecipe  # noqa: E402
from lite_delegate.batch.comparing.compare_rows import CompareRows, compare_rows  # noqa: E402
from lite_delegate.batch.comparing.data_comparison import (  # noqa: E402
    DataComparison,
    comparison_markdown,
    comparison_text,
)
from lite_delegate.batch.models.compared_model import row_distances  # noqa: E402
from lite_delegate.errors import InputError  # noqa: E402
from tests.batch.inline import InlineEngine  # noqa: E402

ROWS, WIDTH, CLASSES = 11, 4, 3
RIGHT = np.random.default_rng(0).normal(size=(WIDTH, CLASSES)).astype(np.float32)
WRONG = RIGHT + np.random.default_rng(1).normal(size=(WIDTH, CLASSES), scale=0.4).astype(np.float32)
X = np.random.default_rng(2).normal(size=(ROWS, WIDTH)).astype(np.float32)
LABELS = (X @ RIGHT).argmax(1)


def product(path: Path, weights: Any) -> Path:
    """A model of one product."""
    shapes: list[tuple[str, list[str | int | None]]] = [("x", ["N", WIDTH]), ("y", ["N", CLASSES])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in shapes)
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "product", [x], [y], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def compared(folder: Path, wrong: Any = WRONG, **asked: Any) -> DataComparison:
    """The comparison of two products, with a row that has no value."""
    rows = [*X.tolist(), None]
    table = pa.table(
        {"id": range(ROWS + 1), "right": [*LABELS.tolist(), 0], "x": pa.array(rows, pa.list_(pa.float32()))}
    )
    parquet.write_table(table, folder / "in.parquet")
    model, reference = (
        CoreRecipe(product(folder / f"{name}.onnx", weights), "CPU", {})
        for name, weights in (("wrong", wrong), ("right", RIGHT))
    )
    options = BatchOptions(chunk_rows=4, rows=4)
    source, wanted = folder / "in.parquet", CompareRows(**asked)
    return compare_rows(model, reference, source, folder / "out", options, InlineEngine(), wanted)


def _ratio(got: Any, want: Any) -> float:
    """The signal-to-noise ratio of a row in dB, element by element."""
    signal, noise = sum(w * w for w in want), sum((g - w) ** 2 for g, w in zip(got, want, strict=True))
    return 20 * math.log10(math.sqrt(signal) / math.sqrt(noise))


def test_distances_and_classes_are_those_of_a_loop(tmp_path: Path) -> None:
    found = compared(tmp_path, label="right", worst=3)
    got, want = X @ WRONG, X @ RIGHT
    ratios = [
        20
        * math.log10(
            math.sqrt(sum(w * w for w in row)) / math.sqrt(sum((g - w) ** 2 for g, w in zip(other, row, strict=True)))
        )
        for other, row in zip(got.astype(float), want.astype(float), strict=True)
    ]
    (output,) = found.outputs
    assert output.max_abs == pytest.approx(np.abs(got - want).max(), rel=1e-5)
    assert output.least_snr_db == pytest.approx(min(ratios), abs=1e-3)
    assert output.median_snr_db == pytest.approx(sorted(ratios)[ROWS // 2], abs=1e-3)
    assert output.agreement == output.accuracy == (got.argmax(1) == LABELS).mean() < 1
    assert output.reference_accuracy == 1
    assert (found.rows, found.errors, found.reasons) == (ROWS + 1, 1, {"input 'x': has no value": 1})
    assert [each.row for each in found.worst] == np.argsort(ratios)[:3].tolist()
    assert found.worst[0].kept == {"id": found.worst[0].row, "right": LABELS[found.worst[0].row]}


def test_the_inputs_of_the_worst_rows_are_saved(tmp_path: Path) -> None:
    found = compared(tmp_path, worst=2, save=tmp_path / "worst")
    for each in found.worst:
        with np.load(each.file) as file:
            np.testing.assert_array_equal(file["x"], X[each.row][None])
    listed = json.loads((tmp_path / "worst" / "rows.json").read_text())
    assert [each["row"] for each in listed] == [each.row for each in found.worst]


def test_equal_models_have_no_worst_rows(tmp_path: Path) -> None:
    found = compared(tmp_path, RIGHT)
    assert found.worst == ()
    assert (found.outputs[0].max_abs, found.outputs[0].least_snr_db, found.outputs[0].agreement) == (0, math.inf, 1)


def test_labels_are_a_column_of_integers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--label rigth: the source has no such column\. Did you mean 'right'\?$"):
        compared(tmp_path, label="rigth")
    with pytest.raises(InputError, match="--label x: expected a column of integers"):
        compared(tmp_path, label="x")


def test_forms_have_the_answer(tmp_path: Path) -> None:
    found = compared(tmp_path, label="right", worst=1)
    for form in (comparison_text(found), comparison_markdown(found)):
        assert f"{ROWS} rows of wrong.onnx" in form
        assert "1 x input 'x': has no value" in form
        assert "100.00%" in form
    assert found.to_dict()["outputs"][0]["reference_accuracy"] == 1


@pytest.mark.parametrize(
    ("got", "want", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0], (0.0, 0.0, math.inf)),
        ([1.0, 3.0], [1.0, 2.0], (1.0, math.sqrt(0.5), 20 * math.log10(math.sqrt(5)))),
        ([math.nan, 1.0], [math.nan, 1.0], (0.0, 0.0, math.inf)),
        ([math.inf, 1.0], [1.0, 1.0], (math.inf, math.inf, -math.inf)),
        ([1.0], [0.0], (1.0, 1.0, -math.inf)),
        ([], [], (0.0, 0.0, math.inf)),
        ([math.inf], [math.inf], (0.0, 0.0, math.inf)),
    ],
)
def test_distances_of_a_row(got: list[float], want: list[float], expected: tuple[float, ...]) -> None:
    assert row_distances(np.array(got), np.array(want)) == pytest.approx(expected)
