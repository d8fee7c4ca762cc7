"""SoftmaxFusionPass: the forms that exporters write, in random order, and near misses; ONNX Runtime is the judge."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.passes.fusion.onnx_forms import Array, Form, agree, on_onnxruntime, optimized, planned

pytest.importorskip("onnxruntime")
SHAPE = (3, 4, 7)


def data() -> Array:
    return np.random.default_rng(1).normal(0, 4, SHAPE).astype(np.float32)


def kept(f: Form, axis: int) -> str:
    return f.const([1 if a == axis else -1 if a == 0 else d for a, d in enumerate(SHAPE)], np.int64)


def largest(f: Form, axis: int, x: str = "x") -> str:
    return str(
        f.one_of(
            lambda: f.op("ReduceMax", x, axes=[axis], keepdims=1),
            lambda: f.op("Max", f.const(-math.inf), f.op("ReduceMax", x, axes=[axis], keepdims=1)),
            lambda: f.op("Reshape", f.op("ReduceMax", x, axes=[axis], keepdims=0), kept(f, axis)),
        )()
    )


def total(f: Form, axis: int, x: str, function: str = "") -> str:
    """The sum, or a function of it."""
    where, is_kept = f.const([axis], np.int64), bool(f.one_of(0, 1))
    value = f.op("ReduceSum", x, where, keepdims=int(is_kept))
    value = f.op(function, value) if function else value
    return value if is_kept else f.op("Reshape", value, kept(f, axis))


def softmax(f: Form, axis: int) -> str:
    power = f.op("Exp", f.op("Sub", "x", largest(f, axis)))
    return str(
        f.one_of(
            lambda: f.op("Div", power, total(f, axis, power)),
            lambda: f.product(power, f.op("Reciprocal", total(f, axis, power))),
        )()
    )


def log_softmax(f: Form, axis: int) -> str:
    most = largest(f, axis)
    below = f.op("Sub", "x", most)
    log = total(f, axis, f.op("Exp", below), "Log")
    return str(
        f.one_of(lambda: f.op("Sub", below, log), lambda: f.op("Sub", "x", f.sum(most, log)),
                 lambda: f.op("Sub", f.op("Sub", "x", log), most))()
    )  # fmt: skip


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax"])
def test_1_2_3_forms(name: str, seed: int, axis: int) -> None:
    f = Form(seed, SHAPE)
    model = f.model((softmax if name == "Softmax" else log_softmax)(f, axis))
    (node,) = optimized(model).nodes
    assert node.op_type == name
    agree(planned(model, data())[1], on_onnxruntime(model, data()), 1e-6)


def _divided(f: Form, power: str, axis: int = 2) -> str:
    return f.op("Div", power, f.op("ReduceSum", power, f.const([axis], np.int64), keepdims=1))


def _below(f: Form, axis: int = 2) -> str:
    return f.op("Sub", "x", f.op("ReduceMax", "x", axes=[axis], keepdims=1))


NEAR_MISSES: dict[str, Callable[[Form], str]] = {
    "nothing taken off": lambda f: _divided(f, f.op("Exp", "x")),
    "a sum along another axis": lambda f: _divided(f, f.op("Exp", _below(f)), axis=1),
    "the smallest taken off": lambda f: _divided(
        f, f.op("Exp", f.op("Sub", "x", f.op("ReduceMin", "x", axes=[2], keepdims=1)))
    ),
    "half of it": lambda f: _divided(f, f.op("Exp", f.op("Mul", _below(f), f.const(0.5)))),
    "two axes": lambda f: f.op("Div", p := f.op("Exp", f.op("Sub", "x", f.op("ReduceMax", "x", axes=[1, 2]))),
                               f.op("ReduceSum", p, f.const([1, 2], np.int64))),
    "a logarithm of another sum": lambda f: f.op("Sub", d := _below(f), f.op("Log", f.op(
        "ReduceSum", f.op("Exp", f.op("Mul", d, f.const(0.5))), f.const([2], np.int64)))),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_stay(name: str) -> None:
    f = Form(0, SHAPE)
    model = f.model(NEAR_MISSES[name](f))
    assert not {n.op_type for n in optimized(model).nodes} & {"Softmax", "LogSoftmax"}
    agree(planned(model, data())[1], on_onnxruntime(model, data()))


def test_exponentials_that_others_read_keep_the_nodes() -> None:
    f = Form(0, SHAPE)
    power = f.op("Exp", _below(f))
    model = f.model(f.op("Add", _divided(f, power), power))
    assert "Softmax" not in [n.op_type for n in optimized(model).nodes]
