"""Operators over five axes for a device of four, and fewer: what numpy gives for the five."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DataType, Model
from lite_delegate.delegate import DelegateLimits, RejectCode, Rejected
from lite_delegate.passes.limits.grouping import FREE, grouped
from tests.passes.limits.narrow import NarrowDelegate
from tests.passes.random_graphs import Builder

SHAPE = (2, 3, 1, 4, 5)
RNG = np.random.default_rng(5)
FULL, ROW = RNG.normal(size=SHAPE).astype(np.float32), RNG.normal(size=5).astype(np.float32)
PLANE = RNG.normal(size=(3, 1, 4, 1)).astype(np.float32)
PAIR = RNG.normal(size=(2, 3, 1, 5, 6)).astype(np.float32)
ONE = RNG.normal(size=(5, 6)).astype(np.float32)
PADS = [(0, 0), (1, 2), (0, 0), (0, 0), (3, 0)]


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


CASES: dict[str, Any] = {
    "one operand": (lambda b, x: b.node("Abs", x), np.abs),
    "is finite": (
        lambda b, x: b.node("Cast", b.node("IsFinite", x, dtype=DataType.BOOL), b.const(43, np.int32)),
        np.isfinite,
    ),
    "a row": (lambda b, x: b.node("AddFusion", x, b.const(ROW)), lambda x: x + ROW),
    "a plane": (lambda b, x: b.node("MulFusion", x, b.const(PLANE)), lambda x: x * PLANE),
    "as many": (lambda b, x: b.node("SubFusion", b.const(FULL), x), lambda x: FULL - x),
    "a number": (lambda b, x: b.node("Maximum", x, b.const(0.5)), lambda x: np.maximum(x, np.float32(0.5))),
    "last axis": (lambda b, x: b.node("Softmax", x, axis=[-1]), lambda x: softmax(x, 4)),
    "middle axis": (lambda b, x: b.node("Softmax", x, axis=[1]), lambda x: softmax(x, 1)),
    "concat": (
        lambda b, x: b.node("Concat", x, b.const(FULL), shapes=(2, 3, 1, 8, 5), axis=3),
        lambda x: np.concatenate([x, FULL], 3),
    ),
    "concat of ones": (
        lambda b, x: b.node("Concat", x, x, shapes=(2, 3, 2, 4, 5), axis=2),
        lambda x: np.concatenate([x, x], 2),
    ),
    "stack": (
        lambda b, x: b.node("Stack", *[b.node("Reshape", x, b.const([6, 4, 5, 1], np.int32), shapes=(6, 4, 5, 1))] * 2,
                            shapes=(6, 2, 4, 5, 1), axis=1),
        lambda x: np.stack([x.reshape(6, 4, 5, 1)] * 2, 1),
    ),
    "largest of two axes": (
        lambda b, x: b.node("ReduceFusion", x, b.const([0, 1], np.int32), shapes=(1, 4, 5), mode="ReduceMax"),
        lambda x: x.max((0, 1)),
    ),
    "largest of axes apart": (
        lambda b, x: b.node("ReduceFusion", x, b.const([-1, 1], np.int32), shapes=(2, 1, 1, 4, 1), mode="ReduceMax",
                            keep_dims=True),
        lambda x: x.max((1, 4), keepdims=True),
    ),
    "place of the largest": (
        lambda b, x: b.node("ArgMaxFusion", x, shapes=(2, 3, 1, 5), dtype=DataType.INT32, axis=3),
        lambda x: x.argmax(3),
    ),
    "stacks of matrices": (
        lambda b, x: b.node("MatMulFusion", x, b.const(PAIR), shapes=(2, 3, 1, 4, 6)),
        lambda x: x @ PAIR,
    ),
    "one matrix": (lambda b, x: b.node("MatMulFusion", x, b.const(ONE), shapes=(2, 3, 1, 4, 6)), lambda x: x @ ONE),
    "border": (
        lambda b, x: b.node("PadFusion", x, b.const(PADS, np.int32), shapes=(2, 6, 1, 4, 8)),
        lambda x: np.pad(x, PADS),
    ),
    "norm": (
        lambda b, x: b.node("LayerNormFusion", x, b.const(ROW), b.const(ROW), begin_norm_axis=4, begin_params_axis=4,
                            epsilon=1e-5, elementwise_affine=True),
        lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * ROW + ROW,
    ),
}  # fmt: skip


def five(make):
    b = Builder()
    x = b.input("x", SHAPE)
    return b.graph(make(b, x))


def built(graph, delegate=None):
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph, context)
    return model


APART = ("largest of axes apart", "border")
"""What has four axes that differ from their neighbors, which three cannot say."""


@pytest.mark.parametrize(("name", "most"), [(name, 4) for name in CASES] + [(n, 3) for n in CASES if n not in APART])
def test_over_fewer_axes(name, most):
    """Only reshapes of the model's own input and output are left to the CPU."""
    make, expected = CASES[name]
    graph = five(make)
    model = built(graph, NarrowDelegate(DelegateLimits(max_rank=most)))
    record = model.get_partition()
    assert {node.type for node in record.nodes if node.device == "CPU"} <= {"Reshape"}
    assert any(node.device == "narrow" and node.type not in ("Reshape",) for node in record.nodes)
    found = model.predict([FULL])[0].get_data_to_numpy()
    np.testing.assert_allclose(found, expected(FULL), rtol=2e-6, atol=1e-6)
    np.testing.assert_array_equal(found, built(graph).predict([FULL])[0].get_data_to_numpy())


