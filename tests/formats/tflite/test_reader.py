"""Files that are damaged, hostile, or ask for what there is not: an answer or one error that says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import Model, ModelFormatError, UnsupportedOperatorError
from lite_delegate.flatbuffer.problem import FormatProblem
from lite_delegate.formats import read_model, read_model_buffer
from lite_delegate.formats.tflite import read_tflite, read_tflite_buffer
from lite_delegate.formats.tflite.tensors.buffers import CopyBudget
from lite_delegate.formats.tflite.tensors.layout import UNKNOWN_MEMBER, tflite_schema
from tests.formats.customs import assert_custom, reasons
from tests.formats.tflite.models import G, Op, T, const, floats, int8, ints, model_bytes, out, qout, single, stored
from tests.formats.tflite.test_graphs import complex_model, loop, two_signatures
from tests.formats.tflite.test_recurrent import lstm_inputs

X = floats(1, 2, 3, 4)


def samples() -> list[bytes]:
    """Small models that go through most of the importer."""
    convolution = [int8(1, 1, 5, 5, 2), const(np.ones((3, 3, 3, 2), np.int8), scales=[0.1]), ints(1, 2, 3)]
    options: dict[str, Any] = {"strideH": 1, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
    depthwise = [floats(1, 1, 5, 5, 2), stored(floats(2, 1, 3, 3, 2)), stored(floats(3, 2))]
    transposed = [ints(1, 8, 8, 3), stored(floats(1, 3, 3, 3, 5)), floats(2, 1, 4, 4, 5)]
    boxes = [floats(1, 1, 5, 4), floats(1, 1, 5, 3), stored(floats(2, 5, 4))]
    slices = [X, ints(0, 1, 1), ints(2, 2, 3), ints(1, 1, 1)]
    return [
        loop(3),
        two_signatures(),
        complex_model("REAL"),
        single(
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
            lstm_inputs(False),
            [out()],
            "UnidirectionalSequenceLSTMOptions",
            fusedActivationFunction=4,
        ),
        single("CONV_2D", convolution, [qout(0.1)], "Conv2DOptions", **options),
        single("DEPTHWISE_CONV_2D", depthwise, [out()], "DepthwiseConv2DOptions", depthMultiplier=1, **options),
        single("TRANSPOSE_CONV", transposed, [out()], "TransposeConvOptions", strideH=2, strideW=2),
        single("TFLite_Detection_PostProcess", boxes, [out()] * 4, custom=True, max_detections=3, num_classes=2),
        single(
            "STRIDED_SLICE", slices, [out()], "StridedSliceOptions", shrinkAxisMask=2, newAxisMask=1, ellipsisMask=4
        ),
        single("SPLIT_V", [X, ints(1, -1), const(np.int32(1))], [out()] * 2, "SplitVOptions", numSplits=2),
        single("RESHAPE", [X], [out()], "ReshapeOptions", newShape=[6, 4]),
    ]


def answers(content: bytes) -> bool:
    """True where the bytes are read; False where they are rejected as they must be."""
    try:
        read_tflite_buffer(content)
    except (ModelFormatError, UnsupportedOperatorError):
        return False
    return True


WORDS = [0, 1, 2, 4, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 8]
changes = st.lists(
    st.tuples(st.integers(0, 2**16), st.sampled_from(WORDS) | st.integers(0, 2**32 - 1)), min_size=1, max_size=4
)


@settings(max_examples=600)
@given(st.sampled_from(samples()), changes)
def test_damaged_files_are_read_or_rejected(content: bytes, edits: list[tuple[int, int]]) -> None:
    damaged = bytearray(content)
    for position, word in edits:
        start = position % (len(damaged) - 4)
        damaged[start : start + 4] = word.to_bytes(4, "little")
    answers(bytes(damaged))


@settings(max_examples=300)
@given(st.sampled_from(samples()), st.integers(0, 2**16), st.integers(0, 255))
def test_files_with_another_byte_are_read_or_rejected(content: bytes, position: int, byte: int) -> None:
    damaged = bytearray(content)
    damaged[position % len(damaged)] = byte
    answers(bytes(damaged))


@settings(max_examples=200)
@given(st.sampled_from(samples()), st.floats(0, 1, exclude_max=True))
def test_cut_files_are_rejected(content: bytes, part: float) -> None:
    cut = content[: int(part * len(content))]
    if len(cut) < len(content) // 2:
        assert not answers(cut)
    answers(cut)


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_random_bytes_are_rejected(data: bytes) -> None:
    assert not answers(data)
    assert not answers(b"\x10\0\0\0TFL3" + data)


def test_samples_are_read() -> None:
    assert all(answers(each) for each in samples())


def test_another_format_version_is_rejected() -> None:
    content = bytearray(single("ABS", [X], [out()]))
    place = content.index((3).to_bytes(4, "little"))
    content[place] = 4
    with pytest.raises(ModelFormatError, match="version: expected 3, found 4"):
        read_tflite_buffer(bytes(content))


def test_constants_must_have_the_bytes_of_their_shape() -> None:
    short = T(dtype="float32", shape=(2, 3, 4), constant=True, raw=bytes(92))
    with pytest.raises(ModelFormatError, match=r"tensors\[1\] 't1'.*takes 96 bytes, found 92"):
        read_tflite_buffer(single("ADD", [X, short], [out()], "AddOptions"))


def test_copies_are_bounded() -> None:
    budget = CopyBudget(1000)
    budget.charge(4000 + (1 << 20))
    with pytest.raises(FormatProblem, match="four times"):
        budget.charge(1)


def test_many_operators_that_copy_one_constant() -> None:
    weight = const(np.ones((1, 128, 128, 16), np.float32))
    x = floats(1, 1, 130, 130, 16)
    options: dict[str, Any] = {"strideH": 1, "strideW": 1, "depthMultiplier": 1}

    def model(count: int) -> bytes:
        ops = [Op("DEPTHWISE_CONV_2D", [0, 1, -1], [2 + i], "DepthwiseConv2DOptions", options) for i in range(count)]
        return model_bytes([G([x, weight, *[out()] * count], ops, [0], [2])])

    assert answers(model(5))
    with pytest.raises(ModelFormatError, match="more than four times the file's size"):
        read_tflite_buffer(model(6))


def test_every_operator_without_a_counterpart_becomes_custom() -> None:
    tensors = [X, *[out()] * 4]
    names = ["ATAN2", "ATAN2", "BITCAST", "MULTINOMIAL"]
    ops = [Op(name, [0], [i + 1], version=i // 2 + 1) for i, name in enumerate(names)]
    found = reasons(read_tflite_buffer(model_bytes([G(tensors, ops, [0], [4])])))
    assert found[:2] == ["tflite.ATAN2 (version 1): OPERATOR: no operator of ours does this"] * 2
    assert found[2] == "tflite.BITCAST (version 2): OPERATOR: no operator of ours works on bits"
    assert found[3] == "tflite.MULTINOMIAL (version 2): OPERATOR: no operator of ours does this"


REJECTED: dict[str, tuple[str, list[T | None], T, str, dict[str, Any]]] = {
    "16-bit integers": (
        "L2_NORMALIZATION",
        [T(np.zeros((2, 3), np.int16), scales=[0.1])],
        out("int16", scales=[0.1]),
        "L2NormOptions",
        {},
    ),
    "batch_dims must be 0, found 1": (
        "GATHER",
        [X, T(np.zeros((2, 1), np.int32))],
        out(),
        "GatherOptions",
        {"batchDims": 1, "axis": 1},
    ),
    "differ along the last dimension only": ("PRELU", [X, stored(floats(1, 3, 4))], out(), "", {}),
    "input 0\\) must be a constant": ("SPLIT", [T(np.array(1, np.int32)), X], out(), "SplitOptions", {"numSplits": 1}),
    "a dimension of 0": ("RESHAPE", [X, ints(0, 4)], out(), "ReshapeOptions", {}),
    "SIGN_BIT has no counterpart": ("ADD", [X, X], out(), "AddOptions", {"fusedActivationFunction": 5}),
    "no axes to reduce": ("SUM", [X, const(np.zeros(0, np.int32))], out(), "ReducerOptions", {}),
    "picks whole rows": ("SELECT", [T(np.array([True, False])), X, X], out(), "", {}),
    "is a variable": ("ABS", [T(dtype="float32", shape=(2,), variable=True)], out(), "", {}),
    "beta of quantized operands must be 1": (
        "SOFTMAX",
        [int8(1, 2, 3)],
        qout(1 / 256),
        "SoftmaxOptions",
        {"beta": 2.0},
    ),
    "must be a constant of INT8": (
        "FULLY_CONNECTED",
        [floats(1, 2, 3), int8(1, 4, 3), None],
        out(),
        "FullyConnectedOptions",
        {},
    ),
    "different quantization parameters": (
        "SELECT_V2",
        [T(X.data > 0), int8(1, 2, 3, 4, scale=0.1), int8(1, 2, 3, 4, scale=0.2)],
        qout(0.1),
        "",
        {},
    ),
    "no kernel for quantized": ("FLOOR_DIV", [int8(1, 2, 3), int8(2, 2, 3)], qout(0.1), "", {}),
}


@pytest.mark.parametrize("reason", REJECTED)
def test_what_has_no_counterpart_becomes_custom_with_the_reason(reason: str) -> None:
    op, inputs, result, table, options = REJECTED[reason]
    assert_custom(read_tflite_buffer(single(op, inputs, [result], table, **options)), reason)


def test_what_no_tensor_holds_is_rejected_with_the_reason() -> None:
    with pytest.raises(UnsupportedOperatorError, match="elements are RESOURCE"):
        read_tflite_buffer(single("ABS", [out("resource")], [out()]))


def test_an_operator_newer_than_the_importer() -> None:
    content = bytearray(single("STABLEHLO_CBRT", [X], [out()]))
    place = content.index((208).to_bytes(4, "little"))
    content[place] = 250
    assert_custom(read_tflite_buffer(bytes(content)), r"operator 250 .*newer than this importer")


def test_models_are_known_by_content_and_by_suffix(tmp_path: Path) -> None:
    content = single("ABS", [X], [out()])
    for name in ("model.tflite", "model.ms", "model"):
        (tmp_path / name).write_bytes(content)
        assert [n.op_type for n in read_model(tmp_path / name).nodes] == ["Abs"]
    (tmp_path / "other.tflite").write_bytes(b"nonsense" * 4)
    with pytest.raises(ModelFormatError, match=r"other.tflite': not a TensorFlow Lite model"):
        read_model(tmp_path / "other.tflite")
    assert [n.op_type for n in read_model_buffer(content).nodes] == ["Abs"]
    model = Model()
    model.build_from_file(tmp_path / "model.tflite")
    np.testing.assert_array_equal(model.predict({"t0": X.data})[0].get_data_to_numpy(), np.abs(X.data))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="no such file"):
        read_tflite(tmp_path / "none.tflite")


def test_the_extra_is_named_when_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "m.tflite").write_bytes(single("ABS", [X], [out()]))
    code = (
        "import sys, pathlib, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'tflite' else find(name, *a)\n"
        "import lite_delegate.formats as f\n"
        f"f.read_model(pathlib.Path({str(tmp_path / 'm.tflite')!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'lite-delegate[tflite]'" in done.stderr


def test_the_package_is_not_imported_for_other_models() -> None:
    code = "import sys, lite_delegate, lite_delegate.cli.main, lite_delegate.formats; sys.exit('tflite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_layout_is_that_of_the_schema() -> None:
    """A few tables as the published schema has them, and that none contains itself, which bounds the depth."""
    tables = tflite_schema().tables
    tensor = [(f.name, f.kind, f.type) for f in tables["Tensor"]][:5]
    assert tensor == [
        ("shape", "scalars", "int"),
        ("type", "scalar", "byte"),
        ("buffer", "scalar", "uint"),
        ("name", "string", ""),
        ("quantization", "table", "QuantizationParameters"),
    ]
    operator = {f.id: f.name for f in tables["Operator"]}
    assert [operator[i] for i in (0, 3, 4, 11, 12)] == [
        "opcode_index",
        "builtin_options_type",
        "builtin_options",
        "builtin_options2_type",
        "builtin_options2",
    ]
    assert {f.name: f.default for f in tables["Conv2DOptions"]}["dilation_w_factor"] == 1
    unions = tflite_schema().unions
    assert unions["BuiltinOptions"][0] == "Conv2DOptions"
    assert unions["BuiltinOptions"][-1] == UNKNOWN_MEMBER
    assert _depth("Model", ()) < 8


def _depth(table: str, above: tuple[str, ...]) -> int:
    assert table not in above
    schema = tflite_schema()
    below = [f.type for f in schema.tables[table] if f.kind in ("table", "tables")]
    below += [member for f in schema.tables[table] if f.kind == "union" for member in schema.unions[f.type]]
    return 1 + max((_depth(name, (*above, table)) for name in set(below)), default=0)
