"""Real numbers kept as float32: what changes against float16, and what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode, Rejected, Supported
from lite_delegate.ir import DataType, to_numpy
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler.compile import compile_run, lower_run
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.pooling import MaxPool
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import load_profile
from lite_delegate.npu.semantics.error_bounds import matmul_error, storage_error
from tests.npu import loops
from tests.npu.graphs import const, model_of, node, out, predict, variable

F32_ELEMENT, F16_ELEMENT = ElementType.FLOAT32, ElementType.FLOAT16


def in_float32() -> NPUDelegate:
    return NPUDelegate(options={"INFERENCE_PRECISION_HINT": "f32"})


def add(shape=(3,), constant=1.0):
    return node("AddFusion", [variable("x", shape), const("c", np.float32(constant).reshape(1))], shape)


def test_the_delegate_says_in_what_its_device_keeps_numbers():
    assert NPUDelegate().storage_dtype is DataType.FLOAT16
    delegate = in_float32()
    before = delegate.storage_dtype
    delegate.set_property({"INFERENCE_PRECISION_HINT": "f16"})
    assert (before, delegate.storage_dtype) == (DataType.FLOAT32, DataType.FLOAT16)


def test_numbers_cross_and_stay_as_they_are():
    kernel = add(constant=1e-7)
    fed = np.array([0.1, -1e6, 70000.7], np.float32)
    (got,) = predict([kernel], {kernel.inputs[0]: fed}, delegate=in_float32())
    np.testing.assert_array_equal(got, fed + np.float32(1e-7))


@pytest.mark.parametrize("precision", [F16_ELEMENT, F32_ELEMENT])
def test_every_buffer_of_real_numbers_has_the_precision(precision):
    kernel = add((1, 2, 2, 3))
    pool = node("MaxPoolFusion", [out(kernel)], (1, 1, 1, 3), kernel_size=(2, 2), strides=(2, 2))
    model = model_of([kernel, pool], [out(pool)])
    run = [kernel, pool], model.boundary_of([kernel, pool])
    module = lower_run(*run, precision)
    assert {b.element for b in module.buffers} == {precision}
    compiled = compile_run(*run, Target(load_profile("generic"), precision=precision))
    assert {b.element for b in compiled.program.buffers} == {precision}


def test_constants_beyond_float16_are_claimed_in_float32():
    """65504 is the last number in range of float16; float32 takes everything that a float32 constant can hold."""

    def answers(delegate):
        return [type(delegate.supports(add(constant=c))) for c in (65504.0, 65505.0, np.finfo(np.float32).max)]

    assert answers(NPUDelegate()) == [Supported, Rejected, Rejected]
    assert answers(in_float32()) == [Supported] * 3
    rejected = NPUDelegate().supports(add(constant=65505.0))
    assert isinstance(rejected, Rejected)
    assert rejected.code is RejectCode.LIMIT
    assert rejected.reason == "constant input 1 may hold 65504 at most (float16), holds 65505"


def test_statistics_beyond_float16():
    """A mean of 1e6 with deviations around 1, which float16 can neither hold nor tell apart."""
    x, mean = variable("x", (2, 4)), np.full(4, 1e6, np.float32)
    one, zero = np.ones(4, np.float32), np.zeros(4, np.float32)
    constants = [const(n, v) for n, v in (("scale", one), ("offset", zero), ("mean", mean), ("variance", one))]
    kernel = node("FusedBatchNorm", [x, *constants], (2, 4), epsilon=0.0)
    fed = mean + np.arange(8, dtype=np.float32).reshape(2, 4)
    (got,) = predict([kernel], {x: fed}, delegate=in_float32())
    np.testing.assert_array_equal(got, np.arange(8).reshape(2, 4))


@pytest.mark.parametrize(
    ("function", "scalar"),
    [
        (Function.TANH, math.tanh),
        (Function.SQUARE, lambda v: v * v),
        (Function.GELU, lambda v: 0.5 * v * math.erfc(-v / math.sqrt(2))),
    ],
)
def test_functions_of_float32_are_off_by_half_a_unit_in_the_last_place(function, scalar):
    x = np.random.default_rng(1).normal(size=(5, 40)).astype(np.float32) * 3
    got = Lookup(function).run([x])
    assert got.dtype == np.float32
    want = np.array([[scalar(float(v)) for v in row] for row in x])
    assert (np.abs(got - want) <= np.spacing(np.abs(want).astype(np.float32)) * 0.5001).all()


def test_maxima_below_the_range_of_float16():
    x = np.full((1, 1, 3, 3), -1e6, np.float32)
    window = Window((3, 3), (1, 1), (1, 1), (1, 1), (3, 3))
    assert (MaxPool(window).run([x]) == -1e6).all()


@pytest.mark.parametrize("dtype", [DataType.FLOAT16, DataType.FLOAT32])
def test_a_maximum_of_minus_infinity_alone_is_the_lowest_number_of_the_tensors_type(dtype):
    x = variable("x", (1, 2, 2, 1), dtype)
    kernel = node("MaxPoolFusion", [x], (1, 1, 1, 1), dtype, kernel_size=(2, 2))
    (got,) = predict([kernel], {x: np.full((1, 2, 2, 1), -np.inf, to_numpy(dtype))}, delegate=in_float32())
    assert got.item() == np.finfo(to_numpy(dtype)).min


def test_a_product_is_within_the_bound_for_float32_storage():
    rng = np.random.default_rng(2)
    a, weight = rng.normal(size=(6, 40)).astype(np.float32), rng.normal(size=(40, 5)).astype(np.float32)
    x = variable("x", a.shape)
    kernel = node("MatMulFusion", [x, const("w", weight)], (6, 5))
    (got,) = predict([kernel], {x: a}, delegate=in_float32())
    error = np.abs(got - loops.matmul(a, weight))
    bound = matmul_error(a, weight, element=F32_ELEMENT)
    assert (error <= bound).all()
    assert (bound * 100 < matmul_error(a, weight)).all()
    assert storage_error(np.array([1.0], np.float32), F32_ELEMENT).item() == pytest.approx(2.0**-24)
