"""Arrays of C's other integers of 64 bits, which numpy has a type of its own for, as ONNX Runtime gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from lite_delegate import Core
from tests.backends.one_input import one_input

pytest.importorskip("openvino", reason="the package openvino is not installed")


@pytest.mark.parametrize("integer", [np.int64, np.longlong])
def test_both_integers_of_64_bits_are_read(integer: type[np.integer[Any]]) -> None:
    table = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    nodes = [helper.make_node("Gather", ["table", "x"], ["y"])]
    model = one_input(nodes, {"table": table}, (4,), (4, 2), types=(TensorProto.INT64, TensorProto.FLOAT))
    compiled = Core().compile_model(model.SerializeToString(), "OPENVINO")
    places = np.array([2, 0, 1, 2]).astype(integer)
    (y,) = compiled.create_infer_request().infer({"x": places})
    np.testing.assert_array_equal(y, [[5, 6], [1, 2], [3, 4], [5, 6]])
