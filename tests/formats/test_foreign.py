"""Model files under any name: what they are shows in their content, and other formats are named with a way out."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import ModelFormatError
from lite_delegate.formats import file_kind, read_facts, read_model, read_model_buffer
from lite_delegate.formats.external_files import external_files


def _relu() -> bytes:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    model = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y]))
    return bytes(model.SerializeToString())


def _archive(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, b"{}")
    return stream.getvalue()


@pytest.mark.parametrize(
    "name", ["m", "m.keras", "m.xml", "m.pb", "m.pt2", "m.ort", "m.mindir", "m.tflite", "m.ms", "m.onnx"]
)
def test_an_onnx_file_is_read_under_any_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(_relu())
    assert file_kind(path) == ".onnx"
    assert [node.name for node in read_model(path).nodes] == [node.name for node in read_model_buffer(_relu()).nodes]
    assert read_facts(path).format == "ONNX"


@pytest.mark.parametrize(
    ("content", "name", "way"),
    [
        (_archive("metadata.json", "config.json", "model.weights.h5"), "a Keras model", "model.export"),
        (b"\x89HDF\r\n\x1a\n" + bytes(40), "a Keras model", "model.export"),
        (_archive("m/archive_format", "m/models/model.json"), "torch.export", "torch.onnx.export"),
        (_archive("m/data.pkl", "m/code/__torch__.py"), "TorchScript", "torch.jit.load"),
        (_archive("m/data.pkl", "m/data/0"), "torch.save", "torch.onnx.export"),
        (b"<?xml version='1.0'?>\n<net name='m' version='11'>", "OpenVINO IR", "made from"),
        (b"\x1c\0\0\0ORTM" + bytes(40), "ONNX Runtime's own format", "made from"),
        (b"\x0a\x050.1.0\x12\x09MindSpore" + bytes(40), "MindIR", "converter_lite"),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".ms", ".bin"])
def test_other_formats_are_named_with_the_way_to_convert_them(
    content: bytes, name: str, way: str, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"m{suffix}"
    path.write_bytes(content)
    with pytest.raises(ModelFormatError, match=name) as of_file:
        read_model(path)
    with pytest.raises(ModelFormatError, match=name) as of_bytes:
        read_model_buffer(content)
    assert way in str(of_file.value)
    assert way in str(of_bytes.value)


def test_a_saved_model_is_named_by_its_folder_and_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01\x12\x04abcd")
    for path in (tmp_path, tmp_path / "saved_model.pb"):
        with pytest.raises(ModelFormatError, match=r"TensorFlow SavedModel.*tf2onnx"):
            read_model(path)


def test_the_side_files_of_an_onnx_file_are_found_under_any_name(tmp_path: Path) -> None:
    weight = numpy_helper.from_array(np.ones(4, np.uint8), "w")
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="w.bin")
    (tmp_path / "w.bin").write_bytes(b"abcd")
    onnx.save_model(helper.make_model(helper.make_graph([], "g", [], [], [weight])), tmp_path / "m.model")
    assert external_files(tmp_path / "m.model") == [tmp_path / "w.bin"]
