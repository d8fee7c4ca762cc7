"""CustomPredict: the labels that most of the hashed inputs vote for."""

from __future__ import annotations

import numpy as np

from ._dtypes import check_dtype
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._lookup import check_sorted, find_keys

_NO_LABEL = -1


def custom_predict(
    x: Array, keys: Array, labels: Array, weights: Array, *, output_num: int = 0, weight_threshold: float = 0.0
) -> tuple[Array, Array]:
    """The labels with the largest weights; each input gives the weights beside its key an N-th of a vote.

    Args:
        x: int32 (N,), hashes.
        keys: int32 (K,), sorted in ascending order; of equal keys the first counts.
        labels: int32 (K, M).
        weights: float32 (K, M), how much each label weighs for an input with that key.
        output_num: how many labels are wanted, L.
        weight_threshold: the least weight of a label.

    Returns:
        int32 (L,): the labels, the heaviest first, of equal weights the one voted for first; -1 where there are no
        more. float32 (L,): their weights, 0 where there is no label.

    Raises:
        KernelInputError: the keys are not sorted.

    NOTE: as TensorFlow Lite's smart-reply operators; votes are added in float32, in the order of ``x``. The order
    of equal weights is open there and in MindSpore Lite.
    """
    places, hits = find_keys(x, keys)
    found = places[hits]
    votes = (weights[found] / np.float32(max(x.size, 1))).ravel()
    names, first, which = np.unique(labels[found].ravel(), return_index=True, return_inverse=True)
    sums = np.zeros(names.size, dtype=np.float32)
    np.add.at(sums, which, votes)
    order = np.lexsort((first, -sums))
    order = order[~(sums[order] < np.float32(weight_threshold))][:output_num]
    chosen = np.full(output_num, _NO_LABEL, dtype=np.int32)
    shares = np.zeros(output_num, dtype=np.float32)
    chosen[: order.size], shares[: order.size] = names[order], sums[order]
    return chosen, shares


def infer_custom_predict(
    x: ArraySpec, keys: ArraySpec, labels: ArraySpec, weights: ArraySpec, *, output_num: int
) -> tuple[ArraySpec, ArraySpec]:
    """int32 and float32 (output_num,); raises KernelInputError for dtypes, shapes or a number that do not fit."""
    for name, spec in (("input 0", x), ("keys", keys), ("labels", labels)):
        check_dtype(spec, ("int32",), name)
    check_dtype(weights, ("float32",), "weights")
    if output_num < 0:
        raise KernelInputError(f"output_num must be at least 0, got {output_num}")
    expect_shape("input 0", x, (UNKNOWN,))
    (count,) = expect_shape("keys", keys, (UNKNOWN,))
    expect_shape("weights", weights, expect_shape("labels", labels, (count, UNKNOWN)))
    if keys.value is not None:
        check_sorted(keys.value)
    return ArraySpec(np.dtype(np.int32), (output_num,)), ArraySpec(np.dtype(np.float32), (output_num,))


KERNEL = ReferenceKernel("CustomPredict", custom_predict, infer_custom_predict, ("int32",))
