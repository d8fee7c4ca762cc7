"""Tensors that follow from shapes, and tensors of one number."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import ConstantOfShape
from ....ir.primitives import Range as RangePrimitive
from ....semantics.operands import primitive_of, required
from ....tensors.tensor import Array
from ..integers import FLOAT64, has_doubles
from ..lowering import Lowering, constant_value, wanted
from ..term import Lowered
from .borders import expanded
from .elementwise import cast
from .reshaping import reshaped
from .results import as_model, given_dtype, given_shape

INT32 = np.dtype(np.int32)


def lower_shape(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The dimensions of a tensor, which are known."""
    return constant_value(np.array(required(kernel, 0).shape, INT32))


def lower_rank(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The number of dimensions."""
    return constant_value(np.array(len(required(kernel, 0).shape), INT32))


def lower_size(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The number of elements."""
    return constant_value(np.array(math.prod(required(kernel, 0).shape), INT32))


def lower_like(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Zeros or ones in the shape of a tensor."""
    return constant_value(np.full(given_shape(kernel), int(kernel.type == "OnesLike"), given_dtype(kernel)))


def lower_constant_of_shape(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One number of the attributes in a shape."""
    value, dtype = primitive_of(kernel, ConstantOfShape).value or (), given_dtype(kernel)
    wanted(len(value) == 1, RejectCode.ATTRIBUTE, "one value", f"are {value}")
    number = int(value[0]) if dtype.kind in "iu" else value[0]
    with np.errstate(over="ignore"):  # 1e300 is infinite in float32
        return constant_value(np.full(given_shape(kernel), number, dtype))


def lower_fill(kernel: Kernel, lowering: Lowering) -> Lowered:
    """One element of a tensor in a shape."""
    value = lowering.value(required(kernel, int(kernel.type == "FillV2")))
    return expanded(lowering, reshaped(lowering, value, ()), given_shape(kernel))


def lower_range(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Numbers at one distance from each other, by attributes or constants."""
    primitive, (count,), dtype = primitive_of(kernel, RangePrimitive), given_shape(kernel), given_dtype(kernel)
    if len(kernel.inputs) < 3:
        return constant_value(_spaced(np.array(primitive.start), np.array(primitive.delta), count).astype(dtype))
    first, step = (required(kernel, position) for position in (0, 2))
    wanted(first.is_const and step.is_const, RejectCode.NOT_CONSTANT, "the range must be constant")
    return constant_value(_spaced(_wide(first.data), _wide(step.data), count).astype(dtype))


def lower_lin_space(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Numbers at one distance from each other, the last exactly at the second end; of computed ends in float64."""
    ends, (count,), dtype = (
        [required(kernel, position) for position in (0, 1)],
        given_shape(kernel),
        given_dtype(kernel),
    )
    if all(end.is_const for end in ends):
        start, stop = (float(end.data.item()) for end in ends)
        return constant_value(np.linspace(start, stop, count, dtype=dtype))
    rule = "numbers between computed ends are found in float64"
    wanted(has_doubles(lowering), RejectCode.DTYPE, rule)
    own = [lowering.in_order(reshaped(lowering, lowering.value(end), (1,))) for end in ends]
    first, last = (cast(lowering, end, FLOAT64) for end in own)
    if count == 1:
        return as_model(own[0])
    extent = lowering.emit("Sub", [last, first], FLOAT64, (1,))
    step = lowering.emit("Div", [extent, lowering.scalar(count - 1, FLOAT64)], FLOAT64, (1,))
    places = lowering.array(np.arange(count - 1, dtype=FLOAT64))
    y = lowering.emit("Mul", [places, step], FLOAT64, (count - 1,))
    y = cast(lowering, lowering.emit("Add", [y, first], FLOAT64, (count - 1,)), dtype)
    return as_model(lowering.emit("Concat", [y, own[1]], dtype, (count,), axis=0))


def _spaced(first: Array, step: Array, count: int) -> Array:
    number = np.result_type(first, step)
    return np.asarray(first.reshape(()) + np.arange(count).astype(number) * step.reshape(()))


def _wide(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype == np.float16 else array


LOWERINGS = {
    "Shape": lower_shape,
    "Rank": lower_rank,
    "Size": lower_size,
    "ZerosLike": lower_like,
    "OnesLike": lower_like,
    "ConstantOfShape": lower_constant_of_shape,
    "Fill": lower_fill,
    "FillV2": lower_fill,
    "Range": lower_range,
    "LinSpace": lower_lin_space,
}
