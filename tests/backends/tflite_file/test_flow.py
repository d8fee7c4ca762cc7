"""Choices and loops that are read, written and run by LiteRT again."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from lite_delegate.exporting import tflite_content
from lite_delegate.formats import read_model_buffer
from tests.formats.tflite.models import G, Op, T, assert_same, litert, model_bytes, out
from tests.formats.tflite.test_graphs import X, function, loop


@pytest.mark.parametrize("condition", [True, False])
def test_a_choice(condition: bool) -> None:
    tensors = [T(np.array([condition])), X, out(shape=(2, 3))]
    options = {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2}
    main = G(tensors, [Op("IF", [0, 1], [2], "IfOptions", options)], [0, 1], [2])
    before = model_bytes([main, function("ADD", 3.0, "then"), function("MUL", -2.0, "else")])
    after = tflite_content(read_model_buffer(before))
    arrays = [np.array([condition]), X.data]
    assert_same(litert(after, arrays), litert(before, arrays))


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_a_loop(limit: int) -> None:
    arrays = [np.array(0, np.int32), X.data]
    after = tflite_content(read_model_buffer(loop(limit)))
    assert_same(litert(after, arrays), [np.array(limit, np.int32), X.data * np.float32(2**limit)])


def test_a_loop_that_keeps_the_results_of_its_rounds() -> None:
    """ONNX's Loop with a scan output."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["before", "before"], ["after"]),
            helper.make_node("Identity", ["go"], ["goes_on"]),
            helper.make_node("Neg", ["after"], ["kept"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("before", TensorProto.FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("after", TensorProto.FLOAT, [2]),
            helper.make_tensor_value_info("kept", TensorProto.FLOAT, [2]),
        ],
    )
    count = helper.make_tensor("count", TensorProto.INT64, [], [3])
    graph = helper.make_graph(
        [helper.make_node("Loop", ["count", "", "x"], ["last", "all"], body=body)],
        "main",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [
            helper.make_tensor_value_info("last", TensorProto.FLOAT, [2]),
            helper.make_tensor_value_info("all", TensorProto.FLOAT, [3, 2]),
        ],
        [count],
    )
    model: Any = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    onnx.checker.check_model(model)
    content = tflite_content(read_model_buffer(model.SerializeToString()))
    x = np.array([1.5, -2], np.float32)
    assert_same(litert(content, [x]), [x * 8, -np.stack([x * 2, x * 4, x * 8])])
