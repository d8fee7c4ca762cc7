"""Estimates of CPU times from shapes: work counted by hand, and what grows with what."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import Kernel
from lite_delegate.ir import DataType
from lite_delegate.runtime.planning.timing import roofline
from lite_delegate.runtime.planning.timing.roofline import CALL_US, host_us
from tests.npu.graphs import const, node, variable


def zeros(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.zeros(shape, np.float32)


def conv(cin: int, cout: int, size: int, group: int = 1) -> Kernel:
    weight = const("w", zeros(cout, 3, 3, cin // group))
    return node("Conv2DFusion", [variable("x", (1, size, size, cin)), weight], (1, size, size, cout), group=group)


def test_a_convolution_is_its_multiply_accumulates() -> None:
    macs = 56 * 56 * 64 * 3 * 3 * 64
    assert host_us(conv(64, 64, 56)) == pytest.approx(CALL_US + macs / roofline.MACS_PER_US)


def test_a_depthwise_one_is_no_matrix_product() -> None:
    macs = 56 * 56 * 64 * 3 * 3
    assert host_us(conv(64, 64, 56, group=64)) == pytest.approx(CALL_US + macs / roofline.DEPTHWISE_MACS_PER_US)


@pytest.mark.parametrize("transpose_a", [False, True])
def test_a_product_is_rows_terms_and_columns(transpose_a: bool) -> None:
    a = variable("a", (300, 200) if transpose_a else (200, 300))
    product = node("MatMulFusion", [a, variable("b", (300, 400))], (200, 400), transpose_a=transpose_a)
    assert host_us(product) == pytest.approx(CALL_US + 200 * 300 * 400 / roofline.MACS_PER_US)


def test_simple_functions_are_bound_by_memory_and_curved_ones_by_work() -> None:
    x = variable("x", (1000, 1000))
    relu, gelu = (node("Activation", [x], (1000, 1000), activation_type=name) for name in ("RELU", "GELU"))
    assert host_us(relu) == pytest.approx(CALL_US + 8_000_000 / roofline.BYTES_PER_US)
    assert host_us(gelu) == pytest.approx(CALL_US + roofline.CURVED * 1_000_000 / roofline.ELEMENTS_PER_US)


@pytest.mark.parametrize(
    ("one", "other"), [("Log1p", "Log"), ("GroupNormFusion", "InstanceNorm"), ("LpNormalization", "L2NormalizeFusion")]
)
def test_operators_of_the_same_functions_cost_the_same(one: str, other: str) -> None:
    x = variable("x", (1000, 1000))
    times = [host_us(node(name, [x], (1000, 1000))) for name in (one, other)]
    assert times[0] == times[1] > host_us(node("Abs", [x], (1000, 1000)))


def test_elu_costs_an_exponential_and_more() -> None:
    x = variable("x", (1000, 1000))
    elu, exp = (host_us(node(name, [x], (1000, 1000))) for name in ("Elu", "ExpFusion"))
    assert elu > exp


def test_views_cost_the_call_whatever_their_size() -> None:
    view = node("Reshape", [variable("x", (1000, 1000)), const("shape", np.array([-1], np.int32))], (1_000_000,))
    assert host_us(view) == CALL_US


def test_unknown_shapes_count_as_one() -> None:
    assert CALL_US <= host_us(node("Activation", [variable("x", None)], None, activation_type="RELU")) < CALL_US + 1
    assert CALL_US <= host_us(node("AddFusion", [variable("x", (-1, 3), DataType.INT32)] * 2, (-1, 3))) < CALL_US + 1
