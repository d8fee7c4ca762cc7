"""What the reader makes of legal files, of odd ones, and of files that are no ``.ms`` models."""

from __future__ import annotations

import os
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import ModelFormatError
from lite_delegate.formats.ms import read_ms, read_ms_buffer
from lite_delegate.ir import DataType, Format, Graph, ModelInfo, QuantParam, Value
from lite_delegate.ir.types.enums import QuantType, WeightQuantCompressType
from tests.formats.handmade import M, N, S, T

BASE = M()
WEIGHT = np.arange(6, dtype=np.float32).reshape(2, 3)


def read(model: M) -> Graph:
    return read_ms_buffer(model.bytes())


def weight_of(model: M) -> Value:
    """The second operand of the only node."""
    value = read(model).nodes[0].inputs[1]
    assert value is not None
    return value


def weight_data(content: bytes | bytearray) -> np.ndarray[Any, Any]:
    """The data of the second operand of the only node."""
    value = read_ms_buffer(content).nodes[0].inputs[1]
    assert value is not None
    assert value.data is not None
    return value.data


def test_the_parts_of_a_model_come_as_they_are() -> None:
    graph = read(BASE.tensor(1, data=WEIGHT.tobytes()).node(0, attributes={"activation_type": 3}))
    assert graph.info == ModelInfo(version="MindSpore Lite 1.5.0")
    assert (graph.name, [v.name for v in graph.inputs], [v.name for v in graph.outputs]) == ("main_graph", ["x"], ["y"])
    node = graph.nodes[0]
    assert (node.name, node.device_type, node.quant_type) == ("node", -1, QuantType.QUANT_NONE)
    assert node.primitive.attributes() == {"activation_type": "RELU6"}
    x, weight = node.inputs
    assert x is graph.inputs[0]
    assert weight is not None
    assert (weight.dtype, weight.shape, weight.format) == (DataType.FLOAT32, (2, 3), Format.NHWC)
    np.testing.assert_array_equal(weight.data, WEIGHT)


@pytest.mark.parametrize(
    ("number", "dtype", "raw"),
    [
        (30, np.bool_, b"\x01\x00"),
        (31, np.int32, struct.pack("<2i", -5, 7)),
        (32, np.int8, struct.pack("<2b", -5, 7)),
        (33, np.int16, struct.pack("<2h", -5, 7)),
        (35, np.int64, struct.pack("<2q", -5, 2**60)),
        (36, np.uint32, struct.pack("<2I", 5, 2**32 - 1)),
        (41, np.float32, struct.pack("<2f", 0.5, -2)),
        (42, np.float16, struct.pack("<2e", 0.5, -2)),
        (44, np.float64, struct.pack("<2d", 0.5, -2)),
        (46, np.uint16, b"\x80\x3f\x00\x40"),
    ],
)
def test_every_data_type_becomes_its_elements(number: int, dtype: type[Any], raw: bytes) -> None:
    data = weight_of(BASE.tensor(1, dataType=number, dims=(2,), data=raw)).data
    assert data is not None
    assert data.dtype == dtype
    assert data.tobytes() == raw


def test_contents_are_views_of_the_buffer_where_elements_are_aligned() -> None:
    content = BASE.tensor(1, data=WEIGHT.tobytes()).bytes()
    data = weight_data(content)
    assert np.shares_memory(data, np.frombuffer(content, np.uint8))
    assert not data.flags.writeable


def test_contents_that_are_not_aligned_are_copied() -> None:
    raw = struct.pack("<3q", 1, -2, 3)
    base = BASE.tensor(1, dataType=35, dims=(3,), data=raw)
    seen = set()
    for filler in ("", "abcd"):
        content = base.tensor(2, name=filler).bytes()
        data = weight_data(content)
        assert data.tolist() == [1, -2, 3]
        assert data.flags.aligned
        assert not data.flags.writeable
        seen.add((content.index(raw) % 8 == 0, np.shares_memory(data, np.frombuffer(content, np.uint8))))
    assert seen == {(True, True), (False, False)}


def test_surplus_bytes_are_ignored() -> None:
    data = weight_of(BASE.tensor(1, data=WEIGHT.tobytes() + b"more")).data
    np.testing.assert_array_equal(data, WEIGHT)


@pytest.mark.parametrize("dims", [None, ()])
def test_a_constant_without_dimensions_is_a_scalar(dims: tuple[int, ...] | None) -> None:
    value = weight_of(BASE.tensor(1, dims=dims, data=struct.pack("<f", 2.5)))
    assert value.shape == ()
    assert value.data is not None
    assert value.data[()] == 2.5


def test_dimensions_left_out_mean_scalar_input_and_unknown_result() -> None:
    graph = read(BASE.tensor(0, dims=None).tensor(2, dims=None))
    assert graph.inputs[0].shape == ()
    assert graph.outputs[0].shape is None


