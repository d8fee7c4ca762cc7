"""Tensor lists: values of their own, never changed; setting an item gives another list.

NOTE: as in TensorFlow, where these operators come from, an item that was never set reads as zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array, ArraySpec, KernelInputError, Shape

from ....basics.data_class import dataclass
from ....ir import Value
from ..specs import ListSpec, Spec, describe
from .operator import HostOperator, expect_array
from .shapes import dtype_of, index_of, meet_dtypes, meet_shapes, shape_of_array, shape_of_spec, zeros

REASON = "tensor lists live on the host"


@dataclass(frozen=True, slots=True, eq=False)
class TensorList:
    """Arrays in a row.

    Attributes:
        dtype: the element type of all items, None as long as it is unknown.
        element_shape: the shape that every item fits, -1 for any size of a dimension; None for any shape.
        items: the arrays; None for an item that was never set.
    """

    dtype: np.dtype[Any] | None
    element_shape: Shape | None
    items: list[Array | None]


def from_tensor(tensor: Array, element_shape: Array, *, element_dtype: int, shape_type: int) -> TensorList:
    """The slices of ``tensor`` (N, ...) along its first dimension; ``shape_type`` has no effect.

    Raises:
        KernelInputError: a scalar, or slices that do not fit ``element_shape`` or ``element_dtype``.
    """
    if tensor.ndim == 0:
        raise KernelInputError("tensor must have a first dimension to split, got a scalar")
    dtype = meet_dtypes("element_dtype", tensor.dtype, dtype_of(element_dtype))
    shape = meet_shapes("element_shape", tensor.shape[1:], shape_of_array(element_shape))
    return TensorList(dtype, shape, list(tensor))


def infer_from_tensor(tensor: Spec, element_shape: Spec, *, element_dtype: int, shape_type: int) -> ListSpec:
    """A list of slices of ``tensor``; raises as ``from_tensor`` does, as far as is known."""
    known = expect_array("tensor", tensor)
    if known.shape == ():
        raise KernelInputError("tensor must have a first dimension to split, got a scalar")
    dtype = meet_dtypes("element_dtype", known.dtype, dtype_of(element_dtype))
    wanted = shape_of_spec(expect_array("element_shape", element_shape))
    return ListSpec(dtype, meet_shapes("element_shape", None if known.shape is None else known.shape[1:], wanted))


def reserve(element_shape: Array, num_elements: Array, *, element_dtype: int, shape_type: int) -> TensorList:
    """A list of ``num_elements`` items that are not set yet; ``shape_type`` has no effect.

    Raises:
        KernelInputError: a number below 0, or an element type that cannot be computed with.
    """
    count = index_of(num_elements)
    if count < 0:
        raise KernelInputError(f"num_elements must be >= 0, got {count}")
    return TensorList(dtype_of(element_dtype), shape_of_array(element_shape), [None] * count)


def infer_reserve(element_shape: Spec, num_elements: Spec, *, element_dtype: int, shape_type: int) -> ListSpec:
    """A list whose items have the given type and, where it is constant, shape."""
    expect_array("num_elements", num_elements)
    return ListSpec(dtype_of(element_dtype), shape_of_spec(expect_array("element_shape", element_shape)))


def get_item(given: TensorList, index: Array, element_shape: Array | None = None, *, element_dtype: int) -> Array:
    """Item ``index``; zeros when it was never set.

    Args:
        given: the list.
        index: one integer, 0 <= index < number of items.
        element_shape: the shape of an item that was never set, where the list has no shape.
        element_dtype: the element type, 0 for the list's.

    Raises:
        KernelInputError: no such item, another element type, or an item that was never set and has no known shape.
    """
    number = index_of(index)
    if not 0 <= number < len(given.items):
        raise KernelInputError(f"index must be 0..{len(given.items) - 1}, got {number}")
    dtype = meet_dtypes("element_dtype", given.dtype, dtype_of(element_dtype))
    item = given.items[number]
    if item is not None:
        return item
    wanted = None if element_shape is None else shape_of_array(element_shape)
    return zeros(f"item {number}", dtype, meet_shapes("element_shape", given.element_shape, wanted))


def infer_get_item(given: Spec, index: Spec, element_shape: Spec | None = None, *, element_dtype: int) -> ArraySpec:
    """An item; of a known shape as far as the list or a constant ``element_shape`` says."""
    expect_array("index", index)
    known = _expect_list(given)
    dtype = _known_dtype(meet_dtypes("element_dtype", known.dtype, dtype_of(element_dtype)))
    return ArraySpec(dtype, meet_shapes("element_shape", known.element_shape, _optional_shape(element_shape)))


def set_item(given: TensorList, index: Array, item: Array, *, element_dtype: int) -> TensorList:
    """The list with another item ``index``; one item more when ``index`` is the number of items.

    Raises:
        KernelInputError: no such item, or ``item`` does not fit the list's element type or shape.
    """
    number, count = index_of(index), len(given.items)
    if not 0 <= number <= count:
        raise KernelInputError(f"index must be 0..{count}, got {number}")
    dtype = meet_dtypes("item", meet_dtypes("element_dtype", given.dtype, dtype_of(element_dtype)), item.dtype)
    meet_shapes("item", given.element_shape, item.shape)
    items = given.items.copy()
    items[number : number + 1] = [item]
    return TensorList(dtype, given.element_shape, items)


def infer_set_item(given: Spec, index: Spec, item: Spec, *, element_dtype: int) -> ListSpec:
    """A list like the given one; raises KernelInputError when ``item`` cannot fit."""
    expect_array("index", index)
    known, new = _expect_list(given), expect_array("item", item)
    meet_shapes("item", known.element_shape, new.shape)
    dtype = meet_dtypes("element_dtype", known.dtype, dtype_of(element_dtype))
    return ListSpec(meet_dtypes("item", dtype, new.dtype), known.element_shape)


def stack(given: TensorList, element_shape: Array, *, num_elements: int, element_dtype: int) -> Array:
    """All items in one array (N, ...), with zeros for items that were never set.

    Args:
        given: the list.
        element_shape: the shape of an item; the list's own shape counts when the first number is -1.
        num_elements: how many items the list must have. NOTE: numbers below 1 stand for any, so that a file that
            leaves the attribute out (0) still runs.
        element_dtype: the element type, 0 for the list's.

    Raises:
        KernelInputError: another number of items, items of different shapes, or zeros of an unknown shape.
    """
    if num_elements > 0 and len(given.items) != num_elements:
        raise KernelInputError(f"the list must have {num_elements} items, it has {len(given.items)}")
    dtype = meet_dtypes("element_dtype", given.dtype, dtype_of(element_dtype))
    shape = meet_shapes("element_shape", given.element_shape, _stacked_shape(element_shape))
    for i, item in enumerate(given.items):
        if item is not None:
            shape = meet_shapes(f"item {i}", shape, item.shape)
    if not given.items:
        return zeros("the empty list", dtype, None if shape is None else (0, *shape))
    return np.stack([zeros(f"item {i}", dtype, shape) if x is None else x for i, x in enumerate(given.items)])


def infer_stack(given: Spec, element_shape: Spec, *, num_elements: int, element_dtype: int) -> ArraySpec:
    """The items in one array; of a known shape as far as the list, a constant shape and ``num_elements`` say."""
    known, wanted = _expect_list(given), expect_array("element_shape", element_shape)
    dtype = _known_dtype(meet_dtypes("element_dtype", known.dtype, dtype_of(element_dtype)))
    said = None if wanted.value is None else _stacked_shape(wanted.value)
    shape = meet_shapes("element_shape", known.element_shape, said)
    return ArraySpec(dtype, None if shape is None else (num_elements if num_elements > 0 else UNKNOWN, *shape))


def stored_list(value: Value) -> TensorList:
    """The list that a constant of the model describes: a row of int32, as ``formats.ms.tensor_list`` explains.

    Items have a shape and no contents in a file: they count as never set, with the list's shape.

    Raises:
        KernelInputError: an element type that cannot be computed with.
    """
    if value.packed is None:
        return TensorList(None, None, [])
    raw = value.packed.raw
    numbers = raw[: raw.size // 4 * 4].view(np.dtype("<i4")).tolist()
    rank = numbers[1]
    shape, count = tuple(numbers[2 : 2 + rank]), max(numbers[2 + rank], 0)
    is_open = rank == 0 and numbers[0] == 0
    return TensorList(dtype_of(numbers[0]), None if is_open else shape, [None] * count)


def _stacked_shape(element_shape: Array) -> Shape | None:
    shape = shape_of_array(element_shape)
    return None if shape is not None and shape[:1] == (UNKNOWN,) else shape


def _optional_shape(spec: Spec | None) -> Shape | None:
    return None if spec is None else shape_of_spec(expect_array("element_shape", spec))


def _expect_list(spec: Spec | None) -> ListSpec:
    if not isinstance(spec, ListSpec):
        raise KernelInputError(f"input 0 must be a tensor list, got {describe(spec)}")
    return spec


def _known_dtype(dtype: np.dtype[Any] | None) -> np.dtype[Any]:
    if dtype is None:
        raise KernelInputError("element_dtype must say the element type, which has no other source; it is 0")
    return dtype


LIST_OPERATORS = (
    HostOperator("TensorListFromTensor", from_tensor, infer_from_tensor, REASON),
    HostOperator("TensorListReserve", reserve, infer_reserve, REASON),
    HostOperator("TensorListGetItem", get_item, infer_get_item, REASON),
    HostOperator("TensorListSetItem", set_item, infer_set_item, REASON),
    HostOperator("TensorListStack", stack, infer_stack, REASON),
)
