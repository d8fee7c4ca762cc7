"""Rows of all kinds through a worker, row by row against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from onnx import TensorProto, helper

from lite_delegate.errors import InputError
from tests.batch import marked_rows
from tests.batch.inline import InlineEngine, rows_in, run, write_graph, write_table


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return marked_rows.write_model(tmp_path / "m.onnx")


@pytest.mark.parametrize("count", [1, 7, 8, 9, 100])
def test_the_last_batch_is_padded_and_cut(model: Path, tmp_path: Path, count: int) -> None:
    rows = marked_rows.rows_of(count)
    source = marked_rows.write_rows(tmp_path / "x.parquet", list(rows))
    result = run(model, source, tmp_path / "out", rows=8, chunk_rows=32)
    assert marked_rows.faults_of(tmp_path / "out", rows, {}) == []
    assert (result.rows, result.errors, result.rows_run, result.parts) == (count, 0, count, -(-count // 32))


def test_bad_rows_are_errors_and_leave_their_batch_alone(model: Path, tmp_path: Path) -> None:
    rows = marked_rows.rows_of(50)
    given = [None if n % 11 == 3 else row[:3] if n % 7 == 2 else row for n, row in enumerate(rows)]
    bad = {n: "input 'x': " for n, row in enumerate(given) if row is None or len(row) == 3}
    source = marked_rows.write_rows(tmp_path / "x.parquet", given)
    result = run(model, source, tmp_path / "out", rows=8)
    assert marked_rows.faults_of(tmp_path / "out", rows, bad) == []
    assert result.errors == sum(result.reasons.values()) == len(bad)


def test_rows_of_several_shapes_are_grouped(tmp_path: Path) -> None:
    """``y = x + x`` over lists of several lengths, and the sum over each, whose shape the file fixes."""
    nodes = [helper.make_node("Add", ["x", "x"], ["y"]), helper.make_node("ReduceSum", ["x", "a"], ["s"], keepdims=1)]
    nodes.insert(0, helper.make_node("Constant", [], ["a"], value_ints=[1]))
    model = write_graph(tmp_path / "m.onnx", nodes, {"x": ["N", "L"]}, {"y": ["N", "L"], "s": ["N", 1]})
    rng = np.random.default_rng(0)
    lists = [rng.integers(0, 9, rng.integers(1, 6)).astype(np.float32).tolist() for _ in range(60)]
    run(model, write_table(tmp_path / "x.parquet", x=lists), tmp_path / "out", rows=4, chunk_rows=24)
    found = rows_in(tmp_path / "out")
    assert [row["y"] for row in found] == [{"data": [2 * v for v in each], "shape": [len(each)]} for each in lists]
    assert [row["s"] for row in found] == [[sum(each)] for each in lists]
    assert [row["error"] for row in found] == [None] * 60


def test_a_model_of_several_inputs_with_a_constant(tmp_path: Path) -> None:
    nodes = [helper.make_node("Mul", ["a", "c"], ["t"]), helper.make_node("Add", ["t", "b"], ["y"])]
    shapes = {"a": ["N", 2], "b": ["N", 2], "c": [2]}
    model = write_graph(tmp_path / "m.onnx", nodes, shapes, {"y": ["N", 2]})
    a, b = np.arange(20.0).reshape(10, 2).tolist(), np.arange(10).tolist()
    source = write_table(tmp_path / "x.parquet", a=a, b0=b, b1=b)
    constant = {"c": np.array([2, 3], np.float32)}
    run(model, source, tmp_path / "out", columns={"b": "b0,b1"}, constants=constant, rows=4)
    assert [row["y"] for row in rows_in(tmp_path / "out")] == [[p * 2 + n, q * 3 + n] for n, (p, q) in enumerate(a)]


def test_a_fixed_batch_of_the_file(tmp_path: Path) -> None:
    node = helper.make_node("Neg", ["x"], ["y"])
    model = write_graph(tmp_path / "m.onnx", [node], {"x": [3, 2]}, {"y": [3, 2]})
    x = np.arange(14.0).reshape(7, 2).tolist()
    result = run(model, write_table(tmp_path / "x.parquet", x=x), tmp_path / "out")
    assert [row["y"] for row in rows_in(tmp_path / "out")] == [[-p, -q] for p, q in x]
    assert result.model["batch"] == 3


def test_an_output_that_has_no_rows_is_refused_before_anything_runs(tmp_path: Path) -> None:
    nodes = [helper.make_node("Constant", [], ["a"], value_ints=[0, 1])]
    nodes.append(helper.make_node("ReduceSum", ["x", "a"], ["y"], keepdims=0))
    model = write_graph(tmp_path / "m.onnx", nodes, {"x": [3, 2]}, {"y": []})
    engine = InlineEngine()
    with pytest.raises(InputError, match=r"its first dimension is not the 3 rows of a batch"):
        run(model, write_table(tmp_path / "x.parquet", x=[[1.0, 2.0]] * 3), tmp_path / "out", engine)
    assert engine.tasks == []


def test_a_model_whose_rows_depend_on_each_other_takes_one_by_one(tmp_path: Path) -> None:
    nodes = [helper.make_node("Constant", [], ["a"], value_ints=[0])]
    nodes += [helper.make_node("ReduceSum", ["x", "a"], ["s"], keepdims=1), helper.make_node("Sub", ["x", "s"], ["y"])]
    model = write_graph(tmp_path / "m.onnx", nodes, {"x": ["N", 2]}, {"y": ["N", 2]})
    result = run(model, write_table(tmp_path / "x.parquet", x=[[1.0, 2.0], [5.0, 5.0]]), tmp_path / "out")
    assert [row["y"] for row in rows_in(tmp_path / "out")] == [[0.0, 0.0], [0.0, 0.0]]
    assert "rows run one by one" in " ".join(result.notes)


def test_integers_and_scalars(tmp_path: Path) -> None:
    node = helper.make_node("Mul", ["x", "x"], ["y"])
    model = write_graph(
        tmp_path / "m.onnx", [node], {"x": ["N"]}, {"y": ["N"]}, x=TensorProto.INT64, y=TensorProto.INT64
    )
    run(model, write_table(tmp_path / "v.parquet", x=list(range(40))), tmp_path / "out", rows=16)
    assert [row["y"] for row in rows_in(tmp_path / "out")] == [n * n for n in range(40)]


def test_excluded_rows_are_shown_to_no_code(model: Path, tmp_path: Path) -> None:
    from lite_delegate.batch.worker.job_order import Task

    rows = marked_rows.rows_of(30)
    source = marked_rows.write_rows(tmp_path / "x.parquet", list(rows))
    seen: list[tuple[int, int]] = []

    class Excluding(InlineEngine):
        def submit(self, task: Task) -> None:
            task = Task(task.chunk, ((3, "why"), (4, "why"), (29, "why")))
            seen.extend(self._runner._rows._windows((0, task.chunk.rows), dict(task.excluded)))
            super().submit(task)

    run(model, source, tmp_path / "out", Excluding(), rows=8)
    assert seen == [(0, 3), (5, 29)]
    assert marked_rows.faults_of(tmp_path / "out", rows, dict.fromkeys((3, 4, 29), "why")) == []


def test_a_damaged_row_group_is_an_error_of_its_rows_where_errors_are_allowed(model: Path, tmp_path: Path) -> None:
    """Three row groups of 200 rows; bytes in the middle of the second one are lost."""
    rows = marked_rows.rows_of(600)
    values = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rows.shape[1])
    source = tmp_path / "x.parquet"
    pq.write_table(
        pa.table({"id": np.arange(600), "x": values}),
        source,
        row_group_size=200,
        compression="zstd",
        use_dictionary=False,
    )
    column = pq.ParquetFile(source).metadata.row_group(1).column(1)
    data, start = bytearray(source.read_bytes()), column.data_page_offset
    data[start + 40 : start + column.total_compressed_size - 8] = bytes(column.total_compressed_size - 48)
    source.write_bytes(data)
    with pytest.raises(InputError, match=r"x\.parquet' cannot be read"):
        run(model, source, tmp_path / "stops", chunk_rows=200)
    with pytest.raises(InputError, match="200 rows have errors, more than the 10 allowed"):
        run(model, source, tmp_path / "few", chunk_rows=200, max_errors=10)
    result = run(model, source, tmp_path / "out", chunk_rows=200, max_errors=200)
    assert (result.rows, result.errors, list(result.reasons.values())) == (600, 200, [200])
    found = rows_in(tmp_path / "out")
    assert [row["id"] for row in found[:200] + found[400:]] == [*range(200), *range(400, 600)]
    assert all(f"'{source}' cannot be read" in row["error"] and row["y"] is None for row in found[200:400])
