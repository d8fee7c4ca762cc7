"""What the operators that work element by element, and those that choose, reject, and what they say then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, spec_of

from tests.kernels.single_node import infer, run, spec, unranked

FLOATS_ONLY = [
    "Ceil",
    "Floor",
    "Round",
    "Sqrt",
    "Rsqrt",
    "Reciprocal",
    "ExpFusion",
    "Log",
    "Log1p",
    "Sin",
    "Cos",
    "Erf",
    "IsFinite",
    "Elu",
    "LeakyRelu",
    "GLU",
    "LogSoftmax",
    "Dropout",
]
NUMBER_PAIRS = [
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "Mod",
    "FloorMod",
    "FloorDiv",
    "RealDiv",
    "SquaredDifference",
    "AddN",
    "PowFusion",
]
ANY_PAIRS = ("Equal", "NotEqual", "LogicalAnd", "LogicalOr")
ONE_DTYPE = (*ANY_PAIRS, *(op for op in NUMBER_PAIRS if op != "PowFusion"))
DIVISIONS = ("Mod", "FloorMod", "FloorDiv", "RealDiv")


def _constant(*values: float, dtype: str = "float32") -> ArraySpec:
    return spec_of(np.array(values, dtype=dtype))


def _floats(*values: float) -> Array:
    return np.array(values, dtype=np.float32)


def _scalar(value: float, dtype: str = "float32") -> ArraySpec:
    return spec_of(np.array(value, dtype=dtype))


@pytest.mark.parametrize("op", FLOATS_ONLY)
@pytest.mark.parametrize("dtype", ["int32", "bool", "uint8"])
def test_float_functions_reject_other_dtypes(op: str, dtype: str) -> None:
    with pytest.raises(KernelInputError, match=f"input 0 must be one of float32, float16, float64, got {dtype}"):
        infer(op, spec(2, 4, dtype=dtype))


@pytest.mark.parametrize(("op", "dtype"), [("Abs", "bool"), ("Square", "bool"), ("Neg", "bool"), ("Neg", "uint8")])
def test_functions_of_numbers_reject_other_dtypes(op: str, dtype: str) -> None:
    with pytest.raises(KernelInputError, match=f"input 0 must be one of float32, .*, got {dtype}"):
        infer(op, spec(2, dtype=dtype))


@pytest.mark.parametrize("op", NUMBER_PAIRS)
def test_pairs_of_numbers_reject_bool(op: str) -> None:
    with pytest.raises(KernelInputError, match=r"input 0 must be one of float32, .*, got bool"):
        infer(op, spec(2, dtype="bool"), spec(2, dtype="bool"))


@pytest.mark.parametrize("op", ONE_DTYPE)
def test_pairs_of_two_dtypes_are_rejected(op: str) -> None:
    with pytest.raises(KernelInputError, match="inputs must have one dtype, got float32, int32"):
        infer(op, spec(2), spec(2, dtype="int32"))


@pytest.mark.parametrize("op", [op for op in (*ONE_DTYPE, "PowFusion") if op != "AddN"])
def test_shapes_that_do_not_broadcast_are_rejected(op: str) -> None:
    with pytest.raises(KernelInputError, match=r"shapes \(2, 3\), \(4,\) cannot be broadcast together"):
        infer(op, spec(2, 3), spec(4))


@pytest.mark.parametrize("op", DIVISIONS)
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "int64"])
def test_integer_division_by_zero_is_rejected(op: str, dtype: str) -> None:
    a, b = np.array([4, 4], dtype=dtype), np.array([2, 0], dtype=dtype)
    with pytest.raises(KernelInputError, match="integer division by zero"):
        run(op, a, b)


X = spec(2, 3)
FLAG = spec(dtype="bool")
FLAGS = spec(2, 3, dtype="bool")
LOW, HIGH = _scalar(-1.0), _scalar(1.0)

# operator, inputs, attributes, message: rejected before the model runs
WRONG: list[tuple[str, tuple[ArraySpec | None, ...], dict[str, Any], str]] = [
    ("ExpFusion", (X,), {"base": 0.0}, "base must be positive and finite, or -1 for e, got 0.0"),
    ("ExpFusion", (X,), {"base": -2.0}, "base must be positive .*, got -2.0"),
    ("ExpFusion", (X,), {"base": float("inf")}, "base must be positive .*, got inf"),
    ("ExpFusion", (X,), {"base": float("nan")}, "base must be positive .*, got nan"),
    ("GLU", (X,), {}, "axis must have an even size to be halved, got 3"),
    ("GLU", (X,), {"axis": 2}, "axis 2 is out of range for rank 2, expected -2..1"),
    ("GLU", (spec(),), {}, "axis -1 is out of range for rank 0"),
    ("LogSoftmax", (X,), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("LogSoftmax", (X,), {"axis": -3}, "axis -3 is out of range for rank 2"),
    ("LogSoftmax", (spec(),), {}, "axis 0 is out of range for rank 0"),
    ("Dropout", (X,), {"output_count": 3}, "1 or 2 outputs expected, got 3"),
    ("PReLUFusion", (X, spec(2)), {}, r"slope must have 1 element or one per channel, 3, got shape \(2,\)"),
    ("PReLUFusion", (X, spec(2, 3)), {}, r"one per channel, 3, got shape \(2, 3\)"),
    ("PReLUFusion", (X, spec(0)), {}, r"one per channel, 3, got shape \(0,\)"),
    ("PReLUFusion", (spec(), spec(2)), {}, r"one per channel, 1, got shape \(2,\)"),
    ("PReLUFusion", (X, spec(3, dtype="int32")), {}, "slope must be one of float32, float16, float64, got int32"),
    ("PReLUFusion", (spec(2, dtype="int32"), spec(1)), {}, "input 0 must be one of float32, .*, got int32"),
    ("Clip", (X,), {}, "min must be below max, got min 0.0 and max 0.0"),
    ("Clip", (X,), {"min": 2.0, "max": 1.0}, "min must be below max, got min 2.0 and max 1.0"),
    ("Clip", (X,), {"min": float("nan"), "max": 1.0}, "min must be below max, got min nan"),
    ("Clip", (X, _scalar(2.0)), {"max": 1.0}, "min must be below max, got min 2.0 and max 1.0"),
    ("Clip", (X, HIGH, LOW), {}, "min must be below max, got min 1.0 and max -1.0"),
    ("Clip", (X, _constant(0.0, 1.0)), {"max": 9.0}, r"a bound must hold exactly one value, got shape \(2,\)"),
    ("Clip", (X, spec(0)), {"max": 9.0}, r"a bound must hold exactly one value, got shape \(0,\)"),
    ("Clip", (X, spec(dtype="bool")), {"max": 9.0}, "low must be one of float32, .*, got bool"),
    ("Clip", (spec(2, dtype="int8"),), {"min": 0.5, "max": 9.0}, "a bound of int8 must be a whole number, got 0.5"),
    ("Clip", (FLAGS,), {"max": 9.0}, "input 0 must be one of float32, .*, got bool"),
    ("PowFusion", (X, FLAG), {}, "exponent must be one of float32, .*, got bool"),
    ("PowFusion", (spec(2, dtype="int32"), spec()), {}, "exponent of int32 must be one of int8, .*, got float32"),
    (
        "PowFusion",
        (spec(2, dtype="int32"), spec(dtype="int32")),
        {"scale": 2.0},
        "int32 must have scale 1 and shift 0, got 2.0 and 0.0",
    ),
    ("AddN", (), {}, "at least 1 input expected, got none"),
    ("AddN", (X, spec(3)), {}, r"inputs must have one rank, got shapes \(2, 3\), \(3,\)"),
    ("AddN", (X, X, spec(2, 1)), {}, r"inputs must agree on axis 1, got shapes \(2, 3\), \(2, 3\), \(2, 1\)"),
    ("Where", (FLAGS, X), {}, "1 or 3 inputs expected, got 2"),
    ("Where", (FLAGS, X, spec(2, 3, dtype="int32")), {}, "inputs must have one dtype, got float32, int32"),
    ("Where", (FLAGS, X, spec(4)), {}, r"shapes \(2, 3\), \(2, 3\), \(4,\) cannot be broadcast together"),
    ("Select", (FLAG,), {}, "as many arrays for True as for False expected, got 0 in all"),
    ("Select", (FLAG, X, X, X), {}, "as many arrays for True as for False expected, got 3 in all"),
    ("Select", (X, X, X), {}, "the condition must be one of bool, got float32"),
    ("Select", (FLAG, X, spec(2, 3, dtype="int8")), {}, "inputs must have one dtype, got float32, int8"),
    ("Select", (FLAGS, X, spec(3, 2)), {}, r"inputs must agree on axis 0, got shapes \(2, 3\), \(3, 2\)"),
    ("Select", (spec(5, dtype="bool"), X, X), {}, r"one element or those of \(2, 3\), got 5"),
    ("Select", (FLAGS, X, spec(4), X, spec(4)), {}, r"one element or those of \(4,\), got 6"),
    ("All", (X,), {}, "input 0 must be one of bool, got float32"),
    ("All", (FLAGS, spec_of(np.array([2]))), {}, "axis 2 is out of range for rank 2"),
    ("All", (FLAGS, spec_of(np.array([0, -2]))), {}, r"axes \[0, 0\] name one axis twice"),
    ("All", (FLAGS, _constant(0.0)), {}, "axes must be one of int8, .*, got float32"),
    ("Assert", (spec(),), {}, "input 0 must be one of bool, got float32"),
    ("Assert", (FLAG,), {"output_count": 2}, "0 or 1 outputs expected, got 2"),
]
FAKE_QUANTS = ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")


@pytest.mark.parametrize(("op", "inputs", "attributes", "message"), WRONG)
def test_rejected_before_the_model_runs(
    op: str, inputs: tuple[ArraySpec | None, ...], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, *inputs, **attributes)


@pytest.mark.parametrize("op", FAKE_QUANTS)
@pytest.mark.parametrize(
    ("bits", "low", "high", "message"),
    [
        (0, -1.0, 1.0, "num_bits must be in 2..16, got 0"),
        (1, -1.0, 1.0, "num_bits must be in 2..16, got 1"),
        (17, -1.0, 1.0, "num_bits must be in 2..16, got 17"),
        (8, 1.0, 1.0, "min must be below max, or both be 0, got min 1.0 and max 1.0"),
        (8, 1.0, -1.0, "min must be below max, or both be 0, got min 1.0 and max -1.0"),
        (8, float("nan"), 1.0, "min must be below max, or both be 0, got min nan"),
    ],
)
def test_fake_quant_rejects_bits_and_ranges(op: str, bits: int, low: float, high: float, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, spec(4, 1), _constant(low), _constant(high), num_bits=bits)


@pytest.mark.parametrize("op", FAKE_QUANTS)
def test_fake_quant_rejects_other_dtypes_and_shapes(op: str) -> None:
    with pytest.raises(KernelInputError, match=r"input 0 must be one of float32, .*, got int8"):
        infer(op, spec(4, 1, dtype="int8"), spec(1), spec(1), num_bits=8)
    with pytest.raises(KernelInputError, match=r"max must be one of float32, .*, got int32"):
        infer(op, spec(4, 1), spec(1), spec(1, dtype="int32"), num_bits=8)
    with pytest.raises(KernelInputError, match=r"max must h.*\(2,\)"):
        infer(op, spec(4, 1), spec(1), spec(2), num_bits=8)


# operator, inputs, message: found only with the data at hand
WRONG_DATA: list[tuple[str, tuple[Array, ...], dict[str, Any], str]] = [
    ("Clip", (np.zeros(2, np.float32), _floats(3), _floats(2)), {}, "min must be below max, got min 3.0"),
    ("Clip", (np.zeros(2, np.float32), _floats(1, 2)), {}, r"exactly one value, got shape \(2,\)"),
    ("Clip", (np.zeros(2, np.int32), _floats(0.5)), {"max": 2.0}, "a bound of int32 must be a whole number"),
    ("PowFusion", (np.array([2, 3]), np.array([1, -2])), {}, "int64 cannot be raised to a negative power, got -2"),
    ("Select", (np.ones(5, bool), np.zeros((2, 3)), np.zeros((2, 3))), {}, r"those of \(2, 3\), got 5"),
    ("Select", (np.ones(6, bool), np.zeros((2, 3)), np.zeros((3, 2))), {}, "inputs must agree on axis 0"),
    ("All", (np.ones((2, 3), bool), np.array([2])), {}, "axis 2 is out of range for rank 2"),
    ("GLU", (np.zeros((2, 3)),), {}, "axis must have an even size to be halved, got 3"),
    (
        "FakeQuantWithMinMaxVars",
        (np.zeros(2), np.array(2.0), np.array(1.0)),
        {"num_bits": 8},
        "got min 2.0 and max 1.0",
    ),
    (
        "FakeQuantWithMinMaxVarsPerChannel",
        (np.zeros((1, 3)), np.array([-1.0, 5.0, 0.0]), np.array([1.0, 3.0, 0.0])),
        {"num_bits": 8},
        "got min 5.0 and max 3.0",
    ),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "message"), WRONG_DATA)
def test_rejected_with_the_data_at_hand(
    op: str, inputs: tuple[Array, ...], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(KernelInputError, match=message):
        run(op, *inputs, **attributes)


def test_a_failed_assertion_shows_its_data() -> None:
    data = (np.arange(5, dtype=np.int32), np.array([[0.5, 1.5]], dtype=np.float32))
    with pytest.raises(KernelInputError, match=r"^the asserted condition is False$"):
        run("Assert", np.array(False))
    with pytest.raises(KernelInputError, match=r"^the asserted condition is False, \[0, 1, 2\]..., \[0.5, 1.5\]$"):
        run("Assert", np.array([True, False]), *data)
    with pytest.raises(KernelInputError, match=r"is False, \[0\]..., \[0.5\]...$"):
        run("Assert", np.array(False), *data, summarize=1)
    with pytest.raises(KernelInputError, match=r"is False, \[0, 1, 2, 3, 4\], \[0.5, 1.5\]$"):
        run("Assert", np.array(False), *data, summarize=5)


def test_an_unranked_condition_says_nothing_of_the_shape() -> None:
    assert infer("Select", unranked("bool"), X, spec(2, 3))[0].shape == (2, 3)
    assert infer("Select", unranked("bool"), X, spec(2, 4))[0].shape == (2, -1)
