"""Models that lose their digits in float16, each with what is known of them by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite_delegate import Context, DataType, Delegate, DelegateModel, Kernel, Model
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from tests.compare.planted import Planted, PlantedKernel
from tests.runtime.graphs import result_of, value

ROWS, WIDTH = 4, 64
AXES = constant("axes", np.array([1], np.int32))
VARIANCE = ("mean", "square", "mean_square", "squared_mean", "variance")
"""The nodes of a variance by E[x^2] - E[x]^2: rounding any of them alone to float16 leaves nothing of it."""


def node(name: str, op: str, inputs: list[Value], shape: tuple[int, ...], **attributes: object) -> Node:
    return Node(name, make_primitive(op, **attributes), list(inputs), [value(f"{name}:0", shape)])


def mean_of(name: str, x: Value) -> Node:
    return node(name, "ReduceFusion", [x, AXES], (ROWS, 1), mode="ReduceMean", keep_dims=True)


def layer_norm() -> Graph:
    """A layer norm as Flax and Keras write it: the variance is E[x^2] - E[x]^2."""
    x = value("x", (ROWS, WIDTH))
    mean = mean_of("mean", x)
    square = node("square", "MulFusion", [x, x], (ROWS, WIDTH))
    mean_square = mean_of("mean_square", square.outputs[0])
    squared_mean = node("squared_mean", "MulFusion", [mean.outputs[0], mean.outputs[0]], (ROWS, 1))
    variance = node("variance", "SubFusion", [mean_square.outputs[0], squared_mean.outputs[0]], (ROWS, 1))
    epsilon = constant("epsilon", np.array([1e-3], np.float32))
    plus = node("plus", "AddFusion", [variance.outputs[0], epsilon], (ROWS, 1))
    deviation = node("deviation", "Sqrt", [plus.outputs[0]], (ROWS, 1))
    centered = node("centered", "SubFusion", [x, mean.outputs[0]], (ROWS, WIDTH))
    normed = node("normed", "DivFusion", [centered.outputs[0], deviation.outputs[0]], (ROWS, WIDTH))
    nodes = [mean, square, mean_square, squared_mean, variance, plus, deviation, centered, normed]
    return Graph("layer_norm", [x], normed.outputs, nodes)


def far_from_zero() -> dict[str, np.ndarray]:
    """Rows whose mean is 100 and whose deviation is 1: their squares are near 10,000, where float16 has steps of 8."""
    rng = np.random.default_rng(0)
    return {"x": (100 + rng.standard_normal((ROWS, WIDTH))).astype(np.float32)}


def overflowing() -> Graph:
    """A softmax without the maximum subtracted: exp(12) is 162,755, and float16 ends at 65,504."""
    x = value("x", (1, 3))
    exp = node("exp", "ExpFusion", [x], (1, 3), base=-1.0, scale=1.0, shift=0.0)
    total = node("total", "ReduceFusion", [exp.outputs[0], AXES], (1, 1), mode="ReduceSum", keep_dims=True)
    shares = node("shares", "DivFusion", [exp.outputs[0], total.outputs[0]], (1, 3))
    return Graph("softmax", [x], shares.outputs, [exp, total, shares])


def large() -> dict[str, np.ndarray]:
    return {"x": np.array([[12.0, 11.0, 1.0]], np.float32)}


class HalfKernel(PlantedKernel):
    """Runs nodes one after another on operands in float16, and stores what they give in float16."""

    def execute(self) -> None:
        for node in self.nodes:
            result = result_of(node, [half(tensor.data) for tensor in node.inputs])
            node.outputs[0].data = half(result)


def half(x: np.ndarray) -> np.ndarray:
    """Real numbers rounded to float16."""
    with np.errstate(over="ignore"):
        return x.astype(np.float16).astype(x.dtype) if x.dtype.kind == "f" else x


class HalfDevice(Planted):
    """A device that keeps nothing finer than float16: the poorest that is still right."""

    name = "half"
    storage_dtype = DataType.FLOAT16

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        number = sum(k.type == "Planted" for k in model)
        return HalfKernel(f"Half{number}", model.boundary_of(run), run, {})


class Exact(Planted):
    """A device with float32 beside it."""

    name = "exact"
    storage_dtype = DataType.FLOAT32


def built(graph: Graph, *delegates: Delegate) -> Model:
    """A model that can be compared; on the device in float16 unless said."""
    context, model = Context(), Model()
    context.set_delegates(list(delegates) or [HalfDevice()])
    context.on_delegate_error = "fallback"
    model.build_from_graph(graph, context)
    return model
