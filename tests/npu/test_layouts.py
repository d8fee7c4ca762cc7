"""Operators between two convolutions: wherever a tensor lies on the device, the model's axes are meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from lite_delegate.ir.types.enums import ReduceMode
from lite_delegate.npu.compiler.compile import compile_run
from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import load_profile
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import Array, HostKernel, const, ints, model_of, node, out, predict, small_ints, variable

X_SHAPE = (2, 5, 4, 3)


def pointwise(x: Tensor, channels_out: int, seed: int) -> tuple[HostKernel, Array]:
    """A 1x1 convolution, and its weight as a matrix (Cin, Cout)."""
    weight = small_ints((channels_out, 1, 1, x.shape[3]), seed, -1, 2)
    kernel = node("Conv2DFusion", [x, const("w", weight)], (*x.shape[:3], channels_out), group=1)
    return kernel, weight[:, 0, 0, :].T


@dataclass
class Middle:
    """An operator between the convolutions: makes its kernel for an input, and says what it computes."""

    make: Callable[[Tensor], HostKernel]
    compute: Callable[[Array], Array]


C = X_SHAPE[3]
VECTOR = small_ints((C,), 10)
PLANE = small_ints((X_SHAPE[1], X_SHAPE[2], 1), 11)
FULL = small_ints(X_SHAPE, 12)
WIDE = small_ints((2, 5, 4, 2), 13)
SCALAR = np.array(2, np.float32)


def unary(op_type: str, compute: Callable[[Array], Array], **attributes: Any) -> Middle:
    return Middle(lambda x: node(op_type, [x], x.shape, **attributes), compute)


def binary(op_type: str, operand: Array, compute: Callable[[Array], Array], *, first: bool = False) -> Middle:
    def make(x: Tensor) -> HostKernel:
        constant = const("c", operand)
        return node(op_type, [constant, x] if first else [x, constant], x.shape)

    return Middle(make, compute)


def concat(axis: int, operand: Array) -> Middle:
    def make(x: Tensor) -> HostKernel:
        shape = list(x.shape)
        shape[axis] += operand.shape[axis]
        return node("Concat", [x, const("c", operand)], shape, axis=axis)

    return Middle(make, lambda v: np.concatenate([v, operand], axis))


def reduce(axes: tuple[int, ...], keep_dims: bool = True) -> Middle:
    def make(x: Tensor) -> HostKernel:
        shape = np.zeros(x.shape).sum(axes, keepdims=keep_dims).shape
        return node("ReduceFusion", [x, ints(*axes)], shape, keep_dims=keep_dims, mode=ReduceMode.ReduceSum)

    return Middle(make, lambda v: v.sum(axes, keepdims=keep_dims))


def transpose(*perm: int) -> Middle:
    def make(x: Tensor) -> HostKernel:
        return node("Transpose", [x, ints(*perm)], [x.shape[a] for a in perm])

    return Middle(make, lambda v: v.transpose(perm))


def reshape(*shape: int) -> Middle:
    return Middle(lambda x: node("Reshape", [x, ints(*shape)], shape), lambda v: v.reshape(shape))


def softmax(axis: int) -> Middle:
    def compute(v: Array) -> Array:
        e = np.exp(v - v.max(axis, keepdims=True))
        return np.asarray(e / e.sum(axis, keepdims=True))

    return unary("Softmax", compute, axis=(axis,))


def scale(axis: int, operand: Array) -> Middle:
    wide = operand.reshape(operand.shape + (1,) * (4 - axis % 4 - operand.ndim))

    def make(x: Tensor) -> HostKernel:
        return node("ScaleFusion", [x, const("s", operand), const("o", operand)], x.shape, axis=axis)

    return Middle(make, lambda v: v * wide + wide)


STATISTICS = [np.array(v, np.float32) for v in ([2, 4, -2], [1, 0, -1], [1, -1, 0], [4, 1, 16])]

MIDDLES = {
    "relu": unary("Activation", lambda v: np.maximum(v, 0), activation_type="RELU"),
    "neg": unary("Neg", np.negative),
    "add_4d_constant": binary("AddFusion", FULL, lambda v: v + FULL),
    "sub_4d_constant_first": binary("SubFusion", FULL, lambda v: FULL - v, first=True),
    "mul_channel_vector": binary("MulFusion", VECTOR, lambda v: v * VECTOR),
    "mul_plane": binary("MulFusion", PLANE, lambda v: v * PLANE),
    "add_scalar": binary("AddFusion", SCALAR, lambda v: v + SCALAR),
    "add_one_element": binary("AddFusion", SCALAR.reshape(1), lambda v: v + SCALAR),
    "div_scalar": binary("DivFusion", SCALAR, lambda v: v / SCALAR),
    "maximum_vector": binary("Maximum", VECTOR, lambda v: np.maximum(v, VECTOR)),
    "eltwise": binary("Eltwise", FULL, lambda v: v * FULL),
    "concat_last": concat(-1, WIDE),
    "concat_3": concat(3, WIDE),
    "concat_0": concat(0, FULL),
    "concat_1": concat(1, FULL),
    "concat_-2": concat(-2, FULL),
    "reduce_hw": reduce((1, 2)),
    "reduce_c": reduce((-1,)),
    "reduce_n": reduce((0,)),
    "transpose_nchw": transpose(0, 3, 1, 2),
    "transpose_nhwc": transpose(0, 2, 3, 1),
    "transpose_hw": transpose(0, 2, 1, 3),
    "transpose_all": transpose(3, 2, 1, 0),
    "transpose_none": transpose(0, 1, 2, 3),
    "reshape_4d": reshape(4, 5, 2, 3),
    "reshape_channels": reshape(2, 5, 2, 6),
    "softmax_last": softmax(-1),
    "softmax_1": softmax(1),
    "softmax_0": softmax(0),
    "scale_channel": scale(3, VECTOR),
    "scale_last": scale(-1, VECTOR),
    "scale_height": scale(1, small_ints((5,), 14)),
    "scale_plane": scale(1, small_ints((5, 4), 15)),
    "batch_norm": Middle(
        lambda x: node("FusedBatchNorm", [x, *(const("s", s) for s in STATISTICS)], x.shape, epsilon=0.0),
        lambda v: (v - STATISTICS[2]) / np.sqrt(STATISTICS[3]) * STATISTICS[0] + STATISTICS[1],
    ),
}


@pytest.mark.parametrize("name", MIDDLES)
def test_between_convolutions(name):
    middle = MIDDLES[name]
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    between = middle.make(out(first))
    last, right = pointwise(out(between), 4, 2)
    fed = small_ints(X_SHAPE, 3)
    got, inner = predict([first, between, last], {x: fed}, out(last), out(between))
    want = middle.compute((fed @ left).astype(np.float32))
    if name.startswith("softmax"):
        np.testing.assert_allclose(inner, want, rtol=2.0**-10, atol=2.0**-24)
        np.testing.assert_allclose(got, want @ right, rtol=2.0**-9, atol=2.0**-9)
    else:
        np.testing.assert_array_equal(inner, want)
        np.testing.assert_array_equal(got, want @ right)


@pytest.mark.parametrize("axes", [(1, 2), (3,), (1,), (2,), (0,), (0, 1), (2, 3), (1, 3), (0, 1, 2, 3), ()])
def test_reduce_that_drops_axes_after_a_convolution(axes):
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    every = axes or (0, 1, 2, 3)
    shape = np.zeros(X_SHAPE).sum(every).shape
    last = node("ReduceFusion", [out(first), ints(*axes)], shape, mode=ReduceMode.ReduceSum)
    fed = small_ints(X_SHAPE, 4)
    (got,) = predict([first, last], {x: fed})
    np.testing.assert_array_equal(got, (fed @ left).sum(every))


@pytest.mark.parametrize(("op_type", "shape"), [("Reshape", (10, 12)), ("Flatten", (2, 60)), ("Reshape", (120,))])
def test_flattening_after_a_convolution_is_in_model_order(op_type, shape):
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    last = node(op_type, [out(first)] if op_type == "Flatten" else [out(first), ints(*shape)], shape)
    fed = small_ints(X_SHAPE, 5)
    (got,) = predict([first, last], {x: fed})
    np.testing.assert_array_equal(got, (fed @ left).reshape(shape))


def test_full_connection_after_a_convolution_flattens_in_model_order():
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    weight, bias = small_ints((7, 60), 6, -1, 2), small_ints((7,), 7)
    last = node(
        "FullConnection",
        [out(first), const("w", weight), const("b", bias)],
        (2, 7),
        has_bias=True,
        use_axis=True,
        axis=1,
    )
    fed = small_ints(X_SHAPE, 8, 0, 2)
    (got,) = predict([first, last], {x: fed})
    np.testing.assert_array_equal(got, (fed @ left).reshape(2, 60) @ weight.T + bias)


def test_a_batched_product_after_a_convolution_is_in_model_order():
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    right = small_ints((2, 1, 3, 6), 9)
    last = node("MatMulFusion", [out(first), const("b", right)], (2, 5, 4, 6))
    fed = small_ints(X_SHAPE, 10)
    (got,) = predict([first, last], {x: fed})
    np.testing.assert_array_equal(got, (fed @ left) @ right)


def test_a_variable_vector_meets_the_channels_of_a_convolution():
    x, vector = variable("x", X_SHAPE), variable("v", (C,))
    first, left = pointwise(x, C, 1)
    last = node("MulFusion", [vector, out(first)], X_SHAPE)
    fed = small_ints(X_SHAPE, 11)
    (got,) = predict([first, last], {x: fed, vector: VECTOR})
    np.testing.assert_array_equal(got, (fed @ left) * VECTOR)


def test_a_packed_and_a_plain_operand_meet():
    x, flat = variable("x", X_SHAPE), variable("flat", (120,))
    first, left = pointwise(x, C, 1)
    shaped = node("Reshape", [flat, ints(*X_SHAPE)], X_SHAPE)
    last = node("SubFusion", [out(shaped), out(first)], X_SHAPE)
    fed, other = small_ints(X_SHAPE, 12), small_ints((120,), 13)
    (got,) = predict([first, shaped, last], {x: fed, flat: other})
    np.testing.assert_array_equal(got, other.reshape(X_SHAPE) - fed @ left)


def test_one_tensor_feeds_one_kernel_twice():
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    last = node("AddFusion", [out(first), out(first)], X_SHAPE)
    fed = small_ints(X_SHAPE, 14)
    (got,) = predict([first, last], {x: fed})
    np.testing.assert_array_equal(got, 2 * (fed @ left))


def permutes(kernels: list[HostKernel]) -> int:
    model = model_of(kernels, [out(k) for k in kernels])
    compiled = compile_run(kernels, model.boundary_of(kernels), Target(load_profile("generic")))
    return sum(isinstance(step.instruction, Permute) for step in compiled.program.steps)


LEFT = {
    "transpose_nchw": 1,
    "transpose_nhwc": 1,
    "transpose_hw": 1,
    "transpose_all": 1,
    "reshape_4d": 2,
    "reshape_channels": 2,
}
"""Permutes that stay between two convolutions, for middles that really move elements: a transpose of the model's is one
with the two around it; a view that tears the channels apart, or what lies before them, keeps one on each side."""


@pytest.mark.parametrize("name", MIDDLES)
def test_only_unavoidable_permutes_stay_between_convolutions(name):
    first, _ = pointwise(variable("x", X_SHAPE), C, 1)
    between = MIDDLES[name].make(out(first))
    last, _ = pointwise(out(between), 4, 2)
    kernels = [first, between, last]
    model = model_of(kernels, [out(last)])
    compiled = compile_run(kernels, model.boundary_of(kernels), Target(load_profile("generic")))
    assert sum(isinstance(step.instruction, Permute) for step in compiled.program.steps) == LEFT.get(name, 0)
    assert [port.axes for port in compiled.module.inputs] == [(0, 3, 1, 2)]


def test_one_permute_serves_all_who_read_a_tensor_in_model_order():
    x = variable("x", X_SHAPE)
    first, _ = pointwise(x, C, 1)
    readers = [node("Reshape", [out(first), ints(120)], (120,)) for _ in range(3)]
    assert permutes([first, *readers]) == 1


def test_no_permute_where_layouts_already_differ_by_the_permutation():
    x = variable("x", X_SHAPE)
    first, _ = pointwise(x, C, 1)
    to_nchw = node("Transpose", [out(first), ints(0, 3, 1, 2)], (2, 3, 5, 4))
    flat = node("Reshape", [out(to_nchw), ints(2, 60)], (2, 60))
    back = node("Transpose", [out(to_nchw), ints(0, 2, 3, 1)], X_SHAPE)
    again, _ = pointwise(out(back), 2, 2)
    assert permutes([first, to_nchw, flat, back, again]) == 0


def test_no_permute_between_operators_that_follow():
    x = variable("x", X_SHAPE)
    act = node("Activation", [x], X_SHAPE, activation_type="RELU")
    first, _ = pointwise(out(act), C, 1)
    norm = MIDDLES["batch_norm"].make(out(first))
    add = node("AddFusion", [out(norm), out(act)], X_SHAPE)
    pool = node("AvgPoolFusion", [out(add)], (2, 1, 1, C), global_=True)
    flat = node("Reshape", [out(pool), ints(2, C)], (2, C))
    assert permutes([act, first, norm, add, pool, flat]) == 0


def test_an_input_that_two_kernels_read_crosses_once():
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    flat = node("Reshape", [x, ints(120)], (120,))
    model = model_of([first, flat], [out(first), out(flat)])
    compiled = compile_run([first, flat], model.boundary_of([first, flat]), Target(load_profile("generic")))
    assert [port.tensor for port in compiled.module.inputs] == [x]
    fed = small_ints(X_SHAPE, 15)
    convolved, flattened = predict([first, flat], {x: fed}, out(first), out(flat))
    np.testing.assert_array_equal(convolved, fed @ left)
    np.testing.assert_array_equal(flattened, fed.ravel())


def test_constants_are_packed_as_copies():
    x = variable("x", X_SHAPE)
    first, _ = pointwise(x, C, 1)
    operand, axes = const("c", FULL.copy()), ints(-3, 2)
    add = node("AddFusion", [out(first), operand], X_SHAPE)
    last = node("ReduceFusion", [out(add), axes], (2, 1, 1, 3), keep_dims=True)
    fed = small_ints(X_SHAPE, 16)
    predict([first, add, last], {x: fed})
    np.testing.assert_array_equal(operand.data, FULL)
    assert axes.data.tolist() == [-3, 2]
    assert x.data is fed
    np.testing.assert_array_equal(fed, small_ints(X_SHAPE, 16))
