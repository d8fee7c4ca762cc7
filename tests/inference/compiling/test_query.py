"""What query_model says of nodes that are taken apart: each node of the file has one row, and no other names occur."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Core, RejectCode
from lite_delegate.inference.compiling.queried_node import Support
from lite_delegate.inference.compiling.query import Query

DEVICES = ["NPU.kirin", "HETERO:NPU.kirin,CPU"]


def asked(tmp_path: Path, device: str, nodes, x: list[int], y: list[int], constants=()) -> Query:
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", x), ("y", y))]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], list(constants))
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), tmp_path / "m.onnx")
    return Core().query_model(tmp_path / "m.onnx", device)


@pytest.mark.parametrize("device", DEVICES)
def test_a_node_of_too_many_axes_is_taken_in_part(tmp_path: Path, device: str) -> None:
    """The operator itself is, over fewer axes; the reshapes around it have five."""
    shape = [1, 2, 3, 4, 5]
    query = asked(tmp_path, device, [helper.make_node("Relu", ["x"], ["y"], "n")], shape, shape)
    assert dict(query) == {}
    (row,) = query.nodes
    assert (row.name, row.type, row.support) == ("n", "Relu", Support.PARTLY)
    assert {part.type: part.device for part in row.parts} == {"Reshape": "CPU", "Activation": "NPU.kirin"}
    assert query.partly == query.nodes
    assert set(query.rejections) == {"n"}
    assert query.rejections["n"].code is RejectCode.RANK
    assert query.rejections["n"].reason.startswith("its part 'n/reshape0' (Reshape) is not taken: input 0 may have 4")


@pytest.mark.parametrize("device", DEVICES)
def test_a_node_that_becomes_several_is_told_by_its_name_in_the_file(tmp_path: Path, device: str) -> None:
    scales = numpy_helper.from_array(np.array([1, 1, 0.5, 0.5], np.float32), "s")
    nodes = [helper.make_node("Resize", ["x", "", "s"], ["y"], "n", mode="linear")]
    query = asked(tmp_path, device, nodes, [1, 3, 8, 8], [1, 3, 4, 4], [scales])
    assert dict(query) == {}
    assert [(row.name, row.support) for row in query.nodes] == [("n", Support.PARTLY)]
    assert query.rejections["n"].code is RejectCode.LIMIT
    assert "(Resize) is not taken: height and width may not be smaller" in query.rejections["n"].reason


@pytest.mark.parametrize("device", DEVICES)
def test_each_node_of_the_file_has_one_row_in_its_order(tmp_path: Path, device: str) -> None:
    nodes = [
        helper.make_node("Constant", [], ["k"], "const", value=numpy_helper.from_array(np.ones(4, np.float32))),
        helper.make_node("Add", ["x", "k"], ["z"], "add"),
        helper.make_node("Erf", ["z"], ["e"], "erf"),
        helper.make_node("Identity", ["e"], ["i"], "same"),
        helper.make_node("Relu", ["i"], ["y"], "relu"),
    ]
    query = asked(tmp_path, device, nodes, [1, 4], [1, 4])
    assert [(row.name, str(row.support)) for row in query.nodes] == [
        ("const", "removed"),
        ("add", "whole"),
        ("erf", "not"),
        ("same", "removed"),
        ("relu", "whole"),
    ]
    on_cpu = {"erf": "CPU"} if device.startswith("HETERO") else {}
    assert dict(query) == {"add": "NPU.kirin", "relu": "NPU.kirin"} | on_cpu
    assert set(query.rejections) == {"erf"}
