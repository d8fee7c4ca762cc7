"""HashtableLookup: the values that stand beside keys in a table."""

from __future__ import annotations

import numpy as np

from ._dtypes import ALL_DTYPES, INTS, check_dtype, check_same_dtype
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._lookup import check_sorted, find_keys
from ._movement import merge_shapes
from ._strings import STRING, STRING_DTYPE, pack_strings, string_count, string_places, string_spec


def hashtable_lookup(x: Array, keys: Array, values: Array) -> tuple[Array, Array]:
    """The row of ``values`` whose key is ``x[i]``, zeros or an empty string where no key is.

    Args:
        x: 1-D integers.
        keys: 1-D integers of the dtype of ``x``, sorted in ascending order; of equal keys the first counts.
        values: one row per key, any dtype that numpy has; or as many strings as there are keys.

    Returns:
        ``(len(x), ...)`` with the rows of ``values``, or that many strings; and uint8 (len(x),), 1 where a key was
        found.

    Raises:
        KernelInputError: the keys are not sorted, there are more or fewer strings than keys, or ``values`` are no
            string tensor.

    NOTE: as TensorFlow Lite defines it; MindSpore Lite's kernel knows values that are strings only.
    """
    places, hits = find_keys(x, keys)
    if values.dtype == STRING_DTYPE:
        return _strings(keys, values, places, hits), hits.astype(np.uint8)
    rows = np.zeros((x.size, *values.shape[1:]), dtype=values.dtype)
    rows[hits] = values[places[hits]]
    return rows, hits.astype(np.uint8)


def _strings(keys: Array, values: Array, places: Array, hits: Array) -> Array:
    ends = string_places(values)
    _check_count(keys.size, ends.size - 1)
    spans = [(ends[p], ends[p + 1]) if hit else (0, 0) for p, hit in zip(places, hits, strict=True)]
    return pack_strings([values[start:end].tobytes() for start, end in spans])


def infer_hashtable_lookup(x: ArraySpec, keys: ArraySpec, values: ArraySpec) -> tuple[ArraySpec, ArraySpec]:
    """A row of ``values`` for each element of ``x``, and the hits.

    Raises:
        KernelInputError: ``x`` or the keys are not 1-D, other than one key per row, constant keys that are not sorted.
    """
    check_dtype(x, INTS)
    check_dtype(values, (*ALL_DTYPES, STRING), "values")
    check_same_dtype(x, keys)
    if x.rank not in (None, 1) or keys.rank not in (None, 1) or values.rank == 0:
        raise KernelInputError(
            f"lookups and keys must be 1-D and values have rows, got shapes {x.shape}, {keys.shape}, {values.shape}"
        )
    if keys.value is not None:
        check_sorted(keys.value)
    count = x.shape if x.shape is not None else (UNKNOWN,)
    hits = ArraySpec(np.dtype(np.uint8), count)
    if values.dtype == STRING_DTYPE:
        _check_count(UNKNOWN if keys.shape is None else keys.shape[0], string_count(values))
        return string_spec(), hits
    if keys.shape is not None and values.shape is not None:
        merge_shapes([keys.shape, values.shape[:1]])
    shape = None if values.shape is None else (*count, *values.shape[1:])
    return ArraySpec(values.dtype, shape), hits


def _check_count(keys: int, strings: int) -> None:
    if UNKNOWN not in (keys, strings) and keys != strings:
        raise KernelInputError(f"values must be one string per key, got {strings} strings for {keys} keys")


KERNEL = ReferenceKernel("HashtableLookup", hashtable_lookup, infer_hashtable_lookup, INTS)
