"""MatMulFusion and FullConnection: what is claimed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from tests.npu.graphs import const, node, variable
from tests.npu.operators.test_gate import code_of


def matmul(a, b, shape, bias=None, **attributes):
    inputs = [variable("a", a), variable("b", b), *([] if bias is None else [variable("bias", bias)])]
    return node("MatMulFusion", inputs, shape, **attributes)


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        (((2, 3), (3, 4), (2, 4)), ((2, 3), (4, 3), (2, 4)), RejectCode.SHAPE),
        (((2, 3), (3, 4), (2, 4)), ((2, 3), (3, 4), (2, 3)), RejectCode.SHAPE),
        (((3,), (3, 4), (1, 4)), ((3,), (3, 4), (4,)), RejectCode.SHAPE),
        (((3,), (3,), ()), ((3,), (4,), ()), RejectCode.SHAPE),
        (((2, 3), (3, 1), (2, 1)), ((2, 3), (3,), (2, 1)), RejectCode.SHAPE),
        (((3,), (3, 4), (1, 4)), ((), (3, 4), (1, 4)), RejectCode.RANK),
        (((3,), (3, 4), (1, 4)), ((3,), (), (1, 4)), RejectCode.RANK),
        (((2, 1, 2, 3), (5, 3, 4), (2, 5, 2, 4)), ((3, 2, 3), (2, 3, 4), (3, 2, 4)), RejectCode.SHAPE),
        (((2, 3), (3, 4), (2, 4), (4,)), ((2, 3), (3, 4), (2, 4), (1,)), RejectCode.SHAPE),
        (((2, 3), (3, 4), (2, 4), (1, 4)), ((2, 3), (3, 4), (2, 4), (2, 4)), RejectCode.SHAPE),
        (((2, 3), (3, 4), (2, 4), (1, 1, 4)), ((2, 3), (3, 4), (2, 4), ()), RejectCode.SHAPE),
        # dimensions are limited once an operand has more than two, on either side
        (((1, 2, 1024), (1024, 3), (1, 2, 3)), ((1, 2, 1025), (1025, 3), (1, 2, 3)), RejectCode.LIMIT),
        (((1, 2, 3), (3, 1024), (1, 2, 1024)), ((1, 2, 3), (3, 1025), (1, 2, 1025)), RejectCode.LIMIT),
        (((2, 1025), (1025, 2000), (2, 2000)), ((1, 2, 1025), (1, 1025, 2), (1, 2, 2)), RejectCode.LIMIT),
    ],
    ids=str,
)
def test_matmul(accepted, rejected, code):
    assert code_of(matmul(*accepted)) is None
    assert code_of(matmul(*rejected)) is code


@pytest.mark.parametrize(("a", "b", "flags"), [((3, 2), (3, 4), "a"), ((2, 3), (4, 3), "b"), ((3, 2), (4, 3), "ab")])
def test_matmul_transposed_operands(a, b, flags):
    assert code_of(matmul(a, b, (2, 4), transpose_a="a" in flags, transpose_b="b" in flags)) is None
    assert code_of(matmul(a, b, (2, 4))) is RejectCode.SHAPE


def dense(x=(2, 3, 4), weight=(5, 12), shape=(2, 5), bias=(5,), constant=True, **attributes):
    ones = np.ones(weight, np.float32)
    inputs = [variable("x", x), const("w", ones) if constant else variable("w", weight)]
    inputs += [] if bias is None else [variable("b", bias)]
    return node("FullConnection", inputs, shape, **({"has_bias": True, "use_axis": True, "axis": 1} | attributes))


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
    [
        ({}, {"constant": False}, RejectCode.NOT_CONSTANT),
        ({}, {"bias": None}, RejectCode.ATTRIBUTE),
        ({"has_bias": False, "bias": None}, {"has_bias": False}, RejectCode.ATTRIBUTE),
        ({}, {"bias": (4,)}, RejectCode.SHAPE),
        ({}, {"weight": (5, 3, 4)}, RejectCode.RANK),
        ({"axis": -2}, {"axis": -4}, RejectCode.ATTRIBUTE),
        ({"axis": 1}, {"axis": 3}, RejectCode.ATTRIBUTE),
        ({"axis": 1}, {"axis": 2}, RejectCode.SHAPE),
        ({}, {"weight": (5, 11)}, RejectCode.SHAPE),
        ({"use_axis": False}, {"use_axis": False, "weight": (5, 7)}, RejectCode.SHAPE),
        ({"use_axis": False, "axis": 9}, {"use_axis": False, "shape": (3, 5)}, RejectCode.SHAPE),
    ],
    ids=str,
)
def test_full_connection(accepted, rejected, code):
    assert code_of(dense(**accepted)) is None
    assert code_of(dense(**rejected)) is code


@pytest.mark.parametrize("activation", ["RELU6", "SIGMOID", "UNKNOWN"])
def test_full_connection_leaves_other_activations_out(activation):
    assert code_of(dense(activation_type=activation)) is None


def test_two_vectors_cannot_be_transposed():
    assert code_of(matmul((3,), (3,), ())) is None
    assert code_of(matmul((3,), (3,), (), transpose_a=True)) is RejectCode.SHAPE
    assert code_of(matmul((2, 3), (3,), (2, 1), transpose_b=True)) is None