@pytest.mark.parametrize("name", APART)
def test_too_few_axes_leave_a_node_as_it_is(name):
    record = built(five(CASES[name][0]), NarrowDelegate(DelegateLimits(max_rank=3))).get_partition()
    assert record.rewrites == ()


def test_neighbors_meet_without_reshapes_between_them():
    graph = five(lambda b, x: b.node("Abs", b.node("Softmax", b.node("Neg", x), axis=[4])))
    record = built(graph, NarrowDelegate(DelegateLimits(max_rank=4))).get_partition()
    assert [node.type for node in record.nodes] == ["Reshape", "Neg", "Softmax", "Abs", "Reshape"]
    assert [rewrite.rule for rewrite in record.rewrites].count("fewer-axes") == 3


class OfRows(NarrowDelegate):
    """Multiplies matrices, but no stacks of them."""

    def supports(self, kernel):
        if kernel.type == "MatMulFusion" and len(kernel.inputs[0].shape) > 2:
            return Rejected(RejectCode.LIMIT, "no stacks")
        return super().supports(kernel)


def test_a_limit_that_fewer_axes_keep():
    b = Builder()
    x = b.input("x", (2, 4, 5))
    graph = b.graph(b.node("MatMulFusion", b.node("Abs", x), b.const(ONE), shapes=(2, 4, 6)))
    model = built(graph, OfRows(DelegateLimits(max_rank=4)))
    assert {node.device for node in model.get_partition().nodes} == {"narrow"}
    (rewrite,) = [each for each in model.get_partition().rewrites if each.rule == "fewer-axes"]
    assert (rewrite.code, rewrite.reason) == (RejectCode.LIMIT, "no stacks")
    image = FULL[0, :2, 0]
    np.testing.assert_allclose(model.predict([image])[0].get_data_to_numpy(), np.abs(image) @ ONE, rtol=1e-5)


def test_resized_models_are_rewritten_anew():
    model = built(five(CASES["last axis"][0]), NarrowDelegate(DelegateLimits(max_rank=4)))
    for shape in ((3, 3, 2, 4, 5), SHAPE):
        model.resize(model.get_inputs(), [list(shape)])
        x = RNG.normal(size=shape).astype(np.float32)
        np.testing.assert_allclose(model.predict([x])[0].get_data_to_numpy(), softmax(x, 4), rtol=2e-6, atol=1e-6)
        assert model.get_partition().rewrites


@pytest.mark.parametrize(
    ("labels", "most", "groups"),
    [
        ("aabb", 2, ((0, 1), (2, 3))),
        ("aaab", 3, ((0, 1), (2,), (3,))),
        ("aaa", 1, ((0, 1, 2),)),
        ("aba", 2, None),
        (["a", FREE, "b"], 2, ((0, 1), (2,))),
        ([FREE, FREE, "b"], 1, ((0, 1, 2),)),
    ],
)
def test_grouped(labels, most, groups):
    assert grouped(list(labels), most) == groups
