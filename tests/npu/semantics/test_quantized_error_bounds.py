"""The bounds for integers hold on random layers, against float64 loops, and are not idle."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.quantized_scaling import fixed_point
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.semantics.error_bounds import windows
from lite_delegate.npu.semantics.quantized_error_bounds import Steps, StoredWeight, rounding_steps
from tests.npu import loops
from tests.npu.graphs import const, out, predict
from tests.npu.quantized_graphs import on_integers, stored, stored_const


@given(st.integers(-(2**24), 2**24), st.floats(2.0**-24, 0.9))
def test_requantization_is_off_by_the_steps_that_are_granted(value: int, factor: float) -> None:
    got = int(fixed_point([factor]).scaled(np.array([value], np.int64), -1)[0])
    off = abs(got - value * Fraction(factor))
    assert off <= Fraction(float(rounding_steps(factor))) + abs(value * Fraction(factor)) / 2**31


def test_more_than_half_a_step_is_granted_for_a_reason() -> None:
    """A half above the last digit is rounded twice: 0.46 becomes 0.5 at bit 31, and 1 at the shift."""
    factor, value = 0.46, 1
    assert int(fixed_point([factor]).scaled(np.array([value], np.int64), -1)[0]) == 1
    assert abs(1 - factor) > 0.5


def test_what_lies_outside_the_range_is_off_by_as_much() -> None:
    steps = Steps(0.5, 3)
    values = np.array([-65.5 - 7.0, -65.5, 0.0, 62.0, 70.0])
    np.testing.assert_allclose(steps.beyond(values), [7.0, 0.0, 0.0, 0.0, 8.0])
    np.testing.assert_allclose(steps.stored_error(values, 0.125), [7.375, 0.375, 0.375, 0.375, 8.375])
    assert steps.deviation == pytest.approx(0.5 / 12**0.5)


def layer(rng: np.random.Generator, terms: int, units: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    weight, bias = rng.normal(size=(terms, units)), rng.normal(size=units)
    return weight, bias, np.abs(weight).max(axis=0) / 127


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("narrow", [1.0, 0.5])
def test_a_chain_of_layers_is_within_its_bound(seed: int, narrow: float) -> None:
    """``narrow``: ranges of half the width, so that results saturate."""
    rng = np.random.default_rng(seed)
    exact = rng.normal(size=(40, 24))
    steps = Steps(float(np.abs(exact).max()) / 127, 0)
    q = np.clip(np.rint(exact / steps.scale), -128, 127).astype(np.int8)
    x = tensor = stored("x", (40, 24), (steps.scale, 0))
    error, kernels, deviation = steps.stored_error(exact), [], np.full(exact.shape, steps.deviation)
    for _ in range(3):
        weight, bias, scales = layer(rng, 24, 24)
        values = np.maximum(loops.matmul(exact, weight) + bias, 0)
        scale = narrow * float(values.max()) / 255
        made, target = StoredWeight(weight, scales, bias), Steps(scale, -128, low=-128)
        error_here = made.product_error(exact, error, steps.scale, target, values)
        deviation = made.product_deviation(exact, deviation, steps.scale, target)
        kernel = on_integers(
            "MatMulFusion",
            [
                tensor,
                stored_const("w", np.rint(weight / scales).astype(np.int8), *[(float(s), 0) for s in scales]),
                const("b", np.rint(bias / (steps.scale * scales)).astype(np.int32)),
            ],
            (40, 24),
            (scale, -128),
            activation_type="RELU",
        )
        kernels.append(kernel)
        tensor, exact, error, steps = out(kernel), values, error_here, target
    (got,) = predict(kernels, {x: q})
    off = np.abs((got.astype(np.float64) + 128) * steps.scale - exact)
    assert (off <= error).all()
    if narrow == 1.0:
        assert (off <= 6 * deviation).all()
        assert np.sqrt(np.square(off).mean()) > 0.3 * np.sqrt(np.square(deviation).mean())
    else:
        assert off.max() > 0.4 * exact.max()


@pytest.mark.parametrize("group", [1, 3])
def test_windows_are_the_operands_of_a_convolution(group: int) -> None:
    rng = np.random.default_rng(5)
    x, weight = rng.normal(size=(2, 6, 5, 3)), rng.normal(size=(6, 3, 2, 3 // group))
    window = Window((3, 2), (2, 1), (1, 2), (1, 1), (3, 5))
    want = loops.convolution(x.transpose(0, 3, 1, 2), weight, (3, 5), (2, 1), (1, 2), (1, 1), group)
    parts = windows(x, window, group)
    rows = weight.reshape(group, 6 // group, -1)
    got = np.concatenate([parts[g] @ rows[g].T for g in range(group)], axis=-1)
    np.testing.assert_allclose(got.transpose(0, 3, 1, 2), want, rtol=0, atol=1e-12)
