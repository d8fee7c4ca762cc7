"""What every operator's check has in common, and the order in which reasons are found."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode, Rejected, Supported
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.operators.claims import OPERATORS
from tests.npu.graphs import HostKernel, const, ints, node, variable

NPU = NPUDelegate()


def code_of(kernel) -> RejectCode | None:
    result = NPU.supports(kernel)
    if isinstance(result, Supported):
        return None
    assert isinstance(result, Rejected)
    assert result.reason
    return result.code


def relu(x, shape, dtype=DataType.FLOAT32):
    return node("Activation", [x], shape, dtype, activation_type="RELU")


@pytest.mark.parametrize("op_type", ["LSTM", "NonMaxSuppression", "CumSum", "Unique", "GatherNd"])
def test_operators_that_stay_on_the_cpu(op_type):
    x = variable("x", (2, 3))
    result = NPU.supports(node(op_type, [x], (2, 3)))
    assert result == Rejected(RejectCode.OPERATOR, f"the NPU has no {op_type}")


def test_a_graph_kernel_is_rejected():
    x = variable("x", (2, 3))
    assert code_of(HostKernel("g", "NPUGraph", [x], [variable("y", (2, 3))])) is RejectCode.OPERATOR


@pytest.mark.parametrize("shape", [None, (-1, 3), (0, 3)])
def test_unknown_and_empty_shapes(shape):
    x, known = variable("x", shape), variable("x", (2, 3))
    assert code_of(relu(known, (2, 3))) is None
    assert code_of(relu(known, shape)) is RejectCode.SHAPE
    assert code_of(relu(x, (2, 3))) is RejectCode.SHAPE
    assert code_of(relu(x, shape)) is RejectCode.SHAPE
    assert code_of(node("AddFusion", [known, x], (2, 3))) is RejectCode.SHAPE


def test_four_dimensions_are_the_most():
    assert code_of(relu(variable("x", (1, 2, 3, 4)), (1, 2, 3, 4))) is None
    assert code_of(relu(variable("x", (1, 1, 2, 3, 4)), (1, 1, 2, 3, 4))) is RejectCode.RANK
    scalar = variable("x", ())
    assert code_of(node("AddFusion", [scalar, variable("y", (1, 1, 1, 1, 1))], (1,) * 5)) is RejectCode.RANK


@pytest.mark.parametrize("dtype", [d for d in DataType if d not in (DataType.UNKNOWN, DataType.INVALID)])
def test_only_float32_and_float16_are_claimed(dtype):
    taken = dtype in (DataType.FLOAT32, DataType.FLOAT16)
    x, y = variable("x", (2, 3)), variable("y", (2, 3), dtype)
    expected = None if taken else RejectCode.DTYPE
    assert code_of(node("Sqrt", [y], (2, 3), dtype)) is expected
    assert code_of(node("AddFusion", [x, y], (2, 3))) is expected
    assert code_of(relu(x, (2, 3), dtype)) is expected


@pytest.mark.parametrize("dtype", [DataType.INT32, DataType.BOOL])
def test_what_only_moves_takes_integers_and_bools_on_both_sides_only(dtype):
    x = variable("x", (4,), dtype)
    assert code_of(node("Reshape", [x, ints(2, 2)], (2, 2), dtype)) is None
    assert code_of(node("Reshape", [x, ints(2, 2)], (2, 2))) is RejectCode.DTYPE
    assert code_of(node("Flatten", [x], (4, 1), dtype)) is None
    assert code_of(node("Concat", [x, variable("y", (4,))], (8,), dtype, axis=0)) is RejectCode.DTYPE
    assert code_of(node("Reshape", [variable("y", (4,), DataType.INT64), ints(2, 2)], (2, 2), DataType.INT64)) is (
        RejectCode.DTYPE
    )


def test_int8_weights_are_rejected():
    x, weight = variable("x", (1, 4, 4, 2)), const("w", np.zeros((3, 1, 1, 2), np.int8))
    assert code_of(node("Conv2DFusion", [x, weight], (1, 4, 4, 3), group=1)) is RejectCode.DTYPE


def test_constants_beyond_float16_are_rejected():
    x = variable("x", (2,))

    def add(value: float) -> HostKernel:
        return node("AddFusion", [x, const("c", np.array([1, value], np.float32))], (2,))

    for value in (65504, -65504, np.inf, -np.inf, np.nan):
        assert code_of(add(value)) is None
    for value in (65505, -65505, 1e9, float(np.finfo(np.float32).min)):
        assert code_of(add(value)) is RejectCode.LIMIT
    assert code_of(node("AddFusion", [x, const("c", np.array([np.nan, 7e4], np.float32))], (2,))) is RejectCode.LIMIT
    assert code_of(node("AddFusion", [x, const("c", np.array([np.inf, -7e4], np.float32))], (2,))) is RejectCode.LIMIT


def test_shapes_that_do_not_fit_are_rejected():
    x, y = variable("x", (2, 3)), variable("y", (2, 4))
    assert code_of(relu(x, (3, 2))) is RejectCode.SHAPE
    assert code_of(node("AddFusion", [x, y], (2, 3))) is RejectCode.SHAPE
    assert code_of(node("AddFusion", [x, variable("z", (3,))], (3,))) is RejectCode.SHAPE


@pytest.mark.parametrize("activation", ["SIGMOID", "TANH", "ELU", "LEAKY_RELU", "SWISH", "UNKNOWN"])
def test_activations_that_are_not_fused(activation):
    x, y = variable("x", (2, 2)), variable("y", (2, 2))
    for op_type in ("AddFusion", "SubFusion", "MulFusion", "DivFusion", "MatMulFusion"):
        assert code_of(node(op_type, [x, y], (2, 2))) is None
        assert code_of(node(op_type, [x, y], (2, 2), activation_type=activation)) is RejectCode.ATTRIBUTE


def test_number_of_inputs_and_outputs():
    x = variable("x", (2, 3))
    assert code_of(node("AddFusion", [x], (2, 3))) is RejectCode.ATTRIBUTE
    assert code_of(node("AddFusion", [x, None], (2, 3))) is RejectCode.ATTRIBUTE
    assert code_of(node("AddFusion", [x, x, x], (2, 3))) is RejectCode.ATTRIBUTE
    assert code_of(node("Concat", [], (2, 3))) is RejectCode.ATTRIBUTE
    two = relu(x, (2, 3))
    more = HostKernel(two.name, two.type, two.inputs, [*two.outputs, variable("z", (2, 3))], two.primitive)
    assert code_of(more) is RejectCode.ATTRIBUTE


@pytest.mark.parametrize("op_type", sorted(OPERATORS))
def test_no_check_fails_on_a_kernel_with_nothing_right(op_type):
    for inputs in ([], [variable("x", None)], [variable("x", (), DataType.STRING)] * 3, [variable("x", (0,))] * 6):
        for shape in (None, (), (2, 3)):
            assert isinstance(NPU.supports(node(op_type, inputs, shape)), Rejected)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [  # each has the faults of all later ones
        (node("Conv2DFusion", [variable("x", (1, 2, -1, 4, 5), DataType.INT8)] * 2, (1,)), RejectCode.SHAPE),
        (node("Conv2DFusion", [variable("x", (1, 2, 3, 4, 5), DataType.INT8)] * 2, (1,)), RejectCode.RANK),
        (node("Conv2DFusion", [variable("x", (1, 2, 3, 4), DataType.INT8)] * 2, (1,)), RejectCode.DTYPE),
        (node("Conv2DFusion", [variable("x", (1, 2, 3, 4))] * 2, (1,)), RejectCode.NOT_CONSTANT),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_reasons_are_found_in_a_fixed_order(kernel, code):
    assert code_of(kernel) is code


def test_a_claim_changes_nothing():
    x, weight = variable("x", (1, 4, 4, 2), DataType.FLOAT16), const("w", np.ones((3, 1, 1, 2), np.float16))
    kernel = node("Conv2DFusion", [x, weight], (1, 4, 4, 3), DataType.FLOAT16, group=1)
    before = (kernel.primitive, kernel.inputs, kernel.outputs, x.dtype, x.shape, weight.data.tobytes(), x.has_data)
    assert NPU.supports(kernel) == Supported()
    after = (kernel.primitive, kernel.inputs, kernel.outputs, x.dtype, x.shape, weight.data.tobytes(), x.has_data)
    assert after == before
