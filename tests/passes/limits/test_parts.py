"""Operators that a delegate lacks, as the others that they consist of: what formulas written by hand give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DataType, Model
from lite_delegate.delegate import DelegateLimits, Kernel, RejectCode, Rejected, SupportResult
from lite_delegate.ir.primitives import Activation
from lite_delegate.npu import NPUDelegate
from tests.passes.limits.narrow import NarrowDelegate
from tests.passes.random_graphs import Builder

RNG = np.random.default_rng(8)
X = (4 * RNG.normal(size=(2, 3, 8))).astype(np.float32)
GAMMA, BETA = (RNG.normal(size=8).astype(np.float32) for _ in range(2))
PLANE = RNG.normal(size=(3, 8)).astype(np.float32)


class Lacking(NarrowDelegate):
    """Takes tensors of up to four dimensions, but no operator and no type of Activation that it is told."""

    def __init__(self, *missing: str, code: RejectCode = RejectCode.OPERATOR) -> None:
        super().__init__(DelegateLimits(max_rank=4))
        self._lacks = missing
        self._code = code

    def supports(self, kernel: Kernel) -> SupportResult | None:
        names = {kernel.type}
        if isinstance(kernel.primitive, Activation):
            names.add(kernel.primitive.activation_type.name)
        if names & set(self._lacks):
            return Rejected(self._code, f"no {' '.join(sorted(names))}")
        return super().supports(kernel)


def hard_sigmoid(x: Any) -> Any:
    return np.minimum(np.maximum(x + 3, 0), 6) / 6


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def norm(x: Any, axes: Any, epsilon: float) -> Any:
    x = np.asarray(x, np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def activation(name: str, **attributes: Any) -> Any:
    return lambda b, x: b.node("Activation", x, activation_type=name, **attributes)


def layer_norm(*more: np.ndarray[Any, Any], first: int = 2, epsilon: float = 1e-5) -> Any:
    attributes = {"begin_norm_axis": first, "begin_params_axis": first, "epsilon": epsilon}
    return lambda b, x: b.node("LayerNormFusion", x, *map(b.const, more), **attributes)


def gather(axis: int, indices: Any, dtype: Any = np.int32) -> Any:
    shape = np.take(X, indices, axis).shape
    return lambda b, x: b.node("Gather", x, b.const(indices, dtype), b.const(axis, np.int32), shapes=shape)


NORM = [
    "ReduceFusion", "SubFusion", "Abs", "ReduceFusion", "Maximum", "DivFusion", "Square", "ReduceFusion", "DivFusion",
    "Square", "AddFusion", "Sqrt", "DivFusion", "MulFusion", "AddFusion",
]  # fmt: skip
FACES = [[0, -1], [3, 2]]
CASES: dict[str, tuple[Any, Sequence[str], Sequence[str], Any]] = {
    "hard swish": (activation("HSWISH"), ["HSWISH"], ["Activation", "MulFusion"], lambda x: x * hard_sigmoid(x)),
    "hard swish, no hard sigmoid": (
        activation("HSWISH"), ["HSWISH", "HSIGMOID"], ["AddFusion", "Activation", "DivFusion", "MulFusion"],
        lambda x: x * hard_sigmoid(x),
    ),
    "hard swish, no quotient": (
        activation("HSWISH"), ["HSWISH", "HSIGMOID", "DivFusion"],
        ["AddFusion", "Activation", "MulFusion", "MulFusion"], lambda x: x * hard_sigmoid(x),
    ),
    "hard sigmoid": (
        activation("HSIGMOID"), ["HSIGMOID"], ["AddFusion", "Activation", "DivFusion"], hard_sigmoid,
    ),
    "swish": (activation("SWISH"), ["SWISH"], ["Activation", "MulFusion"], lambda x: x * sigmoid(x)),
    "fast gelu": (
        activation("FAST_GELU"), ["FAST_GELU"], ["MulFusion", "Activation", "MulFusion"],
        lambda x: x * sigmoid(1.702 * x),
    ),
    "hard tanh": (
        activation("HARD_TANH", min_val=-2.5, max_val=1.5), ["HARD_TANH"], ["Maximum", "Minimum"],
        lambda x: np.minimum(np.maximum(x, -2.5), 1.5),
    ),
    "hard tanh without lower bound": (
        activation("HARD_TANH", min_val=float(np.finfo(np.float32).tiny), max_val=1.5), ["HARD_TANH"], ["Minimum"],
        lambda x: np.minimum(x, 1.5),
    ),
    "relu1": (
        activation("RELU1"), ["RELU1", "HARD_TANH"], ["Maximum", "Minimum"],
        lambda x: np.minimum(np.maximum(x, -1), 1),
    ),
    "clip": (
        lambda b, x: b.node("Clip", x, min=-np.inf, max=-0.25), ["Clip"], ["Minimum"], lambda x: np.minimum(x, -0.25),
    ),
    "layer norm": (
        layer_norm(GAMMA, BETA), ["LayerNormFusion"],
        NORM,
        lambda x: norm(x, 2, 1e-5) * GAMMA + BETA,
    ),
    "layer norm of two axes": (
        layer_norm(PLANE, PLANE, first=-2, epsilon=0.5), ["LayerNormFusion"],
        NORM,
        lambda x: norm(x, (1, 2), 0.5) * PLANE + PLANE,
    ),
    "broadcast": (
        lambda b, x: b.node("BroadcastTo", b.node("Reshape", x, b.const([6, 1, 8], np.int32), shapes=(6, 1, 8)),
                            b.const([2, 6, 3, 8], np.int32), shapes=(2, 6, 3, 8)),
        ["BroadcastTo"], ["Reshape", "TileFusion"],
        lambda x: np.broadcast_to(x.reshape(6, 1, 8), (2, 6, 3, 8)),
    ),
    "tile": (
        lambda b, x: b.node("TileFusion", x, b.const([1, 2, 3], np.int32), shapes=(2, 6, 24)), ["TileFusion"],
        ["Concat", "Concat"], lambda x: np.tile(x, (1, 2, 3)),
    ),
    "broadcast without tile": (
        lambda b, x: b.node("BroadcastTo", x, b.const([2, 2, 3, 8], np.int32), shapes=(2, 2, 3, 8)),
        ["BroadcastTo", "TileFusion"], ["Reshape", "Concat"], lambda x: np.broadcast_to(x, (2, 2, 3, 8)),
    ),
    "gather": (gather(2, [1, 2, 3, 0, -1]), ["Gather"], ["SliceFusion"] * 3 + ["Concat"],
               lambda x: x[:, :, [1, 2, 3, 0, 7]]),
    "gather neighbors": (gather(2, [5, 6]), ["Gather"], ["SliceFusion"], lambda x: x[:, :, 5:7]),
    "gather a matrix": (gather(2, FACES), ["Gather"], ["SliceFusion"] * 4 + ["Concat", "Reshape"],
                        lambda x: x[:, :, [[0, 7], [3, 2]]]),
}  # fmt: skip
MAY_ROUND = ("hard swish, no quotient", "layer norm", "layer norm of two axes")
"""What has other bits than the one operator; all others have the same."""


def between(make: Any) -> Any:
    """The operator between two that every delegate here has."""
    b = Builder()
    x = b.input("x", X.shape)
    return b.graph(b.node("Neg", make(b, b.node("Neg", x))))


def built(graph: Any, delegate: Any = None, *, rewrite: bool = True) -> Model:
    context = Context()
    context.rewrite = rewrite
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph, context)
    return model


def predicted(model: Model, x: Any) -> Any:
    return model.predict([x])[0].get_data_to_numpy()


@pytest.mark.parametrize("name", CASES)
def test_in_parts(name):
    make, missing, parts, expected = CASES[name]
    graph = between(make)
    model = built(graph, Lacking(*missing))
    record = model.get_partition()
    assert {node.device for node in record.nodes} == {"narrow"}
    (rewrite,) = [each for each in record.rewrites if each.rule == "in-parts"]
    assert [node.type for node in rewrite.after] == list(parts)
    assert (rewrite.delegate, rewrite.code) == ("narrow", RejectCode.OPERATOR)
    found, whole = predicted(model, X), predicted(built(graph), X)
    np.testing.assert_allclose(found, -expected(-X), rtol=2e-6, atol=2e-6)
    if name not in MAY_ROUND:
        np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize("name", CASES)
def test_nodes_stay_where_they_are_taken_or_a_part_is_not(name):
    make, missing, parts, _ = CASES[name]
    types = [node.type for node in built(between(make)).get_partition().nodes]
    for lacks in ([], [*missing, parts[-1]]):
        record = built(between(make), Lacking(*lacks)).get_partition()
        assert [each for each in record.rewrites if [n.type for n in each.after] == list(parts)] == []
    switched_off = built(between(make), Lacking(*missing), rewrite=False).get_partition()
    assert [node.type for node in switched_off.nodes] == types


NOTHING_TO_TAKE_APART: dict[str, Any] = {
    "broadcast": lambda b, x: b.node("BroadcastTo", x, b.const(X.shape, np.int32), shapes=X.shape),
    "tile": lambda b, x: b.node("TileFusion", x, b.const([1, 1, 1], np.int32), shapes=X.shape),
    "norm with an epsilon below 0": layer_norm(GAMMA, BETA, epsilon=-1.0),
}


@pytest.mark.parametrize("name", NOTHING_TO_TAKE_APART)
def test_what_has_no_parts_stays_whole(name):
    record = built(between(NOTHING_TO_TAKE_APART[name]), Lacking("BroadcastTo", "TileFusion", "LayerNormFusion"))
    assert [each.rule for each in record.get_partition().rewrites if each.rule == "in-parts"] == []


@pytest.mark.parametrize("op_type", ["BroadcastTo", "TileFusion", "LayerNormFusion"])
def test_tensors_without_elements_stay_whole(op_type):
    b = Builder()
    x = b.input("x", (2, 0))
    made = {
        "BroadcastTo": lambda: b.node(op_type, x, b.const([3, 2, 0], np.int32), shapes=(3, 2, 0)),
        "TileFusion": lambda: b.node(op_type, x, b.const([2, 2], np.int32), shapes=(4, 0)),
        "LayerNormFusion": lambda: b.node(op_type, x, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-5),
    }[op_type]()
    model = built(b.graph(made), Lacking(op_type))
    assert predicted(model, np.zeros((2, 0), np.float32)).size == 0


@pytest.mark.parametrize("dtype", [np.int32, np.uint8])
def test_bounds_that_integers_cannot_hold(dtype):
    b = Builder()
    data_type = DataType[np.dtype(dtype).name.upper()]
    graph = b.graph(b.node("Clip", b.input("x", (4,), data_type), min=-1e20, max=7.0))
    x = np.array([0, 6, 7, 200], dtype)
    model = built(graph, Lacking("Clip"))
    assert {node.device for node in model.get_partition().nodes} == {"narrow"}
    assert predicted(model, x).tolist() == [0, 6, 7, 7]


def test_what_the_user_keeps_from_the_device_stays_whole():
    record = built(between(activation("HSWISH")), Lacking("HSWISH", code=RejectCode.POLICY)).get_partition()
    assert record.rewrites == ()


def test_int64_indices_are_said_in_int32():
    class Narrow(Lacking):
        def supports(self, kernel: Kernel) -> SupportResult | None:
            if kernel.type == "Gather" and kernel.inputs[1].dtype != DataType.INT32:
                return Rejected(RejectCode.DTYPE, "indices must be INT32")
            return super().supports(kernel)

    model = built(between(gather(1, [2, -3, 2], np.int64)), Narrow())
    (rewrite,) = model.get_partition().rewrites
    assert [node.type for node in rewrite.after] == ["Gather"]
    np.testing.assert_array_equal(predicted(model, X), X[:, [2, 0, 2]])


def test_long_joins_are_no_form():
    b = Builder()
    x = b.input("x", (1, 20))
    graph = b.graph(
        b.node("TileFusion", x, b.const([9, 1], np.int32), shapes=(9, 20)),
        b.node("Gather", x, b.const(range(0, 18, 2), np.int32), b.const(1, np.int32), shapes=(1, 9)),
    )
    assert built(graph, Lacking("TileFusion", "Gather")).get_partition().rewrites == ()


def test_float16_layer_norm_stays():
    """Its reference computes in float32; its parts would not."""
    b = Builder()
    x = b.input("x", X.shape, DataType.FLOAT16)
    weights = [b.const(data, np.float16) for data in (GAMMA, BETA)]
    made = b.node("LayerNormFusion", x, *weights, begin_norm_axis=2, begin_params_axis=2, epsilon=1e-5)
    assert built(b.graph(made), Lacking("LayerNormFusion")).get_partition().rewrites == ()


@pytest.mark.parametrize("epsilon", [1e-5, 1e-6, 1e-12])
@pytest.mark.parametrize("count", [64, 1000])
@pytest.mark.parametrize("size", [1e-3, 1.0, 300.0])
@pytest.mark.parametrize("profile", ["kirin", "myriad_x"])
def test_layer_norm_in_parts_holds_in_float16(profile, size, count, epsilon):
    """A row of one number has no variance, 1e-12 is nothing in float16, and others have squares beyond it."""
    x = (size * RNG.normal(size=(1, 16, count))).astype(np.float32)
    x[0, 3] = size
    x[0, 4, 5] = 100 * size
    b = Builder()
    made = b.node(
        "LayerNormFusion", b.input("x", x.shape), b.const(np.ones(count)), b.const(np.zeros(count)),
        begin_norm_axis=2, begin_params_axis=2, epsilon=epsilon,
    )  # fmt: skip
    model = built(b.graph(made), NPUDelegate(profile))
    assert {node.device for node in model.get_partition().nodes} == {"npu"}
    np.testing.assert_allclose(predicted(model, x), norm(x, 2, epsilon), rtol=4e-3, atol=4e-3)


def test_kirin_takes_what_it_has_no_operator_for():
    b = Builder()
    x = b.node("Activation", b.input("x", (1, 4, 4, 8)), activation_type="HSWISH")
    x = b.node("Activation", x, activation_type="HARD_TANH", min_val=-1.0, max_val=2.0)
    record = built(b.graph(b.node("Neg", x)), NPUDelegate("kirin")).get_partition()
    assert {node.device for node in record.nodes} == {"npu"}
    assert math.prod(len(each.after) for each in record.rewrites) == 4
