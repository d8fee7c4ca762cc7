"""Functions of integers of 8 bits as tables, which the reference kernel fills once: of one integer, or of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from lite_delegate_kernels import UNKNOWN, Array, ReferenceKernel, as_tuple
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import BYTES
from lite_delegate_kernels._shapes import broadcast_shapes

from .fast_kernel import BindFunction, Inputs

FEWEST_PAIRS = 1 << 14
"""The elements of a result from which on a table of 65,536 pairs pays for itself within a few runs."""
EVERY = np.arange(256, dtype=np.uint8)
"""All integers of 8 bits, as bytes."""


def bind_table(form: ReferenceKernel) -> BindFunction:
    """The bound functions of nodes that are a function of each integer by itself.

    Args:
        form: the quantized kernel, which gives integers of 8 bits.
    """
    return partial(_bound_table, form)


def _bound_table(form: ReferenceKernel, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    (x,) = inputs if len(inputs) == 1 else (None,)
    if x is None or x.dtype_name not in BYTES:
        return None
    table = table_of(form, x.dtype, (256,), attributes)
    return None if table is None else partial(looked_up, table.tobytes(), table.dtype)


def table_of(
    form: ReferenceKernel, dtype: np.dtype[Any], shape: tuple[int, ...], attributes: Mapping[str, Any]
) -> Array | None:
    """What a kernel gives for every integer of 8 bits, an array of that shape; None where that is no such integer."""
    (table,) = as_tuple(form.run(EVERY.view(dtype).reshape(shape), **attributes))
    return table if table.dtype.name in BYTES else None


def looked_up(table: bytes, dtype: np.dtype[Any], x: Array) -> Array:
    """``table[x]``: ``bytearray.translate`` takes half as long as an index of numpy."""
    found = bytearray(np.ascontiguousarray(x)).translate(table)
    return np.frombuffer(found, dtype).reshape(x.shape)


def bound_pair_table(form: ReferenceKernel, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    """The function of a node that is one of pairs of integers; None for nodes of few elements.

    Args:
        form: the quantized kernel, which gives integers of 8 bits.
        inputs, attributes: of the node.
    """
    a, b = inputs
    assert a is not None
    assert b is not None
    shape = broadcast_shapes(a.shape, b.shape)
    if not shape or UNKNOWN in shape or np.prod(shape) < FEWEST_PAIRS:
        return None
    (table,) = as_tuple(form.run(EVERY.view(a.dtype)[:, None], EVERY.view(b.dtype)[None], **attributes))
    return partial(_looked_up_pair, np.ascontiguousarray(table).reshape(-1)) if table.dtype.name in BYTES else None


def _looked_up_pair(table: Array, a: Array, b: Array) -> Array:
    place = np.left_shift(np.ascontiguousarray(a).view(np.uint8), np.uint16(8), dtype=np.uint16)
    return np.asarray(table[np.bitwise_or(place, np.ascontiguousarray(b).view(np.uint8))])
