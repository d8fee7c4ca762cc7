import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType
from tests.npu.graphs import const, node, variable
from tests.npu.operators.test_gate import code_of


def conv(w_shape=(6, 3, 3, 4), shape=(1, 6, 5, 6), x_shape=(1, 8, 7, 4), bias=None, weight=None, **attributes):
    weight = const("w", np.ones(w_shape, np.float32)) if weight is None else weight
    inputs = [variable("x", x_shape), weight, *([] if bias is None else [bias])]
    return node("Conv2DFusion", inputs, shape, **{"group": 1, "stride": (1, 1), **attributes})


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        ({}, {"weight": variable("w", (6, 3, 3, 4))}, RejectCode.NOT_CONSTANT),
        ({"activation_type": "RELU6"}, {"activation_type": "TANH"}, RejectCode.ATTRIBUTE),
        ({"kernel_size": (3, 3)}, {"kernel_size": (3, 2)}, RejectCode.ATTRIBUTE),
        ({"kernel_size": (3, 3)}, {"kernel_size": (3,)}, RejectCode.ATTRIBUTE),
        ({"stride": (1, 1)}, {"stride": (0, 1)}, RejectCode.ATTRIBUTE),
        ({"stride": (1, 1)}, {"stride": (1,)}, RejectCode.ATTRIBUTE),
        ({"dilation": (1, 1)}, {"dilation": (1, 0)}, RejectCode.ATTRIBUTE),
        ({"pad_list": (0, 0, 0, 0)}, {"pad_list": (0, 0, 0, -1)}, RejectCode.ATTRIBUTE),
        ({"pad_list": (0, 0, 0)}, {"pad_list": (0, 0, 0, 0, 0)}, RejectCode.ATTRIBUTE),
        ({"group": 1}, {"group": 2}, RejectCode.ATTRIBUTE),
        ({"group": 1}, {"group": -1}, RejectCode.ATTRIBUTE),
        ({}, {"w_shape": (6, 3, 3, 3)}, RejectCode.ATTRIBUTE),
        ({"group": 2, "w_shape": (6, 3, 3, 2)}, {"group": 4, "w_shape": (6, 3, 3, 1)}, RejectCode.ATTRIBUTE),
        ({"shape": (1, 6, 5, 6)}, {"shape": (1, 6, 4, 6)}, RejectCode.SHAPE),
        ({"pad_mode": "SAME", "shape": (1, 8, 7, 6)}, {"pad_mode": "SAME"}, RejectCode.SHAPE),
        (
            {"w_shape": (6, 8, 7, 4), "shape": (1, 1, 1, 6)},
            {"w_shape": (6, 9, 7, 4), "shape": (1, 1, 1, 6)},
            RejectCode.SHAPE,
        ),
        ({"bias": variable("b", (6,))}, {"bias": variable("b", (5,))}, RejectCode.SHAPE),
        ({"bias": variable("b", (6,))}, {"bias": variable("b", (1, 6))}, RejectCode.SHAPE),
        ({}, {"bias": variable("b", (6,), DataType.INT32)}, RejectCode.DTYPE),
        ({}, {"x_shape": (8, 7, 4)}, RejectCode.RANK),
        ({}, {"w_shape": (6, 36)}, RejectCode.RANK),
    ],
    ids=str,
)
def test_last_accepted_and_first_rejected(accepted, rejected, code):
    assert code_of(conv(**accepted)) is None
    assert code_of(conv(**rejected)) is code
