"""Limits that a profile sets to any operator: the last value that is accepted and the first that is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lite_delegate.delegate import Kernel, RejectCode, Rejected
from lite_delegate.ir import DataType
from lite_delegate.npu.operators.claims import claim
from lite_delegate.npu.profiles import OperatorBounds
from tests.npu.graphs import const, ints, node, variable
from tests.npu.operators.limits import UNLIMITED, code_on

LIMIT = RejectCode.LIMIT


def bounded(op_type: str = "any", **bounds: Any) -> Any:
    return replace(UNLIMITED, bounds=((op_type, OperatorBounds(**bounds)),))


def conv(kernel: int = 3, stride: int = 1, dilation: int = 1, cin: int = 4, cout: int = 8, group: int = 1) -> Kernel:
    weight = const("w", np.zeros((cout, kernel, kernel, cin // group), np.float32))
    side = -(-16 // stride)
    return node(
        "Conv2DFusion", [variable("x", (1, 16, 16, cin)), weight], (1, side, side, cout), pad_mode="SAME", group=group,
        stride=(stride, stride), dilation=(dilation, dilation),
    )  # fmt: skip


def spread(kernel: int = 3, group: int = 1) -> Kernel:
    weight = const("w", np.zeros((4, kernel, kernel, 4 // group), np.float32))
    x, side = variable("x", (1, 16, 16, 4)), 15 + kernel
    return node("Conv2dTransposeFusion", [x, weight], (1, side, side, 4), group=group, stride=(1, 1))


def pool(op: str, kernel: int) -> Kernel:
    x = variable("x", (1, 16, 16, 4))
    return node(op, [x], (1, 16, 16, 4), kernel_size=(kernel, kernel), strides=(1, 1), pad_mode="SAME")


def relu(*shape: int, dtype: DataType = DataType.FLOAT32, kind: str = "RELU") -> Kernel:
    return node("Activation", [variable("x", shape, dtype)], shape, dtype, activation_type=kind)


def gather(dtype: Any) -> Kernel:
    return node("Gather", [variable("x", (4, 3)), const("i", np.array([1], dtype)), ints(0)], (1, 3))


CASES = [
    ({"max_kernel": 5}, conv(5), conv(6), LIMIT),
    ({"max_kernel": 5}, spread(5), spread(6), LIMIT),
    ({"max_kernel": 5}, pool("MaxPoolFusion", 5), pool("MaxPoolFusion", 6), LIMIT),
    ({"max_kernel": 5}, pool("AvgPoolFusion", 5), pool("AvgPoolFusion", 6), LIMIT),
    ({"min_kernel": 2}, conv(2), conv(1), LIMIT),
    ({"max_stride": 2}, conv(stride=2), conv(stride=3), LIMIT),
    ({"max_dilation": 2}, conv(dilation=2), conv(dilation=3), LIMIT),
    ({"max_groups": 2}, conv(group=2), conv(group=4), LIMIT),
    ({"max_groups": 2}, spread(group=2), spread(group=4), LIMIT),
    ({"channels_multiple": 4}, conv(cin=4, cout=8), conv(cin=4, cout=6), LIMIT),
    ({"channels_multiple": 4}, conv(cin=4, cout=8), conv(cin=6, cout=8), LIMIT),
    ({"max_channels": 8}, conv(cin=8, cout=8), conv(cin=9, cout=8), LIMIT),
    ({"max_dim": 9}, relu(9, 1), relu(10, 1), LIMIT),
    ({"max_elements": 20}, relu(4, 5), relu(3, 7), LIMIT),
    ({"ranks": (2, 4)}, relu(1, 1), relu(1, 1, 1), RejectCode.RANK),
    ({"dtypes": ("FLOAT32",)}, relu(2), relu(2, dtype=DataType.INT32), RejectCode.DTYPE),
    ({"second_dtypes": ("INT32",)}, gather(np.int32), gather(np.int64), RejectCode.DTYPE),
    ({"activations": ("RELU",)}, relu(2), relu(2, kind="TANH"), RejectCode.ATTRIBUTE),
    (
        {"constants": (1,)},
        node("AddFusion", [variable("x", (2,)), const("c", np.ones(2, np.float32))], (2,)),
        node("AddFusion", [variable("x", (2,)), variable("y", (2,))], (2,)),
        RejectCode.NOT_CONSTANT,
    ),
    (
        {"max_inputs": 2},
        node("Concat", [variable(n, (2,)) for n in "ab"], (4,), axis=0),
        node("Concat", [variable(n, (2,)) for n in "abc"], (6,), axis=0),
        LIMIT,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("bounds", "accepted", "rejected", "code"), CASES)
def test_the_last_accepted_and_the_first_rejected(
    bounds: dict[str, Any], accepted: Kernel, rejected: Kernel, code: RejectCode
) -> None:
    assert code_on(UNLIMITED, rejected) is None
    for name in ("any", rejected.type):
        assert code_on(bounded(name, **bounds), accepted) is None
        assert code_on(bounded(name, **bounds), rejected) is code
    assert code_on(bounded("Softmax", **bounds), rejected) is None


def test_a_driver_that_is_older_has_no_such_operator() -> None:
    profile = replace(bounded("Activation", driver_since="2.0"), driver_version="1.9")
    assert code_on(profile, relu(2)) is LIMIT
    assert code_on(replace(profile, driver_version="2.0"), relu(2)) is None


def test_the_reason_has_the_limit_and_what_was_found() -> None:
    result = claim(conv(9), bounded(max_kernel=7))
    assert isinstance(result, Rejected)
    assert result.reason == "kernel height and width may be 7 at most, is 9"
    assert result.rule == "kernel height and width may be 7 at most"
