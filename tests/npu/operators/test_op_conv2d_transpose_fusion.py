from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from tests.npu.graphs import const, node, variable
from tests.npu.operators.limits import code_on, limited
from tests.npu.operators.test_gate import code_of


def spread(x=(1, 4, 5, 2), weight=(2, 3, 3, 3), shape=(1, 6, 7, 3), bias=None, constant=True, **attributes):
    inputs = [variable("x", x), const("w", np.ones(weight, np.float32)) if constant else variable("w", weight)]
    inputs += [] if bias is None else [variable("b", bias)]
    return node("Conv2dTransposeFusion", inputs, shape, **({"group": 1} | attributes))


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        ({}, {"constant": False}, RejectCode.NOT_CONSTANT),
        ({}, {"x": (4, 5, 2)}, RejectCode.RANK),
        ({}, {"weight": (2, 3, 3)}, RejectCode.RANK),
        ({}, {"shape": (1, 6, 8, 3)}, RejectCode.SHAPE),
        ({"bias": (3,)}, {"bias": (2,)}, RejectCode.SHAPE),
        ({"activation_type": "RELU6"}, {"activation_type": "SIGMOID"}, RejectCode.ATTRIBUTE),
        ({}, {"weight": (3, 3, 3, 3)}, RejectCode.ATTRIBUTE),
        ({"group": 2, "shape": (1, 6, 7, 6)}, {"group": 3, "shape": (1, 6, 7, 9)}, RejectCode.ATTRIBUTE),
        ({"group": 0, "shape": (1, 6, 7, 6)}, {"group": -1}, RejectCode.ATTRIBUTE),
        ({"kernel_size": (3, 3)}, {"kernel_size": (3, 2)}, RejectCode.ATTRIBUTE),
        ({"stride": (1, 1)}, {"stride": (1, 0)}, RejectCode.ATTRIBUTE),
        ({"dilation": (1, 1)}, {"dilation": (0, 1)}, RejectCode.ATTRIBUTE),
        ({"pad_list": (0, 0, 0, 0)}, {"pad_list": (0, 0, 0, -1)}, RejectCode.ATTRIBUTE),
        ({"output_paddings": (0, 0)}, {"output_paddings": (0, -1)}, RejectCode.ATTRIBUTE),
        ({"output_paddings": (0, 0)}, {"output_paddings": (0,)}, RejectCode.ATTRIBUTE),
        ({"pad_list": (3, 2, 3, 3), "shape": (1, 1, 1, 3)}, {"pad_list": (3, 3, 3, 3), "shape": (1, 1, 1, 3)}, "S"),
    ],
    ids=str,
)
def test_last_accepted_and_first_rejected(accepted, rejected, code):
    assert code_of(spread(**accepted)) is None
    assert code_of(spread(**rejected)) is (RejectCode.SHAPE if code == "S" else code)


@pytest.mark.parametrize(
    ("attributes", "rows"),
    [
        ({"pad_mode": "PAD", "stride": (2, 1)}, 9),
        ({"pad_mode": "PAD", "stride": (2, 1), "dilation": (2, 1)}, 11),
        ({"pad_mode": "PAD", "stride": (2, 1), "pad_list": (1, 2, 0, 0)}, 6),
        ({"pad_mode": "PAD", "stride": (2, 1), "pad_list": (1, 2)}, 9),
        ({"pad_mode": "PAD", "stride": (2, 1), "output_paddings": (1, 0)}, 10),
        ({"pad_mode": "VALID", "stride": (2, 1), "pad_list": (1, 2, 0, 0)}, 9),
        ({"pad_mode": "VALID", "stride": (2, 1), "dilation": (2, 1)}, 9),
    ],
    ids=str,
)
def test_output_sizes(attributes, rows):
    for found in (rows - 1, rows, rows + 1):
        expected = None if found == rows else RejectCode.SHAPE
        assert code_of(spread(shape=(1, found, 7, 3), **attributes)) is expected
    assert code_of(spread(pad_mode="SAME", stride=(2, 1), shape=(1, 8, 5, 3), dilation=(2, 1))) is None


def test_groups_can_be_limited():
    two = {"group": 2, "shape": (1, 6, 7, 6)}
    profile = limited(conv_transpose_max_groups=1)
    assert code_on(profile, spread()) is None
    assert code_on(profile, spread(**two)) is RejectCode.LIMIT
    assert code_on(profile, spread(group=0, shape=(1, 6, 7, 6))) is RejectCode.LIMIT
    assert code_on(limited(conv_transpose_max_groups=2), spread(**two)) is None


def test_weights_beyond_float16():
    weight = const("w", np.full((2, 3, 3, 3), 65505, np.float32))
    kernel = node("Conv2dTransposeFusion", [variable("x", (1, 4, 5, 2)), weight], (1, 6, 7, 3), group=1)
    assert code_of(kernel) is RejectCode.LIMIT
