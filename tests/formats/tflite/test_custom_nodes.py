"""Operators of TensorFlow Lite files that have no counterpart, as Custom nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model, UnsupportedOperatorError
from lite_delegate.formats.ms import read_ms, write_ms
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import custom_attributes, custom_type

from .models import G, Op, T, floats, model_bytes, out, single

X = floats(1, 2, 3)


def test_options_are_kept(tmp_path: Path) -> None:
    options: dict[str, Any] = {"strideD": 3, "fusedActivationFunction": 1}
    content = single("CONV_3D", [X, floats(2, 4, 3), None, X], [out()], "Conv3DOptions", **options)
    graph = read_tflite_buffer(content)
    (node,) = graph.nodes
    found = custom_attributes(node.primitive)
    assert custom_type(node.primitive) == "tflite.CONV_3D"
    assert (found["stride_d"], found["fused_activation_function"], found["@version"]) == (3, 1, 1)
    assert found["@inputs"] == [0, 1, 3]
    assert [(s.name, s.op_type) for s in node.sources] == [(graph.outputs[0].name, "CONV_3D")]
    write_ms(graph, tmp_path / "model.ms")
    assert read_ms(tmp_path / "model.ms").nodes[0].primitive == node.primitive


def test_a_variable_is_a_parameter() -> None:
    state = T(dtype="float32", shape=(1, 4), variable=True)
    operator = Op("CONV_3D", [0, 1], [2], "Conv3DOptions", {})
    graph = read_tflite_buffer(model_bytes([G([X, state, out()], [operator], [0], [2])]))
    assert [v.is_parameter for v in graph.nodes[0].inputs if v is not None] == [False, True]


def test_a_registered_kernel_runs_it() -> None:
    graph = read_tflite_buffer(single("DILATE", [X, X], [out()]))
    with pytest.raises(UnsupportedOperatorError, match=r"for tflite.DILATE .*not called for its type 'tflite.DILATE'"):
        Model().build_from_graph(graph)
    context = Context()
    context.register_custom(
        "tflite.DILATE", lambda inputs, attributes: np.maximum(*(x for x in inputs if x is not None))
    )
    model = Model()
    model.build_from_graph(graph, context)
    (y,) = model.predict([X.data, X.data])
    np.testing.assert_array_equal(y.get_data_to_numpy(), np.maximum(X.data, X.data))
