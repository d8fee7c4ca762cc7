"""ConstantOfShape: a shape filled with the value of an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._dtypes import INTS, as_dtype, dtype_of_type_id
from ._filling import infer_sizes
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import size_list


def constant_of_shape(shape: Array, *, data_type: int = 0, value: Sequence[float] | None = None) -> Array:
    """An array of ``shape`` whose every element is ``value``.

    Args:
        shape: integers >= 0, the output dimensions; none gives a scalar.
        data_type: the TypeId of the output (43 is float32).
        value: exactly one number, for every dtype; integers drop its fraction, a bool is whether it is not 0.

    Raises:
        KernelInputError: other than one value, one that does not fit the dtype, a type id without a dtype, a
            negative dimension.
    """
    return np.full(size_list(shape, "shape"), _element(data_type, value))


def infer_constant_of_shape(shape: ArraySpec, *, data_type: int, value: Sequence[float] | None) -> ArraySpec:
    """The dimensions that ``shape`` holds, the rank alone where it is not constant."""
    element = _element(data_type, value)
    return ArraySpec(element.dtype, infer_sizes(shape))


def _element(data_type: int, value: Sequence[float] | None) -> Any:
    if value is None or len(value) != 1:
        raise KernelInputError(f"value must hold exactly one number, got {None if value is None else list(value)}")
    return as_dtype(value[0], dtype_of_type_id(data_type))


KERNEL = ReferenceKernel("ConstantOfShape", constant_of_shape, infer_constant_of_shape, INTS)
