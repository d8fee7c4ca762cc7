"""Files beside an ONNX model that it names, found past the contents of its own large tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from lite_delegate.formats.external_files import external_files

WORD = b"\x0a\x08location\x12\x05w.bin"
"""How a file that names w.bin does."""


def _written(folder: Path, contents: bytes, *, is_named: bool) -> Path:
    """A model with one large tensor of these contents, and after it one in w.bin."""
    inside = numpy_helper.from_array(np.frombuffer(contents, np.uint8), "inside")
    beside = onnx.TensorProto(name="beside", data_type=onnx.TensorProto.UINT8, dims=[4])
    beside.data_location = onnx.TensorProto.EXTERNAL
    beside.external_data.add(key="location", value="w.bin")
    graph = helper.make_graph([], "g", [], [], [inside, beside] if is_named else [inside])
    onnx.save_model(helper.make_model(graph), folder / "m.onnx")
    (folder / "w.bin").write_bytes(b"abcd")
    return folder / "m.onnx"


def test_a_file_named_behind_a_large_tensor_is_found(tmp_path: Path) -> None:
    assert external_files(_written(tmp_path, bytes(10_000), is_named=True)) == [tmp_path / "w.bin"]


def test_the_contents_of_large_tensors_name_nothing(tmp_path: Path) -> None:
    path = _written(tmp_path, bytes(5000) + WORD + bytes(5000), is_named=False)
    assert WORD in path.read_bytes()
    assert external_files(path) == []


def test_a_file_that_is_no_model_names_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"\xff" * 100 + WORD)
    assert external_files(path) == []
