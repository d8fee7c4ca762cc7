"""Shape inference of the operators that index, fill, reorder, select and sum, where something is not known yet."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError, spec_of

from tests.kernels.single_node import infer

Shape: TypeAlias = tuple[int, ...] | None
Specs: TypeAlias = tuple[ArraySpec, ...]


def _f(*shape: int) -> ArraySpec:
    """A float32 input of that shape."""
    return ArraySpec(np.dtype(np.float32), shape)


def _n(*shape: int) -> ArraySpec:
    """An int32 input that is not constant."""
    return ArraySpec(np.dtype(np.int32), shape)


def _c(*values: int) -> ArraySpec:
    """A constant int32 vector."""
    return spec_of(np.array(values, dtype=np.int32))


F = ArraySpec(np.dtype(np.float32), None)
N = ArraySpec(np.dtype(np.int32), None)
PAIR = spec_of(np.array([0, 1], dtype=np.float32))

# operator, inputs, attributes, the expected output shapes
KNOWN: list[tuple[str, Specs, dict[str, Any], list[Shape]]] = [
    ("GatherNd", (_f(-1, 4), _n(5, 1)), {}, [(5, 4)]),
    ("GatherNd", (_f(2, -1, 4), _n(-1, 3, 1)), {}, [(-1, 3, -1, 4)]),
    ("GatherNd", (_f(2, 3), _n(5, -1)), {}, [None]),
    ("GatherNd", (F, _n(5, 1)), {}, [None]),
    ("GatherNd", (_f(2, 3), N), {}, [None]),
    ("GatherNd", (_f(-1, 3), spec_of(np.array([[99]]))), {}, [(1, 3)]),
    ("GatherD", (_f(-1, 4), _c(0), _n(7, -1)), {}, [(7, -1)]),
    ("GatherD", (F, _c(0), _n(7, 2)), {}, [(7, 2)]),
    ("GatherD", (_f(3, 4), _n(), N), {}, [None]),
    ("GatherD", (_f(3, 4), _c(0), N), {}, [None]),
    ("ScatterNd", (_c(4, 3), _n(-1, 1), _f(-1, 3)), {}, [(4, 3)]),
    ("ScatterNd", (_n(2), _n(5, 1), _f(5, 3)), {}, [(-1, -1)]),
    ("ScatterNd", (N, N, F), {}, [None]),
    ("ScatterNdUpdate", (_f(-1, 3), _n(5, 1), _f(5, -1)), {}, [(-1, 3)]),
    ("ScatterNdUpdate", (F, N, F), {}, [None]),
    ("TensorScatterAdd", (_f(4, -1), N, F), {}, [(4, -1)]),
    ("ScatterElements", (_f(-1, 3), _n(2, -1), _f(-1, 3)), {}, [(-1, 3)]),
    ("ScatterElements", (F, N, F), {}, [None]),
    ("ScatterElements", (_f(3, 4), N, F), {}, [(3, 4)]),
    ("OneHot", (_n(-1, 3), _n(), _f(), _f()), {"axis": -1}, [(-1, 3, -1)]),
    ("OneHot", (_n(-1, 3), _c(4), PAIR), {"axis": 0}, [(4, -1, 3)]),
    ("OneHot", (N, _c(4), _f(1), F), {}, [None]),
    ("Range", (_n(), _c(5), _c(1)), {}, [(-1,)]),
    ("Range", (_c(0), _c(5), _c(2)), {}, [(3,)]),
    ("Range", (F,), {"limit": 4}, [(4,)]),
    ("LinSpace", (_f(), _f(1), _n()), {}, [(-1,)]),
    ("LinSpace", (F, F, _c(7)), {}, [(7,)]),
    ("Fill", (_f(), _n(3)), {}, [(-1, -1, -1)]),
    ("Fill", (_f(), _c(2, 0)), {}, [(2, 0)]),
    ("Fill", (F, N), {}, [None]),
    ("FillV2", (_n(-1), _f(1)), {}, [None]),
    ("FillV2", (_c(), _f()), {}, [()]),
    ("ConstantOfShape", (_n(2),), {"data_type": 43, "value": (0.0,)}, [(-1, -1)]),
    ("ReverseV2", (_f(-1, 3),), {"axis": (-2,)}, [(-1, 3)]),
    ("ReverseV2", (F,), {"axis": (5,)}, [None]),
    ("ReverseSequence", (_f(-1, 3), _n(3)), {"batch_dim": 1}, [(-1, 3)]),
    ("ReverseSequence", (_f(-1, 3), _c(9, 9, 9)), {"batch_dim": 1}, [(-1, 3)]),
    ("ReverseSequence", (F, N), {"batch_dim": 1}, [None]),
    ("ReverseSequence", (_f(2, 3), N), {"batch_dim": 1}, [(2, 3)]),
    ("Crop", (_f(-1, 5), _f(2, -1)), {"offsets": (4,)}, [(2, -1)]),
    ("Crop", (F, _f(2, 3)), {}, [(2, 3)]),
    ("Crop", (_f(4, 5), F), {}, [(-1, -1)]),
    ("Crop", (F, F), {}, [None]),
    ("SplitWithOverlap", (_f(-1, 3),), {"number_split": 2, "ratio": (1, 1)}, [(-1, 3)] * 2),
    ("SplitWithOverlap", (_f(-1, 3),), {"split_dim": 1, "number_split": 2, "ratio": (1, 1)}, [(-1, 2), (-1, 1)]),
    ("SplitWithOverlap", (F,), {"number_split": 2, "ratio": (1, 1)}, [None] * 2),
    ("FormatTranspose", (_f(-1, 2, 3, 4),), {"dst_format": "NCHW"}, [(-1, 4, 2, 3)]),
    ("FormatTranspose", (F,), {"src_format": "NCW", "dst_format": "NWC"}, [(-1, -1, -1)]),
    ("Tril", (_f(-1, 3),), {}, [(-1, 3)]),
    ("Tril", (F, N), {}, [None]),
    ("Triu", (_f(-1, 3), _n()), {}, [(-1, 3)]),
    ("CumSum", (_f(-1, 3), _n()), {}, [(-1, 3)]),
    ("CumSum", (F, _c(5)), {}, [None]),
    ("DepthToSpace", (_f(-1, -1, 3, 8),), {"block_size": 2}, [(-1, -1, 6, 2)]),
    ("DepthToSpace", (_f(1, 2, 3, -1),), {"block_size": 2}, [(1, 4, 6, -1)]),
    ("DepthToSpace", (F,), {"block_size": 2}, [(-1, -1, -1, -1)]),
    ("SpaceToDepth", (_f(-1, -1, 6, 2),), {"block_size": 2, "format": "NHWC"}, [(-1, -1, 3, 8)]),
    ("SpaceToDepth", (F,), {"block_size": 2, "format": "NHWC"}, [(-1, -1, -1, -1)]),
    ("SpaceToDepth", (_f(1, 4, 6, -1),), {"block_size": 2, "format": "NHWC"}, [(1, 2, 3, -1)]),
    ("SpaceToBatch", (_f(-1, 4, -1, 3),), {"block_size": (2, 2)}, [(-1, 2, -1, 3)]),
    ("SpaceToBatch", (_f(1, 4, 4, 3), _n(2), _n(2, 2)), {}, [(-1, -1, -1, -1)]),
    ("SpaceToBatch", (_f(1, -1, 4, 3),), {"block_size": (2, 2), "paddings": ((1, 0), (0, 0))}, [(4, -1, 2, 3)]),
    ("SpaceToBatchND", (F,), {"block_shape": (2, 2)}, [None]),
    ("BatchToSpace", (_f(8, -1, 3, -1),), {"block_size": (2, 2)}, [(2, -1, 6, -1)]),
    ("BatchToSpaceND", (_f(-1, 2, 3, 1),), {"block_shape": (2, 2), "crops": ((1, 0), (0, 0))}, [(-1, 3, 6, 1)]),
    ("BatchToSpaceND", (_f(4, 2, 2, 1), _c(2, 2), _n(2, 2)), {}, [(-1, -1, -1, -1)]),
    ("NonZero", (_f(2, -1, 3),), {}, [(3, -1)]),
    ("NonZero", (F,), {}, [(-1, -1)]),
    ("Unique", (_f(7),), {}, [(-1,), (7,)]),
    ("Unique", (_f(2, 3),), {}, [(-1,), (6,)]),
    ("Unique", (_f(0),), {}, [(0,), (0,)]),
    ("Unique", (F,), {}, [(-1,), (-1,)]),
    ("InvertPermutation", (_n(-1),), {}, [(-1,)]),
    ("InvertPermutation", (N,), {}, [None]),
    ("TopKFusion", (_f(-1, 9), _c(3)), {"axis": -1}, [(-1, 3)] * 2),
    ("TopKFusion", (_f(-1, 9), _c(30)), {"axis": 0}, [(30, 9)] * 2),
    ("TopKFusion", (_f(4, 9), _n()), {"axis": 1}, [(4, -1)] * 2),
    ("TopKFusion", (F, _c(3)), {}, [None] * 2),
    ("ArgMaxFusion", (_f(-1, 9),), {"axis": 1}, [(-1,)]),
    ("ArgMaxFusion", (_f(-1, 9),), {"axis": 0, "keep_dims": True}, [(1, 9)]),
    ("ArgMaxFusion", (_f(-1, 9),), {"axis": 1, "top_k": 4, "output_count": 2}, [(-1, 4)] * 2),
    ("ArgMinFusion", (F,), {"top_k": 1}, [None]),
    ("UnsortedSegmentSum", (_f(-1, 3), _n(5), _c(4)), {}, [(4, 3)]),
    ("UnsortedSegmentSum", (_f(5, -1), _n(-1), _n()), {}, [(-1, -1)]),
    ("UnsortedSegmentSum", (F, _n(5), _c(4)), {}, [None]),
    ("SparseToDense", (_n(-1, 2), _c(3, 4), _f(-1)), {}, [(3, 4)]),
    ("SparseToDense", (N, _n(2), F, F), {}, [(-1, -1)]),
    ("SparseToDense", (_n(5), N, F), {}, [None]),
    ("SparseReshape", (_n(-1, 2), _n(2), _n(3)), {}, [(-1, 3), (3,)]),
    ("SparseReshape", (N, N, _c(-1, 2)), {}, [(-1, 2), (2,)]),
    ("SparseReshape", (_n(5, -1), _c(2, 3), N), {}, [(5, -1), (-1,)]),
    ("SparseSegmentSum", (_f(-1, 3), _n(4), _n(4)), {}, [(-1, 3)]),
    ("SparseSegmentSum", (_f(2, -1), N, _c(0, 0, 4)), {}, [(5, -1)]),
    ("SparseSegmentSum", (F, N, N), {}, [None]),
    ("SparseFillEmptyRows", (_n(4, 2), _f(-1), _c(5, 6), _f()), {}, [(-1, 2), (-1,), (5,), (4,)]),
    (
        "SparseFillEmptyRows",
        (spec_of(np.array([[1, 99], [0, 5]], dtype=np.int32)), _f(2), _c(2, 6), _f()),
        {},
        [(-1, 2), (-1,), (2,), (2,)],
    ),
    ("SparseFillEmptyRows", (N, F, N, F), {}, [(-1, -1), (-1,), (-1,), (-1,)]),
    ("RaggedRange", (_n(4), _n(), _n(-1)), {}, [(5,), (-1,)]),
    ("RaggedRange", (_n(), _n(), _n()), {}, [(2,), (-1,)]),
    ("RaggedRange", (N, _n(), _n()), {}, [(-1,), (-1,)]),
    ("RaggedRange", (_c(0, 2), _c(3, 3), _c(1, 1)), {}, [(3,), (4,)]),
    ("EmbeddingLookupFusion", (_f(-1, 8), _f(3, 8), _n(2, 5)), {}, [(2, 5, 8)]),
    ("EmbeddingLookupFusion", (F, _f(3, -1), _n(2)), {}, [(2, -1)]),
    ("EmbeddingLookupFusion", (_f(-1, 8), _f(3, 8), _c(7)), {}, [(1, 8)]),
    ("EmbeddingLookupFusion", (F, _n(2)), {}, [None]),
    ("EmbeddingLookupFusion", (_f(3, 8), N), {}, [None]),
    ("HashtableLookup", (_n(-1), _n(3), _f(3, 4)), {}, [(-1, 4), (-1,)]),
    ("HashtableLookup", (N, N, _f(-1, 4)), {}, [(-1, 4), (-1,)]),
    ("HashtableLookup", (_n(5), N, F), {}, [None, (5,)]),
    (
        "Splice",
        (_f(-1, -1, 4),),
        {"context": (0, 1), "forward_indexes": (0, 1, 1, 2), "output_dim": 8},
        [(-1, 2, 8)],
    ),
    ("Splice", (F,), {"context": (0,), "forward_indexes": (0, 1, 1), "output_dim": 5}, [(-1, 3, 5)]),
]


@pytest.mark.parametrize(("op", "specs", "attributes", "expected"), KNOWN)
def test_what_is_known_of_the_shape(op: str, specs: Specs, attributes: dict[str, Any], expected: list[Shape]) -> None:
    found = infer(op, *specs, **attributes)
    outputs = found if isinstance(found, tuple) else (found,)
    assert [o.shape for o in outputs] == expected


@pytest.mark.parametrize(
    ("op", "specs", "attributes", "dtypes"),
    [
        ("NonZero", (_f(3),), {}, ["int32"]),
        ("Unique", (_f(3),), {}, ["float32", "int32"]),
        ("Range", (_f(1),), {"d_type": 43}, ["int32"]),
        ("Range", (_f(), _f(), _f()), {}, ["float32"]),
        ("TopKFusion", (_f(3), _n(1)), {}, ["float32", "int32"]),
        ("ArgMaxFusion", (_f(3),), {}, ["int32"]),
        ("ArgMaxFusion", (_f(3),), {"out_max_value": True}, ["float32"]),
        ("ArgMaxFusion", (_f(3),), {"out_max_value": True, "output_count": 2}, ["int32", "float32"]),
        ("ConstantOfShape", (_n(1),), {"data_type": 30, "value": (1.0,)}, ["bool"]),
        ("SparseFillEmptyRows", (_n(4, 2), _f(4), _n(2), _f()), {}, ["int32", "float32", "bool", "int32"]),
        ("HashtableLookup", (_n(3), _n(2), _f(2)), {}, ["float32", "uint8"]),
        ("ScatterNd", (_n(2), _n(1, 1), _f(1, 2)), {}, ["float32"]),
    ],
)
def test_the_dtype_is_always_known(op: str, specs: Specs, attributes: dict[str, Any], dtypes: list[str]) -> None:
    found = infer(op, *specs, **attributes)
    outputs = found if isinstance(found, tuple) else (found,)
    assert [o.dtype.name for o in outputs] == dtypes


# Wrong whatever the unknown dimensions turn out to be.
CERTAINLY_WRONG: list[tuple[str, Specs, dict[str, Any], str]] = [
    ("GatherNd", (_f(-1, 3), spec_of(np.array([[9, 3]]))), {}, "index 3 is out of range for a dimension of 3"),
    ("GatherD", (F, _n(2), F), {}, "indices must be one of"),
    ("ScatterNd", (_c(-1), N, F), {}, "shape must not be negative"),
    ("ScatterNdUpdate", (_f(-1, 3), _n(5, 1), _f(5, 4)), {}, "inputs must agree on axis 1"),
    ("ScatterElements", (_f(-1, 3), _n(2, 4), F), {"axis": 0}, "leave an input"),
    ("ScatterElements", (F, F, F), {}, "indices must be one of int8"),
    ("OneHot", (N, _c(-2), F, F), {}, "depth must not be negative"),
    ("LinSpace", (F, F, _c(0)), {}, "num must be at least 1"),
    ("Crop", (F, _f(2, 3)), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("SplitWithOverlap", (F,), {"number_split": 2, "ratio": (0, 0)}, "not all 0"),
    ("DepthToSpace", (F,), {"block_size": 1}, "block_size must be at least 2, got 1"),
    ("DepthToSpace", (_f(-1, -1, -1, 3),), {"block_size": 2}, "a channel count of 3"),
    ("SpaceToBatch", (F,), {"block_size": (0,)}, "each at least 1"),
    ("BatchToSpace", (_f(3, -1, -1, -1),), {"block_size": (2, 2)}, "a batch of 3 cannot be divided by 4"),
    ("ArgMaxFusion", (F,), {"top_k": 0}, "top_k must be at least 1, got 0"),
    ("TopKFusion", (_f(-1), _c(-1)), {}, "k must be at least 0, got -1"),
    ("UnsortedSegmentSum", (F, _c(3), _c(2)), {}, "segment id 3 is out of range for 2 segments"),
    ("SparseSegmentSum", (F, N, _c(1, 0)), {}, "never decrease"),
    ("SparseToDense", (_n(-1, 3), _n(2), F), {}, "must hold coordinates of 2 values"),
    ("SparseReshape", (N, _c(2, 3), _c(4)), {}, "the element counts differ"),
    ("RaggedRange", (_n(2), _n(3), N), {}, "inputs must agree on axis 0"),
    ("EmbeddingLookupFusion", (F, _c(-1)), {"max_norm": -2.0}, "max_norm must not be negative"),
    ("HashtableLookup", (N, _c(2, 1), F), {}, "keys must be sorted"),
    ("SpaceToDepth", (F,), {"block_size": 0, "format": "NHWC"}, "block_size must be at least 2, got 0"),
    ("Splice", (F,), {"context": (0,)}, "0 forward_indexes are not a whole number of frames for 1 of context"),
    ("Splice", (F,), {"context": (0, 1), "forward_indexes": (0,)}, "not a whole number of frames"),
]


@pytest.mark.parametrize(("op", "specs", "attributes", "message"), CERTAINLY_WRONG)
def test_what_is_certainly_wrong_is_rejected(op: str, specs: Specs, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, *specs, **attributes)
