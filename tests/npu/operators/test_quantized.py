"""Quantized operators: what is claimed and what is not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode, Rejected
from lite_delegate.ir import DataType
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.npu.operators.claims import claim
from lite_delegate.npu.profiles import load_profile
from tests.npu.graphs import const, variable
from tests.npu.operators.limits import code_on
from tests.npu.quantized_graphs import INT8, UINT8, W, X, cast, convolution, on_integers, stored, stored_const

GENERIC, F32 = load_profile("generic"), DataType.FLOAT32


def code_of(kernel):
    return code_on(GENERIC, kernel)


def no_params(op_type="AddFusion"):
    return on_integers(op_type, [stored("x", (3,), X), stored("y", (3,))], (3,), X)


REJECTIONS = {
    "scale 0": (
        lambda s: on_integers("Neg", [stored("x", (3,), (s, 0))], (3,), X),
        2.0**-60,
        0.0,
        RejectCode.ATTRIBUTE,
    ),
    "infinite scale": (
        lambda s: on_integers("AddFusion", [stored("x", (3,), X)] * 2, (3,), (s, 0)),
        1e300,
        math.inf,
        RejectCode.ATTRIBUTE,
    ),
    "scales of an activation": (
        lambda n: on_integers("Softmax", [stored("x", (3, 2), *[X] * n)], (3, 2), X, axis=(1,)),
        1,
        2,
        RejectCode.ATTRIBUTE,
    ),
    "scales of a weight": (lambda n: convolution(scales=[W] * n), 3, 2, RejectCode.ATTRIBUTE),
    "type of a weight": (
        lambda t: on_integers("MatMulFusion", [stored("x", (2, 3), X), stored("w", (3, 2), W, dtype=t)], (2, 2), X),
        INT8,
        DataType.INT16,
        RejectCode.DTYPE,
    ),
    "type of a bias": (
        lambda t: convolution(bias=const("b", np.zeros(3, t))),
        np.int32,
        np.float32,
        RejectCode.DTYPE,
    ),
    "type of an output": (
        lambda t: on_integers("AddFusion", [stored("x", (3,), X)] * 2, (3,), X, dtype=t),
        INT8,
        F32,
        RejectCode.DTYPE,
    ),
    "signs": (
        lambda t: on_integers("MulFusion", [stored("x", (3,), X), stored("y", (3,), X, dtype=t)], (3,), X),
        INT8,
        UINT8,
        RejectCode.DTYPE,
    ),
    "fused activation": (lambda a: convolution(activation_type=a), "RELU6", "TANH", RejectCode.ATTRIBUTE),
    "activation of a sum": (
        lambda a: on_integers("AddFusion", [stored("x", (3,), X)] * 2, (3,), X, activation_type=a),
        "RELU",
        "SIGMOID",
        RejectCode.ATTRIBUTE,
    ),
    "geometry": (
        lambda k: on_integers(
            "MaxPoolFusion", [stored("x", (1, 4, 4, 1), X)], (1, 5 - k, 5 - k, 1), X, kernel_size=(k, k)
        ),
        4,
        5,
        RejectCode.SHAPE,
    ),
    "variable weight": (
        lambda const_weight: on_integers(
            "FullConnection",
            [
                stored("x", (1, 3), X),
                stored_const("w", np.ones((2, 3), np.int8), W) if const_weight else stored("w", (2, 3), W),
            ],
            (1, 2),
            X,
            use_axis=True,
            axis=1,
        ),
        True,
        False,
        RejectCode.NOT_CONSTANT,
    ),
    "dynamic quantization": (
        lambda kind: on_integers(
            "MatMulFusion", [stored("x", (2, 3), X), stored("w", (3, 2), W)], (2, 2), X, quant_type=kind
        ),
        QuantType.QUANT_ALL,
        QuantType.QUANT_DYNAMIC,
        RejectCode.DTYPE,
    ),
    "not marked": (
        lambda kind: on_integers("Neg", [stored("x", (3,), X)], (3,), X, quant_type=kind),
        QuantType.PostTraining,
        QuantType.QUANT_NONE,
        RejectCode.DTYPE,
    ),
    "no quantized form": (
        lambda op_type: on_integers(op_type, [stored("x", (3,), X)] * 2, (3,), X),
        "Minimum",
        "FloorMod",
        RejectCode.DTYPE,
    ),
    "inputs of a table": (
        lambda n: on_integers("Neg", [stored("x", (3,), X)] * n, (3,), X),
        1,
        2,
        RejectCode.ATTRIBUTE,
    ),
    "integers that are converted": (
        lambda t: cast(stored("x", (3,), X, dtype=t), (3,), F32, X),
        UINT8,
        DataType.INT16,
        RejectCode.DTYPE,
    ),
    "two float types": (
        lambda t: cast(variable("x", (3,), t), (3,), DataType.FLOAT16, X),
        DataType.FLOAT16,
        F32,
        RejectCode.DTYPE,
    ),
    "parameters of a conversion": (
        lambda n: cast(variable("x", (3, 4)), (3, 4), INT8, *[X] * n, axis=1),
        4,
        3,
        RejectCode.ATTRIBUTE,
    ),
    "axis of a conversion": (
        lambda axis: cast(variable("x", (4, 4)), (4, 4), INT8, *[X] * 4, axis=axis),
        -2,
        2,
        RejectCode.ATTRIBUTE,
    ),
    "range of a conversion": (
        lambda scale: cast(stored("x", (3,), (scale, 127)), (3,), F32, (scale, 127)),
        65504 / 255,
        65505 / 255,
        RejectCode.LIMIT,
    ),
}


@pytest.mark.parametrize(("make", "accepted", "rejected", "code"), REJECTIONS.values(), ids=REJECTIONS)
def test_the_last_that_is_accepted_and_the_first_that_is_rejected(make, accepted, rejected, code):
    assert code_of(make(accepted)) is None
    assert code_of(make(rejected)) is code


def test_zero_points_that_differ_need_a_channel_each():
    def product(*points):
        weight = stored_const("w", np.ones((3, 2), np.int8), *[(0.01, p) for p in points])
        return on_integers("MatMulFusion", [stored("x", (4, 3), X), weight], (4, 2), X)

    assert code_of(product(1, 2)) is None
    assert code_of(product(1, 2, 3)) is RejectCode.ATTRIBUTE


def test_tensors_without_parameters_are_rejected():
    assert code_of(no_params()) is RejectCode.ATTRIBUTE
    assert code_of(no_params("Maximum")) is RejectCode.ATTRIBUTE
    assert (
        code_of(on_integers("Concat", [stored("x", (3,), X), stored("y", (3,))], (6,), X, axis=0))
        is RejectCode.ATTRIBUTE
    )


@pytest.mark.parametrize("dtypes", [set(), {INT8}, {UINT8}])
def test_a_profile_says_which_integers_its_device_takes(dtypes):
    profile = replace(GENERIC, quantized=frozenset(dtypes))
    for dtype in (INT8, UINT8):
        kernel = on_integers("Neg", [stored("x", (3,), X, dtype=dtype)], (3,), X, dtype=dtype)
        assert code_on(profile, kernel) is (None if dtype in dtypes else RejectCode.DTYPE)
        quantize = cast(variable("x", (3,)), (3,), dtype, X)
        assert code_on(profile, quantize) is (None if dtype in dtypes else RejectCode.DTYPE)


@pytest.mark.parametrize(
    ("dtypes", "reason"),
    [
        (set(), "the device takes no quantized tensors, one is INT8"),
        ({UINT8}, "quantized tensors must be UINT8, one is INT8"),
    ],
)
def test_the_reason_names_the_integers_that_a_device_takes(dtypes, reason):
    kernel = on_integers("Neg", [stored("x", (3,), X)], (3,), X)
    assert claim(kernel, replace(GENERIC, quantized=frozenset(dtypes))) == Rejected(RejectCode.DTYPE, reason)


def test_a_bias_may_be_any_32_bit_integer():
    assert code_of(convolution(bias=const("b", np.array([-(2**31), 2**31 - 1, 65505], np.int32)))) is None


def test_reasons_name_what_was_found():
    dynamic = on_integers("Neg", [stored("x", (3,), X)], (3,), X, quant_type=QuantType.QUANT_DYNAMIC)
    reasons = {
        dynamic: "quant_type must be QUANT_ALL on integers, whose scales are known now; is QUANT_DYNAMIC",
        convolution(scales=[W] * 2): "weight (input 1) must have 1 or 3 scales (quantization parameters), has 2",
        on_integers("FloorMod", [stored("x", (3,), X)] * 2, (3,), X): "the NPU has no quantized FloorMod",
        cast(stored("x", (3,), (1e3, 0)), (3,), F32, (1e3, 0)): (
            "the real numbers of the integers may hold 65504 at most (float16), holds 128000"
        ),
    }
    for kernel, reason in reasons.items():
        result = claim(kernel, GENERIC)
        assert isinstance(result, Rejected)
        assert result.reason == reason
