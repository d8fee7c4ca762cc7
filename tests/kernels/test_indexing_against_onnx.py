"""The operators that index, fill, reorder and select against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import normal, run, run_onnx

onnx = pytest.importorskip("onnx")
X = normal(3, 4, 5)


def _with_ties(seed: int) -> Array:
    """The shape of X, every element 0, 1 or 2."""
    return np.asarray(np.random.default_rng(seed).integers(0, 3, size=X.shape)).astype(np.float32)


def _long(*values: int) -> Array:
    return np.array(values, dtype=np.int64)


def _same(mine: Any, other: Array) -> None:
    """Equal elements and shape; where ONNX counts in int64, ours are int32."""
    assert mine.dtype == (np.int32 if other.dtype == np.int64 else other.dtype)
    np.testing.assert_array_equal(mine, other)
    assert mine.shape == other.shape


def _coordinates(seed: int, length: int, count: int, *, distinct: bool) -> Array:
    rng = np.random.default_rng(seed)
    everywhere = np.array(list(np.ndindex(*X.shape[:length])))
    chosen = rng.choice(everywhere, size=count, replace=not distinct)
    return np.asarray(chosen - rng.integers(0, 2, size=chosen.shape) * np.array(X.shape[:length]))


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_gather_nd_with_negative_indices(length: int, seed: int) -> None:
    indices = _coordinates(seed, length, 3, distinct=False).reshape(3, 1, length)
    _same(run("GatherNd", X, indices), run_onnx("GatherND", (X, indices))[0])


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2])
def test_gather_d_is_gather_elements(axis: int) -> None:
    dim = X.shape[axis]
    shape = [2, 3, 4]
    index = np.random.default_rng(axis + 3).integers(-dim, dim, size=shape)
    _same(run("GatherD", X, _long(axis), index), run_onnx("GatherElements", (X, index), axis=axis)[0])


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_scatter_nd(length: int, seed: int) -> None:
    indices = _coordinates(seed, length, 3, distinct=True)
    updates = normal(3, *X.shape[length:], seed=seed)
    _same(run("ScatterNdUpdate", X, indices, updates), run_onnx("ScatterND", (X, indices, updates))[0])
    zeros = np.zeros_like(X)
    _same(run("ScatterNd", _long(*X.shape), indices, updates), run_onnx("ScatterND", (zeros, indices, updates))[0])
    repeated = _coordinates(seed, length, 9, distinct=False)
    whole = np.random.default_rng(seed).integers(-9, 9, size=(9, *X.shape[length:])).astype(np.float32)
    start = np.round(X * 8) / 8
    theirs = run_onnx("ScatterND", (start, repeated, whole), reduction="add")[0]
    _same(run("TensorScatterAdd", start, repeated, whole), theirs)


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2])
def test_scatter_elements(axis: int) -> None:
    rng = np.random.default_rng(axis + 3)
    dim = X.shape[axis]
    shape = [2, 3, 4]
    shape[axis] = 2
    order = np.argsort(rng.random(size=[dim if i == axis % 3 else d for i, d in enumerate(shape)]), axis=axis)
    indices = np.take(order, [0, 1], axis=axis) - dim * rng.integers(0, 2, size=shape)
    updates = normal(*shape)
    theirs = run_onnx("ScatterElements", (X, indices, updates), axis=axis)[0]
    _same(run("ScatterElements", X, indices, updates, axis=axis), theirs)


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2])
def test_one_hot_of_a_pair(axis: int) -> None:
    indices = np.array([[0, 3, -1], [2, 4, -5]])
    inputs = (indices, _long(4), np.array([-1, 2.5], dtype=np.float32))
    _same(run("OneHot", *inputs, axis=axis), run_onnx("OneHot", inputs, axis=axis)[0])


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "float64"])
@pytest.mark.parametrize("bounds", [(0, 5, 1), (4, -3, -2), (0, 10, 3), (3, 3, 1), (3, 0, 1)])
def test_range(dtype: str, bounds: tuple[int, int, int]) -> None:
    inputs = tuple(np.array(v, dtype=dtype) for v in bounds)
    np.testing.assert_array_equal(run("Range", *inputs), run_onnx("Range", inputs)[0], strict=True)


@pytest.mark.parametrize(("type_id", "dtype"), [(43, "float32"), (34, "int32"), (35, "int64"), (30, "bool")])
def test_constant_of_shape(type_id: int, dtype: str) -> None:
    value = onnx.numpy_helper.from_array(np.array([1], dtype=dtype))
    theirs = run_onnx("ConstantOfShape", (_long(2, 0, 3),), value=value)[0]
    ours = run("ConstantOfShape", _long(2, 0, 3), data_type=type_id, value=(1.0,))
    np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize(("time", "batch"), [(0, 1), (1, 0)])
def test_reverse_sequence(time: int, batch: int) -> None:
    x = normal(4, 4, 3)
    lengths = _long(4, 1, 3, 2)
    theirs = run_onnx("ReverseSequence", (x, lengths), time_axis=time, batch_axis=batch)[0]
    _same(run("ReverseSequence", x, lengths, seq_dim=time, batch_dim=batch), theirs)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("block", [2, 3])
def test_depth_to_space(mode: str, block: int) -> None:
    image = normal(2, 3, 2, block * block * 3)
    theirs = run_onnx("DepthToSpace", (image.transpose(0, 3, 1, 2),), blocksize=block, mode=mode)[0]
    _same(run("DepthToSpace", image, block_size=block, mode=mode), theirs.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("block", [2, 3])
def test_space_to_depth(block: int) -> None:
    image = normal(2, 2 * block, 3 * block, 3)
    theirs = run_onnx("SpaceToDepth", (image.transpose(0, 3, 1, 2),), blocksize=block)[0]
    _same(run("SpaceToDepth", image, block_size=block, format="NHWC"), theirs.transpose(0, 2, 3, 1))


# A scalar is left out: ONNX Runtime gives one row for it, where ONNX's text says none.
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("seed", range(2))
def test_non_zero(shape: tuple[int, ...], seed: int) -> None:
    x = np.asarray(np.random.default_rng(seed).integers(0, 2, size=shape)).astype(np.float32)
    _same(run("NonZero", x), run_onnx("NonZero", (x,))[0])


@pytest.mark.parametrize("shape", [(9,), (3, 4)])
def test_unique(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).integers(0, 5, size=shape).astype(np.float32)
    values, places = run("Unique", x)
    theirs = run_onnx("Unique", (x,), 4, sorted=0)
    _same(values, theirs[0])
    _same(places, theirs[2])


@pytest.mark.parametrize("axis", [-2, 0, 1, 2])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cum_sum(axis: int, exclusive: bool, reverse: bool) -> None:
    inputs = (X, np.array(axis))
    theirs = run_onnx("CumSum", inputs, exclusive=int(exclusive), reverse=int(reverse))[0]
    ours = run("CumSum", *inputs, exclusive=exclusive, reverse=reverse)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6, strict=True)


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("ties", [False, True])
def test_top_k(axis: int, k: int, ties: bool) -> None:
    x = _with_ties(k) if ties else X
    theirs = run_onnx("TopK", (x, _long(k)), 2, axis=axis)
    ours = run("TopKFusion", x, _long(k), axis=axis)
    _same(ours[0], theirs[0])
    _same(ours[1], theirs[1])


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("axis", [-2, 0, 1, 2])
@pytest.mark.parametrize("keep_dims", [False, True])
def test_arg_max_and_min_with_ties(op: str, axis: int, keep_dims: bool) -> None:
    x = _with_ties(axis + 2)
    theirs = run_onnx(op, (x,), axis=axis, keepdims=int(keep_dims))[0]
    _same(run(f"{op}Fusion", x, axis=axis, top_k=1, keep_dims=keep_dims), theirs)


@pytest.mark.parametrize("top_k", [2, 3])
def test_several_smallest_are_top_k_smallest(top_k: int) -> None:
    x = _with_ties(top_k)
    values, indices = run_onnx("TopK", (x, _long(top_k)), 2, axis=-1, largest=0)
    ours = run("ArgMinFusion", x, axis=-1, top_k=top_k, output_count=2)
    _same(ours[0], indices)
    _same(ours[1], values)


@pytest.mark.parametrize(("op", "upper"), [("Triu", 1), ("Tril", 0)])
@pytest.mark.parametrize("k", [None, -2, 0, 1, 7])
def test_triangles(op: str, upper: int, k: int | None) -> None:
    diagonal = None if k is None else np.array(k)
    _same(run(op, X, diagonal), run_onnx("Trilu", (X, diagonal), upper=upper)[0])
