"""Outputs of classes are recognized by what they hold, or by the layer that makes them."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import DataType
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.numerics.classes import best_classes, distribution_axis, logits_of, scores_at

RNG = np.random.default_rng(0)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return np.asarray((e / e.sum(axis, keepdims=True)).astype(np.float32))


@pytest.mark.parametrize(
    ("x", "axis"),
    [
        (softmax(RNG.standard_normal((3, 10)), 1), 1),
        (softmax(RNG.standard_normal(10), 0), 0),
        (np.log(softmax(RNG.standard_normal((3, 10)), 1)), 1),
        (softmax(RNG.standard_normal((2, 5, 4, 4)), 1), 1),
        (softmax(RNG.standard_normal((2, 4, 4, 5)), 3), 3),
        (RNG.standard_normal((3, 10)).astype(np.float32), None),
        (RNG.random((3, 10)).astype(np.float32), None),
        (np.ones((3, 1), np.float32), None),
        (np.zeros((3, 4), np.float32), None),
        (np.full((2, 2), np.nan, np.float32), None),
        (np.zeros((0, 4), np.float32), None),
        (np.float32(1), None),
        (np.eye(4, dtype=np.int32), None),
    ],
)
def test_probabilities_are_recognized(x: np.ndarray, axis: int | None) -> None:
    assert distribution_axis(np.asarray(x)) == axis


def test_steps_of_integers_may_add_up_to_more() -> None:
    rounded = np.rint(softmax(RNG.standard_normal((3, 50)), 1) * 256) / 256
    assert distribution_axis(rounded) is None
    assert distribution_axis(rounded, 1 / 256) == 1


def model(*ops: str, shape: tuple[int, ...] = (1, 10), outputs: int = 1) -> Graph:
    x = Value("x", DataType.FLOAT32, (1, 10))
    nodes: list[Node] = []
    last = x
    for op in ops:
        more = [constant("w", np.ones((10, 10), np.float32))] if op != "Activation" else []
        nodes.append(Node(op, make_primitive(op), [last, *more], [Value(f"{op}:0", DataType.FLOAT32, shape)]))
        last = nodes[-1].outputs[0]
    return Graph("g", [x], [last] * outputs, nodes)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (model("MatMulFusion"), True),
        (model("FullConnection"), True),
        (model("MatMulFusion", "AddFusion"), True),
        (model("MatMulFusion", "BiasAdd"), True),
        (model("MatMulFusion", "Activation"), False),
        (model("AddFusion"), False),
        (model("MatMulFusion", shape=(1, 1)), False),
        (model("MatMulFusion", shape=(1, 5, 10)), False),
        (model("MatMulFusion", outputs=2), False),
        (model(), False),
    ],
)
def test_logits_are_the_only_output_that_a_dense_layer_makes(graph: Graph, expected: bool) -> None:
    assert (logits_of(graph) is not None) is expected


def test_best_classes_by_a_loop() -> None:
    x = RNG.standard_normal((2, 5, 3)).astype(np.float32)
    want = [max(range(5), key=lambda c: x[i, c, j]) for i in range(2) for j in range(3)]
    best = best_classes(x, 1)
    assert best.tolist() == want
    assert scores_at(x, 1, best).tolist() == x.max(1).reshape(-1).tolist()
