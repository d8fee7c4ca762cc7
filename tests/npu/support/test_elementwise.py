"""Element-wise operators, normalisation and softmax: what is claimed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir.enums import ActivationType
from tests.npu.graphs import const, node, variable
from tests.npu.support.test_gate import code_of

TAKEN = {"RELU", "RELU6", "SIGMOID", "TANH", "HSIGMOID", "HSWISH", "LEAKY_RELU", "SWISH", "ELU", "GELU"}


@pytest.mark.parametrize("name", [a.name for a in ActivationType])
def test_activation_types(name):
    expected = None if name in TAKEN else RejectCode.ATTRIBUTE
    assert code_of(node("Activation", [variable("x", (2, 3))], (2, 3), activation_type=name)) is expected


def test_products_of_two_broadcast_factors_are_limited():
    def mul(height, width, second=(1, 1, 1, 3)):
        return node("MulFusion", [variable("x", (1, height, width, 1)), variable("y", second)], (1, height, width, 3))

    assert code_of(mul(32, 52)) is None  # 1664
    assert code_of(mul(37, 45)) is RejectCode.LIMIT  # 1665
    assert code_of(mul(37, 45, (1, 37, 45, 3))) is None
    x, y = variable("x", (37, 45, 1)), variable("y", (1, 1, 3))
    assert code_of(node("MulFusion", [x, y], (37, 45, 3))) is None
    assert code_of(node("AddFusion", [variable("x", (1, 37, 45, 1)), y], (1, 37, 45, 3))) is None


@pytest.mark.parametrize(("mode", "code"), [("SUM", None), ("UNKNOWN", RejectCode.ATTRIBUTE)])
def test_eltwise_modes(mode, code):
    assert code_of(node("Eltwise", [variable("x", (2,)), variable("y", (2,))], (2,), mode=mode)) is code


@pytest.mark.parametrize(
    ("base", "code"),
    [
        (-1.0, None),
        (2.0, None),
        (1e-30, None),
        (0.0, RejectCode.ATTRIBUTE),
        (-2.0, RejectCode.ATTRIBUTE),
        (np.inf, RejectCode.ATTRIBUTE),
    ],
)
def test_exp_bases(base, code):
    assert code_of(node("ExpFusion", [variable("x", (2,))], (2,), base=base)) is code


@pytest.mark.parametrize(
    ("axis", "code"),
    [
        ((-2,), None),
        ((1,), None),
        ((-3,), RejectCode.ATTRIBUTE),
        ((2,), RejectCode.ATTRIBUTE),
        ((0, 1), RejectCode.ATTRIBUTE),
        ((), RejectCode.ATTRIBUTE),
        (None, RejectCode.ATTRIBUTE),
    ],
)
def test_softmax_axes(axis, code):
    assert code_of(node("Softmax", [variable("x", (2, 3))], (2, 3), axis=axis)) is code


@pytest.mark.parametrize(
    ("scale", "axis", "code"),
    [
        ((3, 4), 1, None),
        ((3,), -2, None),
        ((2, 3, 4), 0, None),
        ((3, 4), 2, RejectCode.SHAPE),
        ((4, 1), 2, RejectCode.SHAPE),
        ((4,), 1, RejectCode.SHAPE),
        ((4,), 3, RejectCode.ATTRIBUTE),
        ((2,), -4, RejectCode.ATTRIBUTE),
        ((), 0, None),
    ],
)
def test_scale_dimensions(scale, axis, code):
    x = variable("x", (2, 3, 4))
    assert code_of(node("ScaleFusion", [x, variable("s", scale)], (2, 3, 4), axis=axis)) is code
    assert code_of(node("ScaleFusion", [x, variable("s", scale), variable("o", scale)], (2, 3, 4), axis=axis)) is code


def test_scale_and_offset_have_one_shape():
    x, scale, offset = variable("x", (2, 3)), variable("s", (3,)), variable("o", (2, 3))
    assert code_of(node("ScaleFusion", [x, scale, offset], (2, 3), axis=1)) is RejectCode.SHAPE


def batch_norm(shape=(2, 3), channels=3, variable_at=None, values=(1, 0, 0, 1), mode=0, epsilon=1e-5):
    vectors = [const(f"c{i}", np.full((channels,), v, np.float32)) for i, v in enumerate(values)]
    if variable_at is not None:
        vectors[variable_at] = variable("v", (channels,))
    return node("FusedBatchNorm", [variable("x", shape), *vectors], shape, mode=mode, epsilon=epsilon)


@pytest.mark.parametrize(
    ("accepted", "refused", "code"),
    [
        ({}, {"variable_at": 0}, RejectCode.NOT_CONSTANT),
        ({}, {"variable_at": 3}, RejectCode.NOT_CONSTANT),
        ({"mode": 0}, {"mode": 1}, RejectCode.ATTRIBUTE),
        ({}, {"channels": 2}, RejectCode.SHAPE),
        ({"shape": (3,)}, {"shape": ()}, RejectCode.RANK),
        ({"values": (1, 0, 65504, 1)}, {"values": (1, 0, 65505, 1)}, RejectCode.LIMIT),
        ({"values": (1, 65504, 0, 1)}, {"values": (1, 65505, 0, 1)}, RejectCode.LIMIT),
        ({"values": (1, 0, 0, 1e9)}, {"values": (1, 0, 0, 1e-12), "epsilon": 0.0}, RejectCode.LIMIT),
    ],
    ids=str,
)
def test_fused_batch_norm(accepted, refused, code):
    assert code_of(batch_norm(**accepted)) is None
    assert code_of(batch_norm(**refused)) is code
