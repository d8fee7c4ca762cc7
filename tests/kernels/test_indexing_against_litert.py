"""The operators that index, fill, reorder, select and sum by segment against LiteRT (TensorFlow Lite)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.litert_node import run_litert
from tests.kernels.single_node import normal, run

SEEDS = range(4)


def _ints(*values: int) -> Array:
    return np.array(values, dtype=np.int32)


def _scalar(value: float, dtype: str = "int32") -> Array:
    return np.array(value, dtype=dtype)


def _same(ours: Any, theirs: list[Array]) -> None:
    outputs = ours if isinstance(ours, tuple) else (ours,)
    assert len(outputs) == len(theirs)
    for mine, other in zip(outputs, theirs, strict=True):
        np.testing.assert_array_equal(mine, other, strict=True)


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_gather_nd(length: int, seed: int) -> None:
    x = normal(3, 4, 5, seed=seed)
    rng = np.random.default_rng(seed)
    indices = np.stack([rng.integers(0, d, size=(2, 6)) for d in x.shape[:length]], axis=-1).astype(np.int32)
    _same(run("GatherNd", x, indices), run_litert("GATHER_ND", (x, indices), options={"table": "GatherNdOptions"}))


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_scatter_nd_sums_repeated_coordinates(length: int, seed: int) -> None:
    shape = (3, 2, 2)
    rng = np.random.default_rng(seed)
    indices = np.stack([rng.integers(0, d, size=9) for d in shape[:length]], axis=-1).astype(np.int32)
    updates = rng.integers(-9, 9, size=(9, *shape[length:])).astype(np.float32)
    inputs = (indices, updates, _ints(*shape))
    theirs = run_litert("SCATTER_ND", inputs, constants=[2], options={"table": "ScatterNdOptions"})
    _same(run("ScatterNd", _ints(*shape), indices, updates), theirs)


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_one_hot_with_off_knows_no_negative_indices(axis: int) -> None:
    indices = np.array([[0, 3, -1], [2, 4, -5]], dtype=np.int32)
    inputs = (indices, _scalar(4), _scalar(2.5, "float32"), _scalar(-1, "float32"))
    options = {"table": "OneHotOptions", "axis": axis}
    _same(run("OneHot", *inputs, axis=axis), run_litert("ONE_HOT", inputs, constants=[1], options=options))


@pytest.mark.parametrize("bounds", [(0, 5, 1), (4, -3, -2), (0, 10, 3), (3, 4, 5)])
def test_range_of_integers(bounds: tuple[int, int, int]) -> None:
    inputs = tuple(_scalar(v) for v in bounds)
    _same(run("Range", *inputs), run_litert("RANGE", inputs, constants=[0, 1, 2], output_dtype="int32"))


@pytest.mark.parametrize("bounds", [(0, 0.3, 0.1), (0, 1, 0.1), (1, -1, -0.3), (0.5, 7, 0.7), (0, 0.7, 0.1)])
def test_range_of_floats_has_the_length_that_float32_gives(bounds: tuple[float, float, float]) -> None:
    inputs = tuple(_scalar(v, "float32") for v in bounds)
    (theirs,) = run_litert("RANGE", inputs, constants=[0, 1, 2])
    # LiteRT adds the step again and again, which rounds differently.
    np.testing.assert_allclose(run("Range", *inputs), theirs, rtol=1e-6, atol=1e-6, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "bool"])
def test_fill(dtype: str) -> None:
    inputs = (_ints(2, 1, 3), _scalar(1, dtype))
    theirs = run_litert("FILL", inputs, constants=[0], output_dtype=dtype)
    _same(run("FillV2", *inputs), theirs)
    _same(run("Fill", *inputs[::-1]), theirs)


@pytest.mark.parametrize("axis", [(0,), (2,), (-1,), (-2,)])
def test_reverse_v2(axis: tuple[int, ...]) -> None:
    x = normal(2, 3, 4)
    theirs = run_litert("REVERSE_V2", (x, _ints(*axis)), constants=[1], options={"table": "ReverseV2Options"})
    _same(run("ReverseV2", x, axis=axis), theirs)


@pytest.mark.parametrize(("seq", "batch"), [(0, 1), (1, 0), (2, 0), (0, 2), (1, 2)])
def test_reverse_sequence(seq: int, batch: int) -> None:
    x = normal(3, 3, 3)
    lengths = _ints(3, 1, 2)
    options = {"table": "ReverseSequenceOptions", "seqDim": seq, "batchDim": batch}
    theirs = run_litert("REVERSE_SEQUENCE", (x, lengths), options=options)
    _same(run("ReverseSequence", x, lengths, seq_dim=seq, batch_dim=batch), theirs)


@pytest.mark.parametrize("block", [2, 3])
def test_depth_and_space(block: int) -> None:
    x = normal(2, 2 * block, 3 * block, block * block * 3)
    options = {"blockSize": block}
    theirs = run_litert("DEPTH_TO_SPACE", (x,), options={"table": "DepthToSpaceOptions", **options})
    _same(run("DepthToSpace", x, block_size=block, mode="DCR"), theirs)
    theirs = run_litert("SPACE_TO_DEPTH", (x,), options={"table": "SpaceToDepthOptions", **options})
    _same(run("SpaceToDepth", x, block_size=block, format="NHWC"), theirs)


@pytest.mark.parametrize("pads", [[[0, 0], [0, 0]], [[1, 1], [2, 1]], [[0, 2], [3, 0]]])
@pytest.mark.parametrize(("ours", "attributes"), [("ND", ("block_shape",)), ("", ("block_size",))])
def test_space_to_batch_and_back(pads: list[list[int]], ours: str, attributes: tuple[str]) -> None:
    x = normal(2, 4, 6, 5)
    block, borders = _ints(2, 3), np.array(pads, dtype=np.int32)
    attribute = {attributes[0]: (2, 3)}
    theirs = run_litert("SPACE_TO_BATCH_ND", (x, block, borders), constants=[1, 2])
    _same(run(f"SpaceToBatch{ours}", x, block, borders), theirs)
    _same(run(f"SpaceToBatch{ours}", x, paddings=tuple(map(tuple, pads)), **attribute), theirs)
    batches = theirs[0]
    theirs = run_litert("BATCH_TO_SPACE_ND", (batches, block, borders), constants=[1, 2])
    _same(run(f"BatchToSpace{ours}", batches, block, borders), theirs)
    _same(run(f"BatchToSpace{ours}", batches, crops=tuple(map(tuple, pads)), **attribute), theirs)
    np.testing.assert_array_equal(theirs[0], x)


def test_space_to_batch_of_one_axis() -> None:
    x, block, borders = normal(2, 5, 3), _ints(3), np.array([[0, 1]], dtype=np.int32)
    theirs = run_litert("SPACE_TO_BATCH_ND", (x, block, borders), constants=[1, 2])
    _same(run("SpaceToBatchND", x, block, borders), theirs)
    back = run_litert("BATCH_TO_SPACE_ND", (theirs[0], block, borders), constants=[1, 2])
    _same(run("BatchToSpaceND", theirs[0], block, borders), back)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_unique(dtype: str) -> None:
    x = np.array([5, 1, 5, -2, 1, 9, -2], dtype=dtype)
    options = {"table": "UniqueOptions", "idxOutType": 2}
    _same(run("Unique", x), run_litert("UNIQUE", (x,), 2, options=options, output_dtype=(dtype, "int32")))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cum_sum(axis: int, exclusive: bool, reverse: bool) -> None:
    x = normal(3, 4, 5)
    options = {"table": "CumsumOptions", "exclusive": exclusive, "reverse": reverse}
    (theirs,) = run_litert("CUMSUM", (x, _scalar(axis)), constants=[1], options=options)
    ours = run("CumSum", x, _scalar(axis), exclusive=exclusive, reverse=reverse)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6, strict=True)


@pytest.mark.parametrize("k", [1, 4, 9])
@pytest.mark.parametrize("ties", [False, True])
def test_top_k(k: int, ties: bool) -> None:
    x = np.random.default_rng(k).integers(0, 4, size=(3, 9)).astype(np.float32) if ties else normal(3, 9)
    options = {"table": "TopKV2Options"}
    theirs = run_litert(
        "TOPK_V2", (x, _scalar(k)), 2, constants=[1], options=options, output_dtype=("float32", "int32")
    )
    _same(run("TopKFusion", x, _scalar(k), axis=-1), theirs)


@pytest.mark.parametrize(("ours", "theirs", "table"), [("Max", "ARG_MAX", "ArgMax"), ("Min", "ARG_MIN", "ArgMin")])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_arg_max_and_min_with_ties(ours: str, theirs: str, table: str, axis: int) -> None:
    x = np.random.default_rng(axis + 1).integers(0, 4, size=(3, 4, 5)).astype(np.float32)
    options = {"table": f"{table}Options", "outputType": 2}
    expected = run_litert(theirs, (x, _scalar(axis)), constants=[1], options=options, output_dtype="int32")
    _same(run(f"Arg{ours}Fusion", x, axis=axis, top_k=1), expected)


@pytest.mark.parametrize("shape", [(6,), (6, 3)])
def test_unsorted_segment_sum(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(6).integers(-9, 9, size=shape).astype(np.float32)
    inputs = (x, _ints(2, 0, -1, 2, 4, 0), _scalar(5))
    theirs = run_litert(
        "UNSORTED_SEGMENT_SUM", inputs, constants=[1, 2], options={"table": "UnsortedSegmentSumOptions"}
    )
    _same(run("UnsortedSegmentSum", *inputs), theirs)


@pytest.mark.parametrize("indices", [[[0, 1], [2, 3], [1, 1]], [[2, 0]]])
def test_sparse_to_dense(indices: list[list[int]]) -> None:
    where, values = np.array(indices, dtype=np.int32), normal(len(indices))
    inputs = (where, _ints(3, 4), values, _scalar(-1.5, "float32"))
    theirs = run_litert("SPARSE_TO_DENSE", inputs, constants=[1], options={"table": "SparseToDenseOptions"})
    _same(run("SparseToDense", *inputs), theirs)


def test_embedding_lookup_of_one_table() -> None:
    table, ids = normal(7, 5), _ints(3, 0, 6, 3)
    _same(run("EmbeddingLookupFusion", table, ids), run_litert("EMBEDDING_LOOKUP", (ids, table)))


def test_hashtable_lookup() -> None:
    inputs = (_ints(30, 11, 10, 99, 20), _ints(10, 20, 30), normal(3, 4))
    theirs = run_litert("HASHTABLE_LOOKUP", inputs, 2, output_dtype=("float32", "uint8"))
    _same(run("HashtableLookup", *inputs), theirs)
