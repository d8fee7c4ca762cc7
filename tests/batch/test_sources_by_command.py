"""``lite-delegate batch`` over each kind of source, from files to parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..commands import call

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="data sets are read by pyarrow")
onnx = pytest.importorskip("onnx", reason="the models are made by onnx")
ROWS = 30
WEIGHTS = np.arange(8, dtype=np.float32).reshape(4, 2)
X = np.random.default_rng(0).integers(-9, 9, (ROWS, 4)).astype(np.float32)


def saved(path: Path, nodes: list[Any], x: list[Any], z: list[Any], **tensors: Any) -> Path:
    floats, helper = onnx.TensorProto.FLOAT, onnx.helper
    inputs, outputs = ([helper.make_tensor_value_info(name, floats, dims)] for name, dims in (("x", x), ("z", z)))
    given = [onnx.numpy_helper.from_array(array, name) for name, array in tensors.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, given)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """z = x @ WEIGHTS for rows of 4."""
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["z"])
    return saved(tmp_path / "product.onnx", [node], ["N", 4], ["N", 2], w=WEIGHTS)


@pytest.fixture
def mean(tmp_path: Path) -> Path:
    """The mean of each plane of an image."""
    node = onnx.helper.make_node("ReduceMean", ["x"], ["z"], axes=[2, 3], keepdims=0)
    return saved(tmp_path / "mean.onnx", [node], ["N", 3, 4, 5], ["N", 3])


def batch(model: Path, source: object, *options: object) -> list[dict[str, Any]]:
    """The rows of the parts."""
    folder = model.parent / "out"
    call("batch", model, "--input", source, "--output", folder, "--workers", 1, "--chunk-rows", 16, *options)
    found: list[dict[str, Any]] = pq.read_table(folder).to_pylist()
    return found


def as_parquet(folder: Path) -> tuple[Path, list[str]]:
    (folder / "year=2024").mkdir(parents=True)
    pq.write_table(pa.table({"id": range(ROWS), "x": X.tolist()}), folder / "year=2024" / "a.parquet", row_group_size=7)
    return folder, ["id", "year"]


def as_arrow(folder: Path) -> tuple[Path, list[str]]:
    folder.mkdir()
    table = pa.table({"id": range(ROWS), "x": X.tolist()})
    with pa.OSFile(str(folder / "a.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=11)
    return folder, ["id"]


def as_npz(folder: Path) -> tuple[Path, list[str]]:
    folder.mkdir()
    np.savez(folder / "a.npz", x=np.asfortranarray(X.astype(">f8")), id=np.arange(ROWS))
    return folder / "a.npz", ["id"]


def as_csv(folder: Path) -> tuple[Path, list[str]]:
    folder.mkdir()
    lines = [f'{number},"{",".join("text")}",{",".join(str(int(v)) for v in X[number])}' for number in range(ROWS)]
    (folder / "a.csv").write_text("\r\n".join(["id,text,x1,x2,x3,x4", *lines]))
    return folder / "a.csv", ["id", "text"]


@pytest.mark.parametrize("write", [as_parquet, as_arrow, as_npz, as_csv])
def test_rows_of_numbers(tmp_path: Path, product: Path, write: Any) -> None:
    source, kept = write(tmp_path / "data")
    found = batch(product, source, *(["--map", "x=x*"] if write is as_csv else []))
    assert [row["id"] for row in found] == list(range(ROWS))
    assert {row["error"] for row in found} == {None}
    assert list(found[0]) == [*kept, "z", "error"]
    assert np.array_equal([row["z"] for row in found], X @ WEIGHTS)


def test_bad_rows_of_csv(tmp_path: Path, product: Path) -> None:
    (tmp_path / "a.csv").write_text('id,a,b,c,d\n0,1,2,3,4\n1,1,2,3\n2,1,x,3,4\n3,1,,3,4\n4,1,"2\n5,1.5,2,3,4\n')
    found = batch(product, tmp_path / "a.csv", "--map", "x=a,b,c,d")
    assert [(row["id"], row["error"]) for row in found] == [
        (0, None),
        (None, "the line has 4 values, expected 5"),
        (2, "column 'b' has 'x', expected double"),
        (3, "input 'x': column 'b' has no value"),
        (None, "a quote is not closed"),
        (5, None),
    ]
    assert np.array_equal(found[5]["z"], np.array([1.5, 2, 3, 4], np.float32) @ WEIGHTS)


def test_parts_are_a_source(tmp_path: Path, product: Path) -> None:
    """Outputs of open dimensions are structs of elements and shape, which another job reads."""
    node = onnx.helper.make_node("Abs", ["x"], ["z"])
    first = saved(tmp_path / "abs.onnx", [node], ["N", "M"], ["N", "M"])
    pq.write_table(pa.table({"x": X.tolist()}), tmp_path / "a.parquet")
    call("batch", first, "--input", tmp_path / "a.parquet", "--output", tmp_path / "first", "--workers", 1)
    assert str(pq.read_table(tmp_path / "first").schema.field("z").type).startswith("struct<data:")
    found = batch(product, tmp_path / "first", "--map", "x=z", "--save", "z=product", "--keep", "none")
    assert np.array_equal([row["product"] for row in found], np.abs(X) @ WEIGHTS)


def pictures(folder: Path) -> dict[str, Any]:
    """Pictures in a folder, by name; one is damaged."""
    image = pytest.importorskip("PIL.Image", reason="images are read by Pillow")
    arrays = {f"{kind}/{n}.png": np.full((8, 10, 3), (n, 2 * n, 9), np.uint8) for kind in "ab" for n in range(3)}
    for name, array in arrays.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        image.fromarray(array).save(folder / name)
    (folder / "a" / "2.png").write_bytes(b"no image")
    return arrays


def test_a_folder_of_images(tmp_path: Path, mean: Path) -> None:
    arrays = pictures(tmp_path / "data")
    (tmp_path / "p.toml").write_text('[x]\nscale = "1/255"\nmean = [0.5, 0.5, 0.5]\n')
    found = batch(mean, tmp_path / "data", "--preprocess", tmp_path / "p.toml")
    assert [row["file"] for row in found] == sorted(arrays)
    for row in found:
        if row["file"] == "a/2.png":
            assert row["error"] == "input 'x': has no image of a format that Pillow reads"
        else:
            assert row["z"] == pytest.approx(arrays[row["file"]][0, 0] / 255 - 0.5, abs=1e-6)
    again = call("batch", mean, "--input", tmp_path / "data", "--output", tmp_path / "out2", status=2)
    assert "Input 'x' (float32 [3, 4, 5]) gets no images as they are in files: say --preprocess" in again.stderr


def test_a_changed_preprocessing_is_another_job(tmp_path: Path, mean: Path) -> None:
    pictures(tmp_path / "data")
    (tmp_path / "p.toml").write_text("[x]\n")
    batch(mean, tmp_path / "data", "--preprocess", tmp_path / "p.toml")
    (tmp_path / "p.toml").write_text("[x]\nscale = 2\n")
    options = ["--input", tmp_path / "data", "--output", tmp_path / "out", "--preprocess", tmp_path / "p.toml"]
    assert "holds the results of another job" in call("batch", mean, *options, status=2).stderr


def test_a_function_over_encoded_images(tmp_path: Path, mean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = pictures(tmp_path / "data")
    rows = [{"bytes": (tmp_path / "data" / name).read_bytes(), "path": name} for name in arrays]
    pq.write_table(pa.table({"label": list(range(len(rows))), "image": rows}), tmp_path / "a.parquet")
    (tmp_path / "own.py").write_text(
        "def half(row):\n"
        "    assert row['label'] != 1, 'label 1'\n"
        "    return row['image'][::2, ::2].transpose(2, 0, 1)\n"
    )
    monkeypatch.chdir(tmp_path)
    found = batch(mean, "a.parquet", "--preprocess", "own:half")
    assert [row["label"] for row in found] == list(range(6))
    assert found[1]["error"] == "input 'x': own:half raised AssertionError: label 1"
    assert found[2]["error"] == "input 'x': column 'image' has no image of a format that Pillow reads"
    assert [row["z"] for row in found[3:]] == [[0, 0, 9], [1, 2, 9], [2, 4, 9]]
