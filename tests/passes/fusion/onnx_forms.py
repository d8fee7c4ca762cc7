"""ONNX models of one formula, whose sums and products stand in random order and grouping; ONNX Runtime runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Model
from lite_delegate.formats import read_model_buffer
from lite_delegate.ir import Graph
from lite_delegate.passes.optimize import optimize

Array = np.ndarray[Any, Any]


class Form:
    """A model that is written node by node, with one way of several taken wherever there are several.

    Args:
        seed: of the choices.
        shape: of the input ``x``.
        is_open: the first dimension is left open.
        dtype: of the input.
    """

    def __init__(
        self, seed: int, shape: tuple[int, ...], *, is_open: bool = False, dtype: int = TensorProto.FLOAT
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        dims: list[str | int | None] = ["batch" if is_open and place == 0 else d for place, d in enumerate(shape)]
        self._input = helper.make_tensor_value_info("x", dtype, dims)

    def one_of(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def const(self, data: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(data, dtype), name))
        return name

    def op(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op_type.lower()}{len(self._nodes)}"
        self._nodes.append(helper.make_node(op_type, list(inputs), [name], name, **attributes))
        return name

    def joined(self, op_type: str, *values: str) -> str:
        """All of them by one operator, in random order and grouping."""
        left = list(self.rng.permutation(list(values)))
        while len(left) > 1:
            place = int(self.rng.integers(len(left) - 1))
            left[place : place + 2] = [self.op(op_type, *left[place : place + 2])]
        return str(left[0])

    def product(self, *factors: str) -> str:
        return self.joined("Mul", *factors)

    def sum(self, *terms: str) -> str:
        return self.joined("Add", *terms)

    def square(self, x: str) -> str:
        return str(self.one_of(lambda: self.op("Mul", x, x), lambda: self.op("Pow", x, self.const(2.0)))())

    def model(self, *outputs: str) -> bytes:
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self._nodes, "form", [self._input], values, self._constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        return bytes(made.SerializeToString())


def on_onnxruntime(model: bytes, x: Array) -> list[Array]:
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return list(session.run(None, {"x": x}))


def optimized(model: bytes) -> Graph:
    return optimize(read_model_buffer(model)).graph


def planned(model: bytes, x: Array) -> tuple[list[str], list[Array]]:
    """The operators of the plan for the shapes of an input, and the outputs."""
    built = Model()
    built.build_from_graph(optimized(model), Context())
    built.resize(built.get_inputs(), [x.shape])
    outputs = [np.array(t.data) for t in built.predict({"x": x})]
    return [node.type for node in built.get_partition().nodes], outputs


def agree(got: Sequence[Array], expected: Sequence[Array], tolerance: float = 2e-5) -> None:
    """The numbers are a few roundings apart, relative to the largest one."""
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance * max(1.0, np.abs(theirs).max()))
