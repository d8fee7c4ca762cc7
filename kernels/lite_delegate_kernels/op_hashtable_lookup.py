"""HashtableLookup: the values that stand beside keys in a table."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, INTS, check_dtype, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._movement import merge_shapes


def hashtable_lookup(x: Array, keys: Array, values: Array) -> tuple[Array, Array]:
    """The row of ``values`` whose key is ``x[i]``, zeros where no key is.

    Args:
        x: 1-D integers.
        keys: 1-D integers of the dtype of ``x``, sorted in ascending order; of equal keys the first counts.
        values: one row per key, any dtype that numpy has.

    Returns:
        ``(len(x), ...)`` with the rows of ``values``; and uint8 (len(x),), 1 where a key was found.

    Raises:
        KernelInputError: the keys are not sorted.

    NOTE: as TensorFlow Lite defines it for numbers; MindSpore Lite's kernel knows values that are strings only,
    which no array can hold.
    """
    _check_sorted(keys)
    rows = np.zeros((x.size, *values.shape[1:]), dtype=values.dtype)
    if not keys.size:
        return rows, np.zeros(x.size, dtype=np.uint8)
    places = np.searchsorted(keys, x).clip(max=keys.size - 1)
    hits = keys[places] == x
    rows[hits] = values[places[hits]]
    return rows, hits.astype(np.uint8)


def infer_hashtable_lookup(x: ArraySpec, keys: ArraySpec, values: ArraySpec) -> tuple[ArraySpec, ArraySpec]:
    """A row of ``values`` for each element of ``x``, and the hits.

    Raises:
        KernelInputError: ``x`` or the keys are not 1-D, other than one key per row, constant keys that are not sorted.
    """
    check_dtype(x, INTS)
    check_dtype(values, ALL_DTYPES, "values")
    check_same_dtype(x, keys)
    if x.rank not in (None, 1) or keys.rank not in (None, 1) or values.rank == 0:
        raise KernelInputError(
            f"lookups and keys must be 1-D and values have rows, got shapes {x.shape}, {keys.shape}, {values.shape}"
        )
    if keys.shape is not None and values.shape is not None:
        merge_shapes([keys.shape, values.shape[:1]])
    if keys.value is not None:
        _check_sorted(keys.value)
    count = x.shape if x.shape is not None else (UNKNOWN,)
    shape = None if values.shape is None else (*count, *values.shape[1:])
    return ArraySpec(values.dtype, shape), ArraySpec(np.dtype(np.uint8), count)


def _check_sorted(keys: Array) -> None:
    if np.any(keys[1:] < keys[:-1]):
        raise KernelInputError("keys must be sorted in ascending order")


KERNEL = ReferenceKernel("HashtableLookup", hashtable_lookup, infer_hashtable_lookup, INTS)
