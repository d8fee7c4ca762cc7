"""LayerNormFusionPass on normalizations as frameworks write them, in random order; ONNX Runtime is the judge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.passes.fusion.onnx_forms import Array, Form, agree, on_onnxruntime, optimized, planned

pytest.importorskip("onnxruntime")
SHAPE, EPSILON = (2, 3, 8), 1e-3
NORMS = {"LayerNormFusion", "InstanceNorm"}


def data(seed: int = 1) -> Array:
    return np.random.default_rng(seed).normal(1.0, 1.0, SHAPE).astype(np.float32)


def mean(f: Form, x: str, axes: tuple[int, ...], shape: tuple[int, ...] = SHAPE) -> str:
    count = int(np.prod([shape[a] for a in axes]))
    where = f.const(axes, np.int64)
    kept = tuple(1 if a in axes else d for a, d in enumerate(shape))

    def total() -> str:
        return f.op("ReduceSum", x, where, keepdims=1)

    return str(
        f.one_of(
            lambda: f.op("ReduceMean", x, axes=axes, keepdims=1),
            lambda: f.op("Mul", f.const(1 / count), total()),
            lambda: f.op("Div", total(), f.const([float(count)])),
            lambda: f.op("Unsqueeze", f.op("ReduceMean", x, axes=axes, keepdims=0), where),
            lambda: f.op("Reshape", f.op("ReduceMean", x, axes=axes, keepdims=0), f.const((-1, *kept[1:]), np.int64)),
        )()
    )


def variance(f: Form, x: str, m: str, axes: tuple[int, ...]) -> str:
    def apart() -> str:
        return f.op("Sub", mean(f, f.square(x), axes), f.square(m))

    def clamped() -> str:
        return str(f.one_of(f.op("Max", apart(), f.const(0.0)), f.op("Relu", apart())))

    return str(f.one_of(lambda: mean(f, f.square(f.op("Sub", x, m)), axes), apart, clamped)())


def root(f: Form, v: str) -> str:
    """One over the root."""
    shifted = f.sum(v, f.const(EPSILON))
    return str(
        f.one_of(
            lambda: f.op("Reciprocal", f.op("Sqrt", shifted)),
            lambda: f.op("Div", f.const(1.0), f.op("Sqrt", shifted)),
            lambda: f.op("Pow", shifted, f.const(-0.5)),
        )()
    )


def norm(f: Form, axes: tuple[int, ...] = (2,), x: str = "x", *, affine: bool = True) -> str:
    """One of the ways to write it, with a gamma and a beta for each place along the axes."""
    m = mean(f, x, axes)
    scale = root(f, variance(f, x, m, axes))
    shape = tuple(d if a in axes else 1 for a, d in enumerate(SHAPE))
    rng = np.random.default_rng(7)
    gamma, beta = rng.normal(1, 0.2, shape), rng.normal(size=shape)
    factors = [f.const(gamma)] if affine else []

    def together() -> str:
        return f.product(f.op("Sub", x, m), scale, *factors)

    def apart() -> str:
        both = f.product(scale, *factors)
        offset = f.op("Mul", m, both)
        if affine and f.one_of(True, False):
            return f.op("Add", f.op("Mul", x, both), f.op("Sub", f.const(beta), offset))
        scaled = f.op("Sub", f.op("Mul", both, x), offset)
        return f.sum(scaled, f.const(beta)) if affine else scaled

    if f.one_of(True, False):
        return apart()
    return f.sum(together(), f.const(beta)) if affine else together()


@pytest.mark.parametrize("axes", [(2,), (1, 2)])
@pytest.mark.parametrize("seed", range(25))
def test_orders_and_groupings_of_known_shapes(seed: int, axes: tuple[int, ...]) -> None:
    f = Form(seed, SHAPE)
    model = f.model(norm(f, axes, affine=seed % 5 != 0))
    assert [n.op_type for n in optimized(model).nodes] == ["LayerNormFusion"]
    agree(planned(model, data())[1], on_onnxruntime(model, data()), 1e-4)


@pytest.mark.parametrize("axes", [(1,), (2,)])
@pytest.mark.parametrize("seed", range(12))
def test_open_shapes_are_seen_through_in_the_plan(seed: int, axes: tuple[int, ...]) -> None:
    f = Form(seed, SHAPE, is_open=True)
    sizes = f.op("Concat", f.op("Slice", f.op("Shape", "x"), *(f.const([n], np.int64) for n in (0, 1))),
                 f.const(SHAPE[1:], np.int64), axis=0)  # fmt: skip
    model = f.model(norm(f, axes, f.op("Reshape", "x", sizes)))
    operators, outputs = planned(model, data())
    assert NORMS & set(operators)
    assert not set(operators) - {*NORMS, "Reshape", "Transpose"}
    agree(outputs, on_onnxruntime(model, data()), 1e-4)


def test_channels_normalized_over_places_are_an_instance_norm() -> None:
    f, shape = Form(3, (2, 4, 6, 5)), (2, 4, 6, 5)
    m = mean(f, "x", (1, 2), shape)
    v = f.op("ReduceMean", f.square(f.op("Sub", "x", m)), axes=[1, 2], keepdims=1)
    rng = np.random.default_rng(1)
    y = f.op("Mul", f.op("Mul", f.op("Sub", "x", m), root(f, v)), f.const(rng.normal(size=5)))
    model = f.model(f.op("Add", y, f.const(rng.normal(size=5))))
    assert [n.op_type for n in optimized(model).nodes] == ["InstanceNorm"]
    x = rng.normal(size=shape).astype(np.float32)
    agree(planned(model, x)[1], on_onnxruntime(model, x))


def test_groups_keep_what_is_done_to_each_channel() -> None:
    f = Form(2, (2, 6, 4, 3))
    x = f.op("Reshape", "x", f.const([2, 3, 24], np.int64))
    m = f.op("ReduceMean", x, axes=[2], keepdims=1)
    v = f.op("ReduceMean", f.square(f.op("Sub", x, m)), axes=[2], keepdims=1)
    y = f.op("Reshape", f.op("Mul", f.op("Sub", x, m), root(f, v)), f.const([2, 6, 4, 3], np.int64))
    rng = np.random.default_rng(1)
    y = f.op("Add", f.op("Mul", y, f.const(rng.normal(size=(6, 1, 1)))), f.const(rng.normal(size=(6, 1, 1))))
    model = f.model(y)
    assert "LayerNormFusion" in [n.op_type for n in optimized(model).nodes]
    x_data = rng.normal(size=(2, 6, 4, 3)).astype(np.float32)
    agree(planned(model, x_data)[1], on_onnxruntime(model, x_data))


def _formula(f: Form, **other: str) -> str:
    m = f.op("ReduceMean", "x", axes=[2], keepdims=1)
    left = f.op("Sub", f.op("ReduceMean", f.op("Mul", "x", "x"), axes=[2], keepdims=1), f.op("Mul", m, m))
    v = other.get("variance", left)
    scale = f.op("Reciprocal", f.op("Sqrt", f.op("Add", v, other.get("epsilon", f.const(EPSILON)))))
    return f.op("Mul", f.op("Sub", other.get("x", "x"), other.get("mean", m)), other.get("scale", scale))


def _of_a_sample(f: Form) -> str:
    m = f.op("ReduceMean", "x", axes=[2], keepdims=1)
    squares = f.op("ReduceSum", f.square(f.op("Sub", "x", m)), f.const([2], np.int64), keepdims=1)
    return _formula(f, variance=f.op("Div", squares, f.const(7.0)))


NEAR_MISSES: dict[str, Callable[[Form], str]] = {
    "a mean over another axis": lambda f: _formula(f, mean=f.op("ReduceMean", "x", axes=[1], keepdims=1)),
    "the mean of something else": lambda f: _formula(
        f, mean=f.op("ReduceMean", f.op("Tanh", "x"), axes=[2], keepdims=1)
    ),
    "something else less the mean": lambda f: _formula(f, x=f.op("Tanh", "x")),
    "the variance of a sample": _of_a_sample,
    "an epsilon for each place": lambda f: _formula(f, epsilon=f.const(np.full(8, EPSILON))),
    "a deviation plus epsilon": lambda f: _formula(f, scale=f.op(
        "Reciprocal", f.op("Add", f.op("Sqrt", f.op("ReduceMean", f.op("Mul", "x", "x"), axes=[2], keepdims=1)),
                           f.const(EPSILON)))),
    "no mean taken off": lambda f: _formula(f, mean=f.const(0.0)),
    "a scale of each row": lambda f: f.op("Mul", _formula(f, scale=f.op("Tanh", "x")), f.const(2.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_stay(name: str) -> None:
    f = Form(0, SHAPE)
    model = f.model(NEAR_MISSES[name](f))
    assert not NORMS & {n.op_type for n in optimized(model).nodes}
    agree(planned(model, data())[1], on_onnxruntime(model, data()))


def test_the_formula_of_the_near_misses_is_found() -> None:
    f = Form(0, SHAPE)
    assert NORMS & {n.op_type for n in optimized(f.model(_formula(f))).nodes}


@pytest.mark.parametrize("inner", ["sub", "reducemean", "reciprocal"])
def test_inner_values_that_are_outputs_keep_the_nodes(inner: str) -> None:
    f = Form(0, SHAPE)
    y = _formula(f)
    name = next(n.output[0] for n in f._nodes if n.name.startswith(inner))
    model = f.model(y, name)
    assert not NORMS & {n.op_type for n in optimized(model).nodes}
    agree(planned(model, data())[1], on_onnxruntime(model, data()))


def test_inner_values_that_others_read_keep_the_nodes() -> None:
    f = Form(0, SHAPE)
    y = _formula(f)
    m = next(n.output[0] for n in f._nodes if n.op_type == "ReduceMean")
    model = f.model(f.op("Mul", y, f.op("Tanh", m)))
    assert not NORMS & {n.op_type for n in optimized(model).nodes}


def test_constants_that_together_are_larger_than_each_stay() -> None:
    f = Form(0, SHAPE)
    y = f.op("Mul", f.op("Mul", _formula(f), f.const(np.ones((3, 1)))), f.const(np.ones(8)))
    made = optimized(f.model(y))
    assert {v.data.size for n in made.nodes for v in n.inputs if v is not None and v.data is not None} == {3, 8}
