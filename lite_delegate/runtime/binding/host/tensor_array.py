"""Tensor arrays: lists that are written in place, through a handle.

NOTE: as in TensorFlow's TensorArrayV3, a "flow" number goes from each write to the operators that must come after it.
The runtime keeps reads and writes in the order of the file besides, so files that leave the flow out work too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, Shape

from ....basics.data_class import dataclass
from ..specs import Spec, TensorArraySpec, describe
from .operator import HostOperator, expect_array
from .shapes import dtype_of, index_of, meet_dtypes, meet_shapes, zeros
from .tensor_list import REASON

_FLOW = np.zeros((), np.float32)


@dataclass(slots=True, eq=False)
class TensorArrayState:
    """The array that a handle stands for, made anew each time TensorArray runs. Attributes as in ``TensorList``."""

    dtype: np.dtype[Any] | None
    element_shape: Shape | None
    is_growing: bool
    is_uniform: bool
    items: list[Array | None]


def tensor_array(
    size: Array,
    *,
    dynamic_size: bool,
    identical_element_shapes: bool,
    element_shape: tuple[int, ...] | None,
    data_type: int,
) -> tuple[TensorArrayState, Array]:
    """A new array of ``size`` items that are not set yet: its handle, and its flow.

    Args:
        size: one integer, >= 0.
        dynamic_size: whether writing behind the end makes the array longer.
        identical_element_shapes: whether all items must have the shape of the first item written.
        element_shape: the shape that items must fit, -1 for any size; None for any shape.
        data_type: the element type's number, 0 for the type of the first item written.

    Raises:
        KernelInputError: a negative size, or an element type that cannot be computed with.
    """
    count = index_of(size)
    if count < 0:
        raise KernelInputError(f"size must be >= 0, got {count}")
    state = TensorArrayState(dtype_of(data_type), element_shape, dynamic_size, identical_element_shapes, [None] * count)
    return state, _FLOW


def infer_tensor_array(
    size: Spec, *, element_shape: tuple[int, ...] | None, data_type: int, **_: bool
) -> tuple[Spec, Spec]:
    """A handle, and a flow number."""
    expect_array("size", size)
    return TensorArraySpec(dtype_of(data_type), element_shape), ArraySpec(_FLOW.dtype, ())


def read(handle: TensorArrayState, index: Array, flow: Array | None = None) -> Array:
    """Item ``index``; zeros when it was never written. ``flow`` is only waited for.

    Raises:
        KernelInputError: no such item, or one never written whose shape is not known.
    """
    number = index_of(index)
    if not 0 <= number < len(handle.items):
        raise KernelInputError(f"index must be 0..{len(handle.items) - 1}, got {number}")
    item = handle.items[number]
    return zeros(f"item {number}", handle.dtype, handle.element_shape) if item is None else item


def infer_read(handle: Spec, index: Spec, flow: Spec | None = None) -> ArraySpec:
    """An item; raises KernelInputError when the array's element type is not known."""
    expect_array("index", index)
    known = _expect_handle(handle)
    if known.dtype is None:
        raise KernelInputError("data_type of the tensor array must say the element type; it is 0")
    return ArraySpec(known.dtype, known.element_shape)


def write(handle: TensorArrayState, index: Array, item: Array, flow: Array | None = None) -> Array:
    """Sets item ``index``, and gives the flow that later operators read.

    Raises:
        KernelInputError: no such item, or ``item`` does not fit the array's element type or shape.
    """
    number, count = index_of(index), len(handle.items)
    if number < 0 or (number >= count and not handle.is_growing):
        raise KernelInputError(f"index must be 0..{count - 1}, got {number}")
    handle.dtype = meet_dtypes("item", handle.dtype, item.dtype)
    shape = meet_shapes("item", handle.element_shape, item.shape)
    if handle.is_uniform:
        handle.element_shape = shape
    handle.items.extend([None] * (number + 1 - count))
    handle.items[number] = item
    return _FLOW


def infer_write(handle: Spec, index: Spec, item: Spec, flow: Spec | None = None) -> ArraySpec:
    """A flow number; raises KernelInputError when ``item`` cannot fit."""
    expect_array("index", index)
    known, new = _expect_handle(handle), expect_array("item", item)
    meet_dtypes("item", known.dtype, new.dtype)
    meet_shapes("item", known.element_shape, new.shape)
    return ArraySpec(_FLOW.dtype, ())


def _expect_handle(spec: Spec | None) -> TensorArraySpec:
    if not isinstance(spec, TensorArraySpec):
        raise KernelInputError(f"input 0 must be the handle of a tensor array, got {describe(spec)}")
    return spec


ARRAY_OPERATORS = (
    HostOperator("TensorArray", tensor_array, infer_tensor_array, REASON),
    HostOperator("TensorArrayRead", read, infer_read, REASON),
    HostOperator("TensorArrayWrite", write, infer_write, REASON),
)