def test_unknown_dimensions_stay_unknown() -> None:
    assert read(BASE.tensor(2, dims=(-1, 3))).outputs[0].shape == (-1, 3)


def test_a_constant_without_elements_has_no_data_in_the_file() -> None:
    value = weight_of(BASE.tensor(1, dims=(0, 4), data=None))
    assert value.data is not None
    assert value.data.shape == (0, 4)


@pytest.mark.parametrize("dims", [(0, 2**31 - 1, 2**31 - 1, 2**31 - 1), (0, -1)])
def test_dimensions_that_no_array_can_have_are_rejected(dims: tuple[int, ...]) -> None:
    with pytest.raises(ModelFormatError, match="expected dimensions of a constant"):
        read(BASE.tensor(1, dims=dims, data=None))


def test_huge_dimensions_without_data_cost_nothing() -> None:
    assert read(BASE.tensor(2, dims=(2**31 - 1,) * 8)).outputs[0].shape == (2**31 - 1,) * 8


def test_strings_take_the_length_of_their_bytes_as_shape() -> None:
    value = weight_of(BASE.tensor(1, dataType=12, dims=(1,), data=b"hello"))
    assert (value.dtype, value.shape) == (DataType.STRING, (5,))
    assert value.data is not None
    assert value.data.tobytes() == b"hello"


def test_constant_tensor_lists_keep_their_description() -> None:
    raw = struct.pack("<8i", 43, 1, 3, 2, 1, 3, 1, 4)
    nodes = (N("TensorListStack", (0, 1), (2,)),)
    value = weight_of(replace(BASE, nodes=nodes).tensor(1, dataType=17, data=raw))
    assert value.dtype == DataType.TENSOR_LIST
    assert value.packed is not None
    assert value.packed.raw.tobytes() == raw


def test_a_list_that_a_node_gives_carries_a_description_too() -> None:
    model = M(
        allTensors=(T("x"), T("list", dataType=17, data=struct.pack("<3i", 43, 0, -1)), T("y")),
        nodes=(N("TensorListFromTensor", (0,), (1,)), N("TensorListStack", (1,), (2,))),
        subGraph=(S((0,), (2,), (0, 1)),),
    )
    value = read(model).nodes[0].outputs[0]
    assert (value.dtype, value.is_constant) == (DataType.TENSOR_LIST, False)


def test_parameters_are_marked() -> None:
    value = weight_of(BASE.tensor(1, nodeType=1, data=WEIGHT.tobytes()))
    assert value.is_parameter
    assert value.is_constant
    assert weight_of(BASE.tensor(1, nodeType=1, data=None)).is_parameter


def test_the_number_of_nc8hw8_differs_from_the_api() -> None:
    assert read(BASE.tensor(2, format=18)).outputs[0].format == Format.NC8HW8
    node = read(BASE.node(0, op="BiasAdd", attributes={"format": 18})).nodes[0]
    assert node.primitive.attributes() == {"format": "NC8HW8"}


def test_quantization_parameters_have_the_schemas_defaults() -> None:
    params: tuple[dict[str, Any], ...] = ({"scale": 0.25, "zeroPoint": -3, "varCorr": 2.0}, {})
    value = read(BASE.tensor(2, quantParams=params, quantClusters=(0.5, -1.0))).outputs[0]
    assert value.quant_params == (QuantParam(scale=0.25, zero_point=-3, var_corr=2.0), QuantParam())
    assert value.quant_clusters == (0.5, -1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"weightQuantCompressType": 2},
        {"enableHuffmanCode": True},
        {"quantParams": ({"numBits": 4},)},
        {"quantParams": ({"numBits": 15},)},
    ],
)
def test_packed_contents_are_kept_as_they_are(changes: dict[str, Any]) -> None:
    value = weight_of(BASE.tensor(1, dataType=32, data=b"abc", **changes))
    assert value.data is None
    assert value.packed is not None
    assert value.packed.raw.tobytes() == b"abc"
    assert value.packed.compress_type == WeightQuantCompressType(changes.get("weightQuantCompressType", 0))
    assert value.packed.huffman == changes.get("enableHuffmanCode", False)


def test_plain_widths_are_not_packed() -> None:
    for bits in (0, 8, 16, 32):
        assert weight_of(BASE.tensor(1, dataType=32, data=bytes(6), quantParams=({"numBits": bits},))).data is not None


@pytest.mark.parametrize(("number", "meaning"), [(1, 5), (2, 4), (3, 5), (4, 4), (6, 6)])
def test_old_quant_types_get_their_names_of_today(number: int, meaning: int) -> None:
    assert read(BASE.node(0, quantType=number)).nodes[0].quant_type == meaning


