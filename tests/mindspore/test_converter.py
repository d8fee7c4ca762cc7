"""Converter: what becomes of files, and what it rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from onnx import helper

from lite_delegate import Converter, DataType, FmkType, Format, InputError, Model, ModelFormatError, ModelType
from lite_delegate.formats import is_ms
from lite_delegate.formats.ms import write_ms
from tests.runtime.graphs import chain

WEIGHT = np.arange(12, dtype=np.float32).reshape(4, 3) / 8


def small_onnx(path: Path, batch: Any = 2) -> onnx.ModelProto:
    """x @ w, of an open or known batch."""
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [batch, 4])
    made = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [batch, 3])
    weight = helper.make_tensor("w", onnx.TensorProto.FLOAT, WEIGHT.shape, WEIGHT.reshape(-1).tolist())
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "small", [given], [made], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return model


@pytest.mark.parametrize(("save_type", "suffix"), [(ModelType.MINDIR, ".mindir"), (ModelType.MINDIR_LITE, ".ms")])
def test_a_file_is_written_and_runs_as_either_type(tmp_path: Path, save_type: ModelType, suffix: str) -> None:
    proto = small_onnx(tmp_path / "small.onnx")
    converter = Converter()
    converter.save_type = save_type
    converter.infer = True
    converter.convert(FmkType.ONNX, tmp_path / "small.onnx", tmp_path / "out")
    converter.convert(fmk_type=FmkType.ONNX, model_file=tmp_path / "small.onnx", output_file=tmp_path / f"same{suffix}")
    assert {p.name for p in tmp_path.iterdir()} == {"small.onnx", f"out{suffix}", f"same{suffix}"}
    assert is_ms(tmp_path / f"out{suffix}")
    x = np.random.default_rng(1).normal(size=(2, 4)).astype(np.float32)
    expected = np.asarray(next(iter(onnx.reference.ReferenceEvaluator(proto).run(None, {"x": x}))))
    for model_type in ModelType:
        model = Model()
        model.build_from_file(tmp_path / f"out{suffix}", model_type)
        np.testing.assert_allclose(model.predict([x])[0].data, expected, rtol=1e-5)
        model = Model()
        model.build_from_buffer((tmp_path / f"out{suffix}").read_bytes(), model_type)
        np.testing.assert_allclose(model.predict([x])[0].data, expected, rtol=1e-5)


def test_open_dimensions_are_given(tmp_path: Path) -> None:
    small_onnx(tmp_path / "open.onnx", "N")
    converter = Converter()
    converter.save_type = ModelType.MINDIR_LITE
    converter.input_shape = {"x": [5, 4]}
    converter.convert(FmkType.ONNX, str(tmp_path / "open.onnx"), str(tmp_path / "open"))
    model = Model()
    model.build_from_file(tmp_path / "open.ms", ModelType.MINDIR_LITE)
    assert model.get_inputs()[0].shape == [5, 4]
    assert converter.input_shape == {"x": [5, 4]}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("weight_fp16", True, "weight_fp16 must be False"),
        ("enable_encryption", True, "encrypted models are not supported"),
        ("encrypt_key", "30313233343536373839414243444546", "encrypted models are not supported"),
        ("decrypt_key", "30313233343536373839414243444546", "encrypted models are not supported"),
        ("input_data_type", DataType.INT8, "input_data_type must be FLOAT32 or UNKNOWN"),
        ("output_data_type", DataType.UINT8, "output_data_type must be FLOAT32 or UNKNOWN"),
    ],
)
def test_what_cannot_be_done_writes_nothing(tmp_path: Path, name: str, value: object, said: str) -> None:
    small_onnx(tmp_path / "small.onnx")
    converter = Converter()
    setattr(converter, name, value)
    with pytest.raises(InputError, match=said):
        converter.convert(FmkType.ONNX, tmp_path / "small.onnx", tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["small.onnx"]


def test_other_frameworks_and_files_are_rejected(tmp_path: Path) -> None:
    small_onnx(tmp_path / "small.onnx")
    for kind in (FmkType.TF, FmkType.CAFFE, FmkType.PYTORCH):
        with pytest.raises(InputError, match=f"Models of {kind.name} cannot be read; supported frameworks: ONNX"):
            Converter().convert(kind, tmp_path / "small.onnx", tmp_path / "out")
    with pytest.raises(ModelFormatError, match=r"absent\.onnx"):
        Converter().convert(FmkType.ONNX, tmp_path / "absent.onnx", tmp_path / "out")
    with pytest.raises(InputError, match="not a directory"):
        Converter().convert(FmkType.ONNX, tmp_path / "small.onnx", tmp_path / "absent" / "out")
    with pytest.raises(InputError, match="weight_file must be ''"):
        Converter().convert(FmkType.ONNX, tmp_path / "small.onnx", tmp_path / "out", "weights")
    with pytest.raises(InputError, match="not a file that can be read"):
        Converter().convert(FmkType.ONNX, tmp_path / "small.onnx", tmp_path / "out", "", str(tmp_path / "absent"))
    with pytest.raises(TypeError, match="fmk_type must be FmkType, but got int"):
        Converter().convert(2, tmp_path / "small.onnx", tmp_path / "out")  # type: ignore[arg-type]


def test_the_output_is_none_of_the_files_that_are_read(tmp_path: Path) -> None:
    """Under any of their names: links of both kinds, too."""
    given, link, config = tmp_path / "m.ms", tmp_path / "link.ms", tmp_path / "config.ms"
    small_onnx(tmp_path / "small.onnx")
    Converter().convert(FmkType.ONNX, tmp_path / "small.onnx", config)
    given = config.with_name("config.ms.mindir").rename(given)
    link.hardlink_to(given)
    config.write_text("[common]\na=b\n")
    converter, before = Converter(), given.read_bytes()
    converter.save_type = ModelType.MINDIR_LITE
    for output in (given, link):
        with pytest.raises(InputError, match="it is a file that is read"):
            converter.convert(FmkType.MINDIR, given, output)
    with pytest.raises(InputError, match="it is a file that is read"):
        converter.convert(FmkType.MINDIR, given, config, "", str(config))
    assert (given.read_bytes(), config.read_text()) == (before, "[common]\na=b\n")


def test_a_compiled_model_takes_the_place_of_no_file_that_it_was_made_of(tmp_path: Path) -> None:
    model = tmp_path / "m.ms"
    write_ms(chain(2), model, external_data_threshold=1)
    built = Model()
    built.build_from_file(model)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for path in before:
        with pytest.raises(InputError, match="it is a file that is read"):
            built.export(path)
    with pytest.raises(InputError, match="it is a file that is read"):
        built.compiled.export_model(tmp_path / "m.msw")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert built.export(tmp_path / "m.ldm") == (tmp_path / "m.ldm").read_bytes()


def test_defaults_and_checks_are_those_of_the_package() -> None:
    converter = Converter()
    assert (converter.optimize, converter.save_type, converter.device) == ("general", ModelType.MINDIR, "")
    assert (converter.decrypt_mode, converter.input_format, converter.infer) == ("AES-GCM", Format.NHWC, False)
    for name, wrong, error in [
        ("optimize", "best", ValueError),
        ("device", "GPU", ValueError),
        ("decrypt_mode", "AES", ValueError),
        ("input_format", Format.NC4HW4, ValueError),
        ("input_data_type", DataType.INT64, ValueError),
        ("device_id", -1, ValueError),
        ("rank_id", "0", TypeError),
        ("save_type", 0, TypeError),
        ("infer", 1, TypeError),
        ("input_shape", {"x": (1, 2)}, TypeError),
    ]:
        with pytest.raises(error, match=name):
            setattr(converter, name, wrong)
    with pytest.raises(AttributeError):
        _ = converter.encrypt_key
    converter.set_config_info("common_quant_param", {"quant_type": "WEIGHT_QUANT"})
    assert converter.get_config_info() == {"common_quant_param": {"quant_type": "WEIGHT_QUANT"}}


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("m.onnx", FmkType.TFLITE, r"is a \.onnx file, not a file of TFLITE\. Give FmkType\.ONNX\.$"),
        ("m.onnx", FmkType.MINDIR, r"is a \.onnx file, not a file of MINDIR\. Give FmkType\.ONNX\.$"),
        ("m.ms", FmkType.ONNX, r"is a \.ms file, not a file of ONNX\. Give FmkType\.MINDIR\.$"),
        ("really_ms.onnx", FmkType.ONNX, r"is a \.ms file, not a file of ONNX\. Give FmkType\.MINDIR\.$"),
        ("m.tflite", FmkType.ONNX, r"is a \.tflite file, not a file of ONNX\. Give FmkType\.TFLITE\.$"),
    ],
)
def test_a_file_of_another_framework_is_named(tmp_path: Path, name: str, asked: FmkType, message: str) -> None:
    small_onnx(tmp_path / "m.onnx")
    Converter().convert(FmkType.ONNX, tmp_path / "m.onnx", tmp_path / "m")
    (tmp_path / "m.mindir").rename(tmp_path / "m.ms")
    (tmp_path / "really_ms.onnx").write_bytes((tmp_path / "m.ms").read_bytes())
    (tmp_path / "m.tflite").write_bytes(b"\x1c\0\0\0TFL3" + bytes(24))
    with pytest.raises(InputError, match=message):
        Converter().convert(asked, tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out.mindir").exists()


@pytest.mark.parametrize("asked", [FmkType.ONNX, FmkType.TFLITE, FmkType.MINDIR])
def test_files_that_nothing_tells_of_are_left_to_the_reader(tmp_path: Path, asked: FmkType) -> None:
    (tmp_path / "m.bin").write_bytes(b"something else altogether")
    with pytest.raises(ModelFormatError, match=r"m\.bin"):
        Converter().convert(asked, tmp_path / "m.bin", tmp_path / "out")
    with pytest.raises(ModelFormatError, match=r"absent\.bin"):
        Converter().convert(asked, tmp_path / "absent.bin", tmp_path / "out")
