"""Operators on elements, imported and run, against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.formats.tflite.models import T, assert_same, check, const, fed, floats, int8, ints, ours, out, qout, single

A, B = floats(1, 2, 3, 4), floats(2, 2, 3, 4)
ROW = floats(3, 4)
POSITIVE = floats(4, 2, 3, 4, low=0.1, high=3.0)
NUMBERS = T(np.array([[7, -7, 9], [-8, 5, 3]], np.int32))
OTHERS = T(np.array([[2, 3, -4], [3, -2, 3]], np.int32))
TRUTHS, LIES = (T(np.random.default_rng(s).integers(0, 2, (3, 4)).astype(np.bool_)) for s in (5, 6))
FUSED = {"NONE": 0, "RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3, "TANH": 4}

UNARY = ["ABS", "NEG", "EXP", "SQUARE", "SIN", "COS", "FLOOR", "CEIL", "ROUND", "ZEROS_LIKE", "SIGN"]
UNARY += ["RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "TANH", "LOGISTIC", "ELU", "HARD_SWISH"]


@pytest.mark.parametrize("op", UNARY)
def test_functions_of_one_operand(op: str) -> None:
    x = floats(7, 2, 3, 4, low=-7.0, high=7.0)
    check(op, [x])


@pytest.mark.parametrize("op", ["LOG", "SQRT", "RSQRT"])
def test_functions_of_positive_numbers(op: str) -> None:
    check(op, [POSITIVE])


@pytest.mark.parametrize("op", ["MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD"])
@pytest.mark.parametrize("other", [B, ROW], ids=["same", "broadcast"])
def test_functions_of_two_operands(op: str, other: T) -> None:
    check(op, [A, other])


def test_power() -> None:
    check("POW", [POSITIVE, B])


@pytest.mark.parametrize("op", ["FLOOR_DIV", "FLOOR_MOD", "MAXIMUM", "MINIMUM"])
def test_functions_of_two_integers(op: str) -> None:
    check(op, [NUMBERS, OTHERS], "int32")


@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "DIV"])
@pytest.mark.parametrize("activation", FUSED)
def test_arithmetic_with_fused_activations(op: str, activation: str) -> None:
    table = f"{op.capitalize()}Options"
    if activation == "TANH":
        # LiteRT's kernels of these operators do not know it; what it means is that of the operator alone.
        content = single(op, [A, POSITIVE], [out()], table, fusedActivationFunction=FUSED[activation])
        plain = {"ADD": np.add, "SUB": np.subtract, "MUL": np.multiply, "DIV": np.divide}[op](A.data, POSITIVE.data)
        assert_same(ours(content, fed([A, POSITIVE])), [np.tanh(plain)])
        return
    check(op, [A, POSITIVE], table=table, fusedActivationFunction=FUSED[activation], atol=1e-5)


@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL", "DIV"])
def test_arithmetic_of_integers(op: str) -> None:
    check(op, [NUMBERS, OTHERS], "int32", f"{op.capitalize()}Options")


@pytest.mark.parametrize("op", ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"])
def test_comparisons(op: str) -> None:
    x = T(np.round(A.data))
    check(op, [x, T(np.round(B.data))], "bool")
    check(op, [NUMBERS, OTHERS], "bool")


@pytest.mark.parametrize("op", ["LOGICAL_AND", "LOGICAL_OR"])
def test_logic(op: str) -> None:
    check(op, [TRUTHS, LIES], "bool")


def test_logical_not() -> None:
    check("LOGICAL_NOT", [TRUTHS], "bool")


def test_sum_of_many() -> None:
    check("ADD_N", [A, B, floats(9, 2, 3, 4)])


@pytest.mark.parametrize(
    ("source", "dtype"), [(A, "int32"), (NUMBERS, "float32"), (NUMBERS, "int64"), (TRUTHS, "float32"), (A, "bool")]
)
def test_casts(source: T, dtype: str) -> None:
    check("CAST", [source], dtype)


@pytest.mark.parametrize("approximate", [False, True])
def test_gelu(approximate: bool) -> None:
    check("GELU", [A], table="GeluOptions", approximate=approximate, rtol=1e-4, atol=1e-5)


def test_leaky_relu() -> None:
    check("LEAKY_RELU", [A], table="LeakyReluOptions", alpha=0.2)


@pytest.mark.parametrize("shape", [(1, 1, 4), (4,), (1, 1, 1)])
def test_prelu(shape: tuple[int, ...]) -> None:
    check("PRELU", [floats(1, 2, 3, 5, 4), const(floats(8, *shape).data)])


@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_softmax(beta: float) -> None:
    check("SOFTMAX", [A], table="SoftmaxOptions", beta=beta)


def test_log_softmax() -> None:
    check("LOG_SOFTMAX", [A])


def test_fake_quant() -> None:
    options: dict[str, Any] = {"min": -1.5, "max": 1.2, "numBits": 8, "narrowRange": False}
    check("FAKE_QUANT", [A], table="FakeQuantOptions", **options)


QX, QY = int8(1, 2, 3, 4, scale=0.03, zero_point=-5), int8(2, 2, 3, 4, scale=0.05, zero_point=11)


@pytest.mark.parametrize("op", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU_N1_TO_1", "RELU6"])
def test_quantized_arithmetic_bit_for_bit(op: str, activation: str) -> None:
    table = f"{op.capitalize()}Options"
    check(op, [QX, QY], [qout(0.06, 3)], table, version=2, fusedActivationFunction=FUSED[activation])


@pytest.mark.parametrize("op", ["MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"])
def test_quantized_functions_of_two_operands_within_a_quantum(op: str) -> None:
    same = T(QY.data, scales=QX.scales, zero_points=QX.zero_points)
    result = qout(0.03, -5) if op != "SQUARED_DIFFERENCE" else qout(0.2, -100)
    check(op, [QX, same], [result], version=2, quanta=1)


@pytest.mark.parametrize("op", ["LESS", "GREATER_EQUAL", "EQUAL"])
def test_quantized_comparisons(op: str) -> None:
    check(op, [QX, T(QY.data, scales=QX.scales, zero_points=QX.zero_points)], "bool", version=2)


@pytest.mark.parametrize(
    ("op", "result"),
    [
        ("RELU", qout(0.03, -5)),
        ("RELU6", qout(0.03, -5)),
        ("LOGISTIC", qout(1 / 256, -128)),
        ("TANH", qout(1 / 128, 0)),
        ("HARD_SWISH", qout(0.03, -100)),
        ("ELU", qout(0.03, -5)),
        ("ABS", qout(0.03, -128)),
        ("EXP", qout(0.3, -128)),
    ],
)
def test_quantized_functions_within_a_quantum(op: str, result: T) -> None:
    check(op, [QX], [result], quanta=1)


def test_quantized_softmax_within_a_quantum() -> None:
    check("SOFTMAX", [QX], [qout(1 / 256, -128)], "SoftmaxOptions", beta=1.0, version=2, quanta=1)


def test_quantized_leaky_relu_and_prelu_within_a_quantum() -> None:
    check("LEAKY_RELU", [QX], [qout(0.04, 2)], "LeakyReluOptions", alpha=0.3, version=2, quanta=1)
    slope = const(np.array([3, -60, 90, 127], np.int8).reshape(1, 1, 4), scales=[0.01], zero_points=[0])
    check("PRELU", [int8(3, 1, 2, 3, 4, scale=0.03, zero_point=-5), slope], [qout(0.04, 2)], quanta=1)


def test_unsigned_integers_bit_for_bit() -> None:
    x, y = (T(t.data.view(np.uint8), scales=t.scales, zero_points=[100]) for t in (QX, QY))
    check("ADD", [x, y], [qout(0.06, 90, "uint8")], "AddOptions")
    check("MUL", [x, y], [qout(0.06, 90, "uint8")], "MulOptions")


def test_integers_are_no_axes_by_chance() -> None:
    check("RESHAPE", [QX, ints(4, 6)], [qout(0.03, -5)], "ReshapeOptions")
