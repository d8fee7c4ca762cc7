"""The bounds hold on random products and chains, against float64 loops, and are not idle."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.npu.semantics.error_bounds import matmul_error, storage_error
from tests.npu import loops
from tests.npu.graphs import Array, const, node, out, predict, variable


def random(shape: tuple[int, ...], seed: int, scale: float = 1.0) -> Array:
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def test_storing_a_number_is_off_by_the_bound_at_most():
    values = np.concatenate([random((1000,), 1, scale) for scale in (1e-9, 1e-6, 1e-3, 1.0, 1e3)])
    error = np.abs(values.astype(np.float16).astype(np.float64) - values)
    assert (error <= storage_error(values)).all()
    assert (error / storage_error(values)).max() > 0.9


@pytest.mark.parametrize("terms", [1, 7, 64, 700])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 5.0])
@pytest.mark.parametrize("with_bias", [False, True])
def test_a_product_is_within_its_bound(terms, scale, with_bias):
    x, weight, bias = random((6, terms), 2, scale), random((terms, 5), 3), random((5,), 4)
    fed = variable("x", x.shape)
    operands = [fed, const("w", weight), *([const("b", bias)] if with_bias else [])]
    (got,) = predict([node("MatMulFusion", operands, (6, 5))], {fed: x})
    want = loops.matmul(x, weight) + (bias if with_bias else 0.0)
    bound = matmul_error(x, weight, bias if with_bias else None)
    error = np.abs(got - want)
    assert (error <= bound).all()
    assert (bound < np.maximum(np.abs(want).max(), 1e-4) * 0.1 * max(1.0, terms / 64)).all()


def test_a_convolution_is_within_the_bound_of_the_product_of_its_windows():
    x, weight, bias = random((1, 8, 7, 5), 5), random((4, 3, 3, 5), 6, 0.3), random((4,), 7)
    fed = variable("x", x.shape)
    kernel = node("Conv2DFusion", [fed, const("w", weight), const("b", bias)], (1, 6, 5, 4), group=1)
    (got,) = predict([kernel], {fed: x})
    windows = np.array([x[0, r : r + 3, s : s + 3].ravel() for r in range(6) for s in range(5)])
    matrix = weight.reshape(4, -1).T
    want = loops.convolution(x.transpose(0, 3, 1, 2), weight, (6, 5)).transpose(0, 2, 3, 1) + bias
    assert (np.abs(got - want).reshape(30, 4) <= matmul_error(windows, matrix, bias)).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_is_within_the_bound_carried_from_layer_to_layer(seed):
    x = random((4, 32), seed)
    tensor = fed = variable("x", x.shape)
    exact, error, kernels = x.astype(np.float64), None, []
    for layer in range(4):
        weight = random((32, 32), 10 * seed + layer, 0.2)
        error = matmul_error(exact, weight, None, error)
        exact = np.maximum(loops.matmul(exact, weight), 0)  # ReLU does not enlarge an error
        kernels.append(node("MatMulFusion", [tensor, const("w", weight)], (4, 32), activation_type="RELU"))
        tensor = out(kernels[-1])
    (got,) = predict(kernels, {fed: x})
    assert error is not None
    assert (np.abs(got - exact) <= error).all()
    assert np.abs(got - exact).max() > 0


def test_without_cancellation_each_layer_adds_the_roundings_of_its_weights_and_its_result():
    exact, error = np.abs(random((4, 32), 1)).astype(np.float64), None
    for layer in range(4):
        weight = np.abs(random((32, 32), layer, 0.2))
        error = matmul_error(exact, weight, None, error)
        exact = loops.matmul(exact, weight)
    assert error is not None
    roundings = 1 + 2 * 4  # the input, then a weight and a result per layer
    assert (error > roundings * 2.0**-11 * exact).all()
    assert (error < (roundings + 0.5) * 2.0**-11 * exact).all()
