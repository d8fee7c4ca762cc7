"""Facts of model files, held to what the onnx and tflite packages read."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import onnx
import pytest
import tflite
from onnx import TensorProto, helper, numpy_helper

from lite_delegate.report.info.model_info import model_info, model_info_schema
from lite_delegate.report.info.model_info_text import folded, model_info_text
from tests.commands import invoke
from tests.formats.tflite.models import T, out, single


def saved(path: Path, *more: onnx.NodeProto, domains: dict[str, int] | None = None) -> Path:
    """A model with an open batch, a branch, and what else is given."""
    w = numpy_helper.from_array(np.zeros((4, 3, 3, 3), np.float32), "w")
    branch = [
        helper.make_graph(
            [helper.make_node(kind, ["a"], ["b"])],
            kind.lower(),
            [],
            [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)],
        )
        for kind in ("Relu", "Abs")
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], "/stem/Conv", kernel_shape=[3, 3]),
        helper.make_node("If", ["c"], ["y"], "/if", then_branch=branch[0], else_branch=branch[1]),
        *more,
    ]
    graph = helper.make_graph(
        nodes,
        "main",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, None, 8]),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [w],
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in ({"": 17} | (domains or {})).items()]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="tests", producer_version="1.5", ir_version=8)
    helper.set_model_props(model, {"author": "somebody"})
    path.write_bytes(model.SerializeToString())
    return path


def operators(data: dict[str, Any]) -> dict[str, int]:
    return {row["type"]: row["nodes"] for row in data["operators"]}


def test_an_onnx_file_is_shown_as_it_is(tmp_path: Path) -> None:
    found = model_info(saved(tmp_path / "m.onnx"))
    jsonschema.validate(json.loads(json.dumps(found)), model_info_schema())
    assert operators(found) == {"Abs": 1, "Conv": 1, "If": 1, "Relu": 1}
    assert found["inputs"][0] == {
        "name": "x",
        "dtype": "FLOAT32",
        "shape": [-1, 3, -1, 8],
        "format": "NCHW",
        "dims": ["N", 3, None, 8],
    }
    assert found["inputs"][1] == {"name": "c", "dtype": "BOOL", "shape": [], "format": None}
    assert found["outputs"] == [{"name": "y", "dtype": "FLOAT32", "shape": None, "format": None}]
    assert (found["opsets"], found["about"]) == ({"ai.onnx": 17}, {"IR version": "8", "producer": "tests 1.5"})
    assert (found["constants"], found["constant_bytes"]) == (1, 4 * 3 * 3 * 3 * 4)
    assert (found["subgraphs"], found["metadata"]) == (["main", "abs", "relu"], {"author": "somebody"})
    assert (found["format"], found["problem"]) == ("ONNX", "")
    text = model_info_text(found)
    assert "[N, 3, ?, 8]" in text
    assert "NCHW" in text
    assert "Conv2DFusion" not in text


def test_operators_of_another_domain_and_the_files_own_functions_are_said(tmp_path: Path) -> None:
    other = helper.make_node("Strange", ["a"], ["z"], "/other", domain="my.domain")
    path = saved(tmp_path / "m.onnx", other, domains={"my.domain": 3})
    found = model_info(path)
    jsonschema.validate(json.loads(json.dumps(found)), model_info_schema())
    assert operators(found)["my.domain.Strange"] == 1
    assert found["custom_operators"] == ["my.domain.Strange"]
    assert found["opsets"] == {"ai.onnx": 17, "my.domain": 3}
    assert "custom" in model_info_text(found)


def test_the_imported_graph_on_request(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.onnx")
    done = invoke("info", str(path), "--imported", "--format", "json")
    found = json.loads(done.output)
    jsonschema.validate(found, model_info_schema())
    conv = next(node for node in found["imported"]["graph"] if node["type"] == "Conv2DFusion")
    assert conv["sources"] == [{"name": "/stem/Conv", "type": "Conv", "path": []}]
    assert "/stem/Conv (Conv)" in invoke("info", str(path), "--imported").output


def test_a_tflite_file_is_shown_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(
        single("ABS", [T(np.zeros((1, 4, 4, 2), np.float32), signature=(-1, 4, 4, 2))], [out(shape=(1, 4, 4, 2))])
    )
    found = model_info(path)
    jsonschema.validate(json.loads(json.dumps(found)), model_info_schema())
    assert operators(found) == {"ABS": 1}
    assert found["inputs"][0]["shape"] == [-1, 4, 4, 2]
    assert found["inputs"][0]["format"] == "NHWC"
    assert found["about"]["schema version"] == "3"


@pytest.mark.shared
@pytest.mark.parametrize("name", ["ds_cnn_kws_f32.tflite", "ds_cnn_kws_int8.tflite"])
def test_a_real_tflite_file(name: str, shared_models: Path) -> None:
    path = shared_models / name
    model = tflite.Model.GetRootAs(path.read_bytes(), 0)
    graph = model.Subgraphs(0)
    codes = [model.OperatorCodes(graph.Operators(i).OpcodeIndex()) for i in range(graph.OperatorsLength())]
    names = {number: word for word, number in vars(tflite.BuiltinOperator).items() if isinstance(number, int)}
    wanted = Counter(names[max(c.BuiltinCode(), c.DeprecatedBuiltinCode())] for c in codes)
    found = model_info(path)
    assert operators(found) == wanted
    assert found["signatures"] == [model.SignatureDefs(0).SignatureKey().decode()]
    buffers = {graph.Tensors(i).Buffer() for i in range(graph.TensorsLength())}
    assert found["constant_bytes"] == sum(model.Buffers(i).DataLength() for i in buffers)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mobilenetv2_100.skel.onnx", "resnet50.skel.onnx"])
def test_a_real_onnx_file_without_its_weights(name: str, shared_models: Path) -> None:
    path = shared_models / name
    model = onnx.load(path)
    found = model_info(path)
    assert operators(found) == Counter(node.op_type for node in model.graph.node)
    sizes = [
        np.prod(t.dims, dtype=int) * helper.tensor_dtype_to_np_dtype(t.data_type).itemsize
        for t in model.graph.initializer
    ]
    assert (found["constants"], found["constant_bytes"]) == (len(sizes), sum(sizes))
    assert "the data do not make" in found["problem"]
    assert {row["cpu_kernel"] for row in found["operators"]} == {None}


def test_long_expressions_are_folded_and_stay_different() -> None:
    long = "floor(floor((height + 2*pad - kernel)/stride + 1)/2)"
    ends = [f"{long} + {i}" for i in range(2)]
    assert folded(["batch", "3", "", ends[0]]) == ["batch", "3", "?", "floor(floor(...1)/2) + 0"]
    assert folded(ends) == ["floor(floor(...1)/2) + 0", "floor(floor(...1)/2) + 1"]
    middles = [f"floor({'a' * i}{'b' * (80 - i)}) + 1 + 2 + 3" for i in (30, 40, 30)]
    first, second, third = folded(middles)
    assert (first, second) == (third, first.replace("#1", "#2"))
    assert len(first) <= 26
