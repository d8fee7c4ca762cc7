"""Which kernel a node runs on: the fast one that is there for it, or its reference kernel."""

from __future__ import annotations

from functools import partial
from typing import Any

import lite_delegate_fast.op_softmax
import lite_delegate_kernels.op_softmax
import numpy as np
import pytest

from lite_delegate import Context, DataType, Model
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.runtime.planning.shapes.inferring import InferredModel
from lite_delegate.runtime.settings import Settings


def softmax() -> Graph:
    x, y = Value("x", DataType.FLOAT32, (2, 3)), Value("y", DataType.FLOAT32, (2, 3))
    return Graph("one", [x], [y], [Node("n", make_primitive("Softmax", axis=[1]), [x], [y])])


@pytest.mark.parametrize(
    ("reference_kernels", "expected"),
    [(False, lite_delegate_fast.op_softmax.softmax), (True, lite_delegate_kernels.op_softmax.softmax)],
)
def test_reference_kernels_leaves_the_fast_ones_out(reference_kernels: bool, expected: Any) -> None:
    (graph,) = InferredModel(softmax(), {}, Settings(reference_kernels=reference_kernels)).bind()
    function = graph.kernels[0].function
    assert isinstance(function, partial)
    assert function.func is expected


@pytest.mark.shows("context", "REFERENCE_KERNELS")
def test_the_context_hands_it_on() -> None:
    context, x = Context(), np.array([[1, 2, 3], [0, 0, 0]], np.float32)
    context.cpu.reference_kernels = True
    model = Model()
    model.build_from_graph(softmax(), context)
    (y,) = model.predict({"x": x})
    np.testing.assert_allclose(y.get_data_to_numpy().sum(axis=1), 1, 1e-6)
    with pytest.raises(TypeError, match=r"cpu\.reference_kernels must be bool"):
        context.cpu.reference_kernels = 1  # type: ignore[assignment]
