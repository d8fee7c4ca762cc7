"""Element-wise operators, normalization and softmax: what is claimed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType, to_numpy
from lite_delegate.ir.types.enums import ActivationType
from tests.npu.graphs import const, node, variable
from tests.npu.operators.limits import code_on, limited
from tests.npu.operators.test_gate import code_of

WHOLE = {"NO_ACTIVATION", "LINEAR", "RELU", "RELU6", "RELU1", "ABS", "SIGN"}


@pytest.mark.parametrize("name", [a.name for a in ActivationType])
def test_activation_types(name):
    def activation(dtype):
        return node("Activation", [variable("x", (2, 3), dtype)], (2, 3), dtype, activation_type=name)

    assert code_of(activation(DataType.FLOAT32)) is (RejectCode.ATTRIBUTE if name == "UNKNOWN" else None)
    assert code_of(activation(DataType.INT32)) is (None if name in WHOLE else RejectCode.ATTRIBUTE)
    assert code_of(activation(DataType.BOOL)) is RejectCode.DTYPE


FLOATS_ONLY = ["Ceil", "Cos", "ExpFusion", "Floor", "Log", "Reciprocal", "Round", "Rsqrt", "Sin", "Softmax", "Sqrt"]


@pytest.mark.parametrize("op_type", [*FLOATS_ONLY, "Abs", "Neg", "Square", "LogicalNot"])
def test_dtypes_of_one_operand(op_type):
    attributes = {"axis": (-1,)} if op_type == "Softmax" else {}
    for dtype, taken in (
        (DataType.FLOAT32, True),
        (DataType.FLOAT16, True),
        (DataType.INT32, op_type not in FLOATS_ONLY),
        (DataType.BOOL, op_type == "LogicalNot"),
        (DataType.INT64, False),
    ):
        kernel = node(op_type, [variable("x", (2, 3), dtype)], (2, 3), dtype, **attributes)
        assert code_of(kernel) is (None if taken else RejectCode.DTYPE)


ARITHMETIC = ["AddFusion", "SubFusion", "MulFusion", "Maximum", "Minimum", "Eltwise"]
DIVIDING = ["DivFusion", "FloorDiv", "FloorMod"]
LOGICAL = ["LogicalAnd", "LogicalOr"]


@pytest.mark.parametrize("op_type", [*ARITHMETIC, *DIVIDING, *LOGICAL])
def test_dtypes_of_two_operands(op_type):
    for dtype, taken in (
        (DataType.FLOAT32, True),
        (DataType.FLOAT16, True),
        (DataType.INT32, True),
        (DataType.BOOL, op_type in LOGICAL),
        (DataType.INT64, False),
    ):
        x, y = variable("x", (2, 3), dtype), const("c", np.ones(3, to_numpy(dtype)))
        assert code_of(node(op_type, [x, y], (2, 3), dtype)) is (None if taken else RejectCode.DTYPE)
    x, y = variable("x", (2, 3), DataType.INT32), variable("y", (2, 3))
    assert code_of(node(op_type, [x, y], (2, 3))) is RejectCode.DTYPE


@pytest.mark.parametrize("op_type", DIVIDING)
def test_integer_divisors_are_constants_without_zero(op_type):
    x = variable("x", (3,), DataType.INT32)

    def divided_by(divisor):
        return node(op_type, [x, divisor], (3,), DataType.INT32)

    assert code_of(divided_by(const("c", np.array([1, -2, 3], np.int32)))) is None
    assert code_of(divided_by(const("c", np.array([1, 0, 3], np.int32)))) is RejectCode.ATTRIBUTE
    assert code_of(divided_by(variable("y", (3,), DataType.INT32))) is RejectCode.NOT_CONSTANT
    real, zero = variable("x", (3,)), const("c", np.zeros(3, np.float32))
    assert code_of(node(op_type, [real, zero], (3,))) is None


COMPARISONS = ["Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]


@pytest.mark.parametrize("op_type", COMPARISONS)
def test_dtypes_of_comparisons(op_type):
    for dtype, taken in (
        (DataType.FLOAT32, True),
        (DataType.FLOAT16, True),
        (DataType.INT32, True),
        (DataType.BOOL, op_type in ("Equal", "NotEqual")),
        (DataType.INT64, False),
    ):
        x, y = variable("x", (2, 3), dtype), variable("y", (2, 3), dtype)
        assert code_of(node(op_type, [x, y], (2, 3), DataType.BOOL)) is (None if taken else RejectCode.DTYPE)
    x, y = variable("x", (2, 3)), variable("y", (2, 3), DataType.INT32)
    assert code_of(node(op_type, [x, variable("y", (2, 3), DataType.FLOAT16)], (2, 3), DataType.BOOL)) is None
    assert code_of(node(op_type, [x, y], (2, 3), DataType.BOOL)) is RejectCode.DTYPE
    assert code_of(node(op_type, [x, x], (2, 3))) is RejectCode.DTYPE
    assert code_of(node(op_type, [x, x], (3, 3), DataType.BOOL)) is RejectCode.SHAPE
    assert code_of(node(op_type, [x], (2, 3), DataType.BOOL)) is RejectCode.ATTRIBUTE


ONE_RANK = {*ARITHMETIC, *DIVIDING, *LOGICAL, *COMPARISONS} - {"MulFusion", "Eltwise"}


@pytest.mark.parametrize("op_type", [*ARITHMETIC, *DIVIDING, *LOGICAL, *COMPARISONS])
def test_ranks_of_two_operands(op_type):
    def kernel(first, second, shape=(1, 2, 3)):
        dtype = DataType.BOOL if op_type in COMPARISONS else DataType.FLOAT32
        return node(op_type, [variable("x", first), variable("y", second)], shape, dtype)

    one_rank = limited(arithmetic_equal_ranks=True)
    for operands in (((1, 2, 3), (1, 1, 3)), ((1, 2, 3), ()), ((), (1, 2, 3))):
        assert code_on(one_rank, kernel(*operands)) is None
    for first, second in (((1, 2, 3), (2, 3)), ((3,), (1, 2, 3))):
        assert code_of(kernel(first, second)) is None
        assert code_on(one_rank, kernel(first, second)) is (RejectCode.RANK if op_type in ONE_RANK else None)


@pytest.mark.parametrize(("op_type", "limit"), [("Equal", "equal_rejected_rank"), ("Less", "less_rejected_rank")])
@pytest.mark.parametrize("rejected", [1, 2])
def test_one_rank_that_a_driver_gets_wrong(op_type, limit, rejected):
    profile = limited(**{limit: rejected})
    for shape in ((3,), (2, 3), (1, 2, 3)):
        kernel = node(op_type, [variable("x", shape), variable("y", shape)], shape, DataType.BOOL)
        assert code_on(profile, kernel) is (RejectCode.RANK if len(shape) == rejected else None)
        assert code_of(kernel) is None


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


@pytest.mark.parametrize(
    ("scale", "axis", "code"),
    [
        ((4,), 2, None),
        ((3, 4), 1, None),
        ((2, 3, 4), -3, None),
        ((3,), 1, RejectCode.LIMIT),
        ((2, 3), 0, RejectCode.LIMIT),
        ((), 2, RejectCode.LIMIT),
    ],
)
def test_a_factor_for_each_channel(scale, axis, code):
    kernel = node("ScaleFusion", [variable("x", (2, 3, 4)), variable("s", scale)], (2, 3, 4), axis=axis)
    assert code_of(kernel) is None
    assert code_on(limited(scale_per_channel=True), kernel) is code


def test_scale_and_offset_have_one_shape():
    x, scale, offset = variable("x", (2, 3)), variable("s", (3,)), variable("o", (2, 3))
    assert code_of(node("ScaleFusion", [x, scale, offset], (2, 3), axis=1)) is RejectCode.SHAPE


def batch_norm(shape=(2, 3), channels=3, variable_at=None, values=(1, 0, 0, 1), mode=0, epsilon=1e-5):
    vectors = [const(f"c{i}", np.full((channels,), v, np.float32)) for i, v in enumerate(values)]
    if variable_at is not None:
        vectors[variable_at] = variable("v", (channels,))
    return node("FusedBatchNorm", [variable("x", shape), *vectors], shape, mode=mode, epsilon=epsilon)


@pytest.mark.parametrize(
    ("accepted", "rejected", "code"),
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
def test_fused_batch_norm(accepted, rejected, code):
    assert code_of(batch_norm(**accepted)) is None
    assert code_of(batch_norm(**rejected)) is code
