import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from tests.npu.graphs import const, node, variable
from tests.npu.operators.limits import code_on, driver, limited
from tests.npu.operators.test_gate import code_of

BOTH = ["MaxPoolFusion", "AvgPoolFusion"]


def pool(op_type, shape=(1, 7, 6, 3), x_shape=(1, 8, 7, 3), **attributes):
    return node(op_type, [variable("x", x_shape)], shape, **({"kernel_size": (2, 2), "strides": (1, 1)} | attributes))


@pytest.mark.parametrize("op_type", BOTH)
@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        ({}, {"x_shape": (8, 7, 3)}, RejectCode.RANK),
        ({}, {"kernel_size": (2, 0)}, RejectCode.ATTRIBUTE),
        ({}, {"kernel_size": None}, RejectCode.ATTRIBUTE),
        ({}, {"strides": (1, 0)}, RejectCode.ATTRIBUTE),
        ({"pad": (0, 0, 0, 0)}, {"pad": (0, 0, 0, -1)}, RejectCode.ATTRIBUTE),
        ({"pad": ()}, {"pad": (0, 0)}, RejectCode.ATTRIBUTE),
        ({}, {"shape": (1, 7, 7, 3)}, RejectCode.SHAPE),
        (
            {"kernel_size": (8, 7), "shape": (1, 1, 1, 3)},
            {"kernel_size": (9, 7), "shape": (1, 1, 1, 3)},
            RejectCode.SHAPE,
        ),
        # the last of the windows that rounding up adds starts below the input: 8 rows, windows at 0, 5 and 10
        (
            {"strides": (5, 1), "round_mode": "FLOOR", "shape": (1, 2, 6, 3)},
            {"strides": (5, 1), "kernel_size": (1, 2), "round_mode": "CEIL", "shape": (1, 3, 6, 3)},
            RejectCode.ATTRIBUTE,
        ),
    ],
    ids=str,
)
def test_last_accepted_and_first_rejected(op_type, accepted, rejected, code):
    assert code_of(pool(op_type, **accepted)) is None
    assert code_of(pool(op_type, **rejected)) is code


@pytest.mark.parametrize("op_type", BOTH)
@pytest.mark.parametrize("activation", ["RELU", "SIGMOID", "UNKNOWN"])
def test_other_activations_are_left_out(op_type, activation):
    assert code_of(pool(op_type, activation_type=activation)) is None


def test_average_padding_is_limited_by_the_stride():
    fits = {"kernel_size": (3, 3), "strides": (2, 2), "pad": (2, 0, 2, 0), "shape": (1, 4, 4, 3)}
    above = {"kernel_size": (4, 3), "strides": (2, 2), "pad": (3, 0, 2, 0), "shape": (1, 4, 4, 3)}
    left = {"kernel_size": (3, 4), "strides": (2, 2), "pad": (2, 0, 3, 0), "shape": (1, 4, 4, 3)}
    for attributes in (above, left):
        assert code_of(pool("AvgPoolFusion", **fits)) is None
        assert code_of(pool("AvgPoolFusion", **attributes)) is RejectCode.LIMIT
        assert code_of(pool("MaxPoolFusion", **attributes)) is None


def test_average_input_area_is_limited():
    fits = {"x_shape": (1, 2, 32767, 1), "shape": (1, 1, 1, 1), "global_": True}
    above = {"x_shape": (1, 5, 13107, 1), "shape": (1, 1, 1, 1), "global_": True}
    assert code_on(driver("100.330.011.031"), pool("AvgPoolFusion", **fits)) is None
    assert code_on(driver("100.330.011.031"), pool("AvgPoolFusion", **above)) is RejectCode.LIMIT
    assert code_on(driver("100.330.011.032"), pool("AvgPoolFusion", **above)) is None
    assert code_on(driver(""), pool("AvgPoolFusion", **above)) is None
    always = limited(avg_pool_any_area_since="", avg_pool_max_input_area=65534)
    assert code_on(always, pool("AvgPoolFusion", **fits)) is None
    assert code_on(always, pool("AvgPoolFusion", **above)) is RejectCode.LIMIT
    assert code_on(driver("100.330.011.031"), pool("MaxPoolFusion", **above)) is None


@pytest.mark.parametrize("op_type", BOTH)
def test_constant_input_beyond_float16(op_type):
    x = const("x", np.full((1, 2, 2, 1), 1e6, np.float32))
    assert code_of(node(op_type, [x], (1, 1, 1, 1), global_=True)) is RejectCode.LIMIT