@pytest.mark.parametrize(
    ("version", "expected"), [("MindSpore Lite 1.2.0", 4), ("MindSpore Lite 1.3.0", 0), (None, 0), ("1", 4)]
)
def test_quantized_weights_of_early_files_are_recognized(version: str | None, expected: int) -> None:
    model = replace(BASE, version=version).tensor(1, dataType=32, data=bytes(6), quantParams=({"inited": True},))
    assert read(model).nodes[0].quant_type == expected
    assert read(model.tensor(0, quantParams=({"inited": True},))).nodes[0].quant_type == 0
    assert read(model.tensor(1, quantParams=({"inited": True}, {}))).nodes[0].quant_type == 0
    assert read(model.tensor(1, quantParams=())).nodes[0].quant_type == 0


def test_inputs_come_in_the_models_order() -> None:
    model = M(
        allTensors=(T("a"), T("b"), T("y")),
        inputIndex=(1, 0),
        subGraph=(S((0, 1), (2,), (0,)),),
    )
    assert [v.name for v in read(model).inputs] == ["b", "a"]


def test_without_subgraphs_the_whole_file_is_one_graph() -> None:
    graph = read(replace(BASE, subGraph=None))
    assert [v.name for v in graph.inputs] == ["x"]
    assert len(graph.nodes) == 1


def test_nodes_may_be_left_out_of_every_subgraph() -> None:
    model = M(
        allTensors=(T("x"), T("weight", 0, data=bytes(24))),
        nodes=(),
        outputIndex=(1,),
        subGraph=(S((0,), (1,), None),),
    )
    graph = read(model)
    assert graph.nodes == []
    assert graph.outputs[0].is_constant


def test_node_names_may_be_absent_or_repeated() -> None:
    model = M(
        nodes=(N("Abs", (0,), (3,), name=None), N("Abs", (3,), (2,), name=None)),
        allTensors=(T("x"), T("w"), T("y"), T(None)),
        subGraph=(S((0,), (2,), (0, 1)),),
    )
    assert [n.name for n in read(model).nodes] == ["", ""]


def test_an_operator_that_has_no_attributes_may_lack_their_table() -> None:
    assert read(BASE.node(0, op="Maximum", hasTable=False)).nodes[0].op_type == "Maximum"


def test_names_that_are_not_utf8_are_escaped() -> None:
    content = BASE.tensor(2, name="yNNNN").bytes().replace(b"yNNNN", b"y\xff\xfe\xc3(")
    assert read_ms_buffer(content).outputs[0].name == "y\\xff\\xfe\\xc3("


def test_bytearrays_are_not_written_to() -> None:
    data = bytearray(BASE.bytes())
    assert not weight_data(data).flags.writeable


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"abc", "it has only 3 bytes"),
        (b"\x08\0\0\0TFL3" + bytes(20), "it is a TensorFlow Lite model"),
        (b"LDMODEL\x1a" + bytes(20), "it is a compiled model, as CompiledModel.export_model writes them: Core.import"),
        (b"not a model at all", "expected b'MSL2' at byte 4, found b'a mo'"),
        (b"\xff\xff\xff\xffMSL2", "offset 4294967295 at byte 0 leaves the 8 bytes"),
        (b"\x00\x00\x00\x00MSL2", "offset 0 at byte 0 leaves the 8 bytes"),
    ],
)
def test_other_files_are_named(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.ms"
    path.write_bytes(content)
    with pytest.raises(ModelFormatError, match=message) as caught:
        read_ms(path)
    assert str(caught.value).startswith(f"'{path}': ")


def test_files_of_version_1_0_are_told_from_other_files() -> None:
    old = replace(BASE, version="MindSpore Lite 1.0.0", identifier=None).bytes()
    with pytest.raises(ModelFormatError, match=r"written by 'MindSpore Lite 1.0.0'.*convert it anew"):
        read_ms_buffer(old)


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match="no such file"):
        read_ms(tmp_path / "missing.ms")
    with pytest.raises(ModelFormatError, match="expected a file, found a directory"):
        read_ms(tmp_path)
    os.mkfifo(tmp_path / "pipe.ms")
    with pytest.raises(ModelFormatError, match="expected a regular file"):
        read_ms(tmp_path / "pipe.ms")
    with pytest.raises(ModelFormatError, match="cannot be read"):
        read_ms("nul\0byte.ms")


def test_the_sample_model_reads(shared_models: Path) -> None:
    graph = read_ms(shared_models / "lenet_tod_infer.ms")
    assert graph.info == ModelInfo(version="MindSpore Lite 1.5.0", fmk_type=3)
    assert [n.op_type for n in graph.nodes].count("MatMulFusion") == 3
    assert graph.inputs[0].shape == (2, 32, 32, 1)
    assert graph.outputs[0].shape == (2, 10)
    assert sum(v.is_constant for v in graph.values()) == 10
