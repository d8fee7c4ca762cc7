"""The sparse operators against scipy's sparse arrays, and against worked examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run

sparse = pytest.importorskip("scipy.sparse")
SHAPE = (6, 8)


def _ints(*values: int) -> Array:
    return np.array(values, dtype=np.int64)


def _places(seed: int) -> Array:
    """Ten coordinates of SHAPE, in row-major order."""
    chosen = np.random.default_rng(seed).permutation(48)[:10]
    return np.stack(np.divmod(np.sort(chosen), 8), axis=-1)


def _coo(places: Array, values: Array) -> Any:
    return sparse.coo_array((values, tuple(places.T)), shape=SHAPE)


@pytest.mark.parametrize("seed", range(3))
def test_sparse_to_dense(seed: int) -> None:
    places, values = _places(seed), normal(10, seed=seed)
    np.testing.assert_array_equal(run("SparseToDense", places, _ints(*SHAPE), values), _coo(places, values).toarray())


@pytest.mark.parametrize("target", [(3, 16), (48, 1), (8, 6), (2, 24)])
def test_sparse_reshape(target: tuple[int, int]) -> None:
    places = _places(0)
    theirs = _coo(places, np.arange(10)).reshape(target)
    moved, shape = run("SparseReshape", places, _ints(*SHAPE), _ints(*target))
    np.testing.assert_array_equal(moved, np.stack([theirs.row, theirs.col], axis=-1))
    np.testing.assert_array_equal(shape, target)


@pytest.mark.parametrize("seed", range(3))
def test_sparse_segment_sum_is_a_product_with_a_matrix_of_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 9, size=(6, 5)).astype(np.float32)
    rows, segments = rng.integers(0, 6, size=12), np.sort(rng.integers(0, 4, size=12))
    ones = np.ones(12, dtype=np.float32)
    picking = sparse.coo_array((ones, (segments, rows)), shape=(int(segments[-1]) + 1, 6))
    np.testing.assert_array_equal(run("SparseSegmentSum", x, rows, segments), picking @ x)


def test_filled_rows_come_in_order() -> None:
    places = np.array([[0, 1], [0, 3], [2, 0], [3, 1]])
    values = np.array([10, 11, 12, 13], dtype=np.int32)
    filled, contents, empty, went_to = run(
        "SparseFillEmptyRows", places, values, _ints(5, 6), np.array(-1, dtype=np.int32)
    )
    np.testing.assert_array_equal(filled, [[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]])
    np.testing.assert_array_equal(contents, [10, 11, -1, 12, 13, -1])
    np.testing.assert_array_equal(empty, [False, True, False, False, True])
    np.testing.assert_array_equal(went_to, [0, 1, 3, 4])


def test_ragged_rows_are_aranges() -> None:
    starts, limits, deltas = _ints(2, 5, 8, 0), _ints(3, 5, 12, -7), _ints(1, 1, 3, -2)
    splits, values = run("RaggedRange", starts, limits, deltas)
    for i, bounds in enumerate(zip(starts, limits, deltas, strict=True)):
        np.testing.assert_array_equal(values[splits[i] : splits[i + 1]], np.arange(*bounds))
    assert splits[-1] == values.size
