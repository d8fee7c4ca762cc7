"""Writing representative samples: rows of a data set, at even distances, as inputs of a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import InputError
from lite_delegate.demo import load_test_set, model_path

from ..commands import call as run_command

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="data sets are read by pyarrow")
pytest.importorskip("onnx", reason="the models are made by onnx")

from lite_delegate.batch import write_samples  # noqa: E402 - needs pyarrow

from .inline import write_graph, write_table  # noqa: E402 - needs pyarrow

ROWS = 1000
DELEGATE = "tests.runtime.planning.samples.eight_bit:EightBitDelegate"


def call(*arguments: object) -> str:
    """What a command prints."""
    return run_command(*arguments).stdout


def fails(*arguments: object) -> str:
    """The line of a command that fails."""
    (line,) = run_command(*arguments, status=2).stderr.splitlines()
    return line


def arrays(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as found:
        return dict(found)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """z = x * gain, for any number of rows of 3."""
    from onnx import helper

    nodes = [helper.make_node("Mul", ["x", "gain"], ["z"])]
    return write_graph(tmp_path / "m.onnx", nodes, {"x": ["N", 3], "gain": [1]}, {"z": ["N", 3]})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Rows of three equal numbers, which are the row's own number."""
    return write_table(tmp_path / "rows.parquet", 64, x=[[float(row)] * 3 for row in range(ROWS)])


def test_samples_lie_at_even_distances(tmp_path: Path, model: Path, table: Path) -> None:
    found = write_samples(model, table, tmp_path / "s.npz", count=10, constants={"gain": 2})
    assert (found.count, found.rows, found.left_out) == (10, ROWS, {})
    made = arrays(tmp_path / "s.npz")
    assert made["x"].shape == (10, 1, 3)
    assert made["x"].dtype == np.float32
    np.testing.assert_array_equal(made["x"][:, 0, 0], np.arange(50, ROWS, 100))
    np.testing.assert_array_equal(made["gain"], np.full((10, 1), 2, np.float32))


def test_of_few_rows_all_are_samples(tmp_path: Path, model: Path) -> None:
    rows = write_table(tmp_path / "few.parquet", x=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    write_samples(model, rows, tmp_path / "s.npz", constants={"gain": 2})
    np.testing.assert_array_equal(arrays(tmp_path / "s.npz")["x"], [[[1, 2, 3]], [[4, 5, 6]]])


def test_rows_that_cannot_be_read_are_left_out(tmp_path: Path, model: Path) -> None:
    rows = write_table(tmp_path / "bad.parquet", x=[[1.0, 2.0, 3.0], [4.0], None])
    found = write_samples(model, rows, tmp_path / "s.npz", constants={"gain": 2})
    assert found.count == 1
    assert sum(found.left_out.values()) == 2
    assert any("has no value" in reason for reason in found.left_out)


def test_rows_of_other_shapes_are_left_out(tmp_path: Path) -> None:
    from onnx import helper

    nodes = [helper.make_node("Relu", ["x"], ["z"])]
    model = write_graph(tmp_path / "m.onnx", nodes, {"x": ["N", "L"]}, {"z": ["N", "L"]})
    rows = write_table(tmp_path / "open.parquet", x=[[1.0], [1.0, 2.0], [3.0, 4.0]])
    found = write_samples(model, rows, tmp_path / "s.npz")
    assert found.left_out == {"has another shape than most rows": 1}
    np.testing.assert_array_equal(arrays(tmp_path / "s.npz")["x"], [[[1, 2]], [[3, 4]]])


def test_whole_inputs_have_no_dimension_for_rows(tmp_path: Path) -> None:
    from onnx import helper

    nodes = [helper.make_node("Relu", ["x"], ["z"])]
    model = write_graph(tmp_path / "m.onnx", nodes, {"x": [2]}, {"z": [2]})
    rows = write_table(tmp_path / "rows.parquet", x=[[1.0, 2.0], [3.0, 4.0]])
    write_samples(model, rows, tmp_path / "s.npz", has_whole_inputs=True)
    np.testing.assert_array_equal(arrays(tmp_path / "s.npz")["x"], [[1, 2], [3, 4]])


def test_no_row_is_an_error_and_leaves_no_file(tmp_path: Path, model: Path) -> None:
    rows = write_table(tmp_path / "bad.parquet", x=[[4.0], [5.0]])
    with pytest.raises(InputError, match="None of 2 rows can be a sample: input 'x'"):
        write_samples(model, rows, tmp_path / "s.npz", constants={"gain": 2})
    assert not (tmp_path / "s.npz").exists()
    with pytest.raises(InputError, match="count must be at least 1, got 0"):
        write_samples(model, rows, tmp_path / "s.npz", count=0)


def test_by_command_from_rows_to_a_quantized_layer(tmp_path: Path) -> None:
    images, _ = load_test_set()
    pixels = images.reshape(len(images), -1)
    rows = write_table(tmp_path / "digits.parquet", ink=list(pixels))
    path = tmp_path / "samples.npz"
    said = call("samples", model_path(), "--input", rows, "--map", "image=ink", "--count", 40, "-o", path)
    assert said.splitlines()[-1] == f"{path}: 40 samples of {len(images)} rows"
    report = call("report", model_path(), "--delegate", DELEGATE, "--samples", path)
    assert "1 of 11 kernels" in report
    assert "asks for 100 representative samples" in report
    without = call("report", model_path(), "--delegate", DELEGATE)
    assert "its ranges need samples" in without
    assert "--samples FILE.npz" in without


def test_mistakes_are_one_line(tmp_path: Path, model: Path, table: Path) -> None:
    out = tmp_path / "s.npz"
    assert "has no column" in fails(
        "samples", model, "--input", table, "--map", "x=y", "--constant", "gain=2", "-o", out
    )
    assert "absent.parquet" in fails("samples", model, "--input", tmp_path / "absent.parquet", "-o", out)
    assert "SAMPLES image: cannot read" in fails(
        "report", model_path(), "--delegate", DELEGATE, "--samples", tmp_path / "absent.npz"
    )


def test_a_job_is_another_one_with_other_samples(tmp_path: Path) -> None:
    images, _ = load_test_set()
    rows = write_table(tmp_path / "digits.parquet", image=list(images[:20].reshape(20, -1)))
    path = tmp_path / "samples.npz"
    call("samples", model_path(), "--input", rows, "-o", path)
    job = ("batch", model_path(), "--input", rows, "--output", tmp_path / "out", "--workers", 1, "--delegate", DELEGATE)
    assert "20 rows in" in call(*job, "--samples", path)
    write_samples(model_path(), rows, path, count=5)
    assert "another job" in fails(*job, "--samples", path)
