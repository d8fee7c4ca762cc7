"""What the operators that index, fill, reorder, select and sum by segment reject, and what they say then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, spec_of

from tests.kernels.single_node import infer, run


def _ints(*values: int) -> Array:
    return np.array(values, dtype=np.int32)


def _floats(*shape: int) -> Array:
    return np.zeros(shape, dtype=np.float32)


def _rows(*rows: list[int]) -> Array:
    return np.array(rows, dtype=np.int32)


def _one(value: float) -> Array:
    return np.array(value, dtype=np.float32)


X = _floats(2, 3)
IMAGE = _floats(1, 2, 4, 3)

# operator, inputs, attributes, message: rejected by run (with the data at hand) and by infer (inputs all constant)
WRONG: list[tuple[str, tuple[Array, ...], dict[str, Any], str]] = [
    ("GatherNd", (X, _rows([0, 3])), {}, "index 3 is out of range for a dimension of 3, expected -3..2"),
    ("GatherNd", (X, _rows([-3, 0])), {}, "index -3 is out of range for a dimension of 2"),
    ("GatherD", (X, _ints(1), _rows([3], [0])), {}, "index 3 is out of range for a dimension of 3"),
    ("GatherD", (X, _ints(2), _rows([0], [0])), {}, "axis 2 is out of range for rank 2"),
    ("GatherD", (X, _ints(1), _ints(0)), {}, r"indices must have rank 2, got shape \(1,\)"),
    ("GatherD", (X, _ints(1), _rows([0], [0], [0])), {}, r"indices of shape \(3, 1\) leave an input of shape \(2, 3\)"),
    ("ScatterNd", (_ints(2), _rows([2]), _floats(1)), {}, "index 2 is out of range for a dimension of 2"),
    ("ScatterNd", (_ints(-2), _rows([0]), _floats(1)), {}, r"shape must not be negative, got \[-2\]"),
    ("ScatterNdUpdate", (X, _rows([2]), _floats(1, 3)), {}, "index 2 is out of range for a dimension of 2"),
    ("TensorScatterAdd", (X, _rows([0, -4]), _floats(1)), {}, "index -4 is out of range for a dimension of 3"),
    ("ScatterElements", (X, _rows([2, 0]), _floats(1, 2)), {}, "index 2 is out of range for a dimension of 2"),
    ("ScatterElements", (X, _rows([0]), _floats(1, 1)), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("OneHot", (_ints(0), _ints(-1), _one(1), _one(0)), {}, "depth must not be negative, got -1"),
    ("OneHot", (_ints(0), _ints(1, 2), _one(1), _one(0)), {}, "depth must hold exactly one value"),
    ("OneHot", (_ints(0), _ints(2), _one(1), _one(0)), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("Range", (_ints(0), _ints(5), _ints(0)), {}, "the step must not be 0"),
    ("Range", (_one(0), _one(5), _one(0)), {}, "the step must not be 0"),
    ("Range", (_one(0), _one(np.inf), _one(1)), {}, "has no length"),
    ("Range", (_one(np.nan), _one(1), _one(1)), {}, "has no length"),
    ("Range", (X,), {"limit": 5, "delta": 0}, "the step must not be 0"),
    ("LinSpace", (_one(0), _one(1), _ints(0)), {}, "num must be at least 1, got 0"),
    ("Fill", (_one(0), _ints(2, -1)), {}, r"shape must not be negative, got \[2, -1\]"),
    ("Fill", (_one(0), _floats(2)), {}, "shape must hold integers, got dtype float32"),
    ("FillV2", (_ints(-1), _one(0)), {}, "shape must not be negative"),
    ("ConstantOfShape", (_ints(2),), {"data_type": 43}, "value must hold exactly one number, got None"),
    ("ConstantOfShape", (_ints(2),), {"data_type": 43, "value": (1.0, 2.0)}, "value must hold exactly one number"),
    ("ConstantOfShape", (_ints(2),), {"value": (1.0,)}, "type id 0 names no type"),
    ("ConstantOfShape", (_ints(2),), {"data_type": 32, "value": (128.0,)}, "constant 128.0 does not fit dtype int8"),
    ("ConstantOfShape", (_ints(-2),), {"data_type": 43, "value": (1.0,)}, "shape must not be negative"),
    ("ReverseV2", (X,), {"axis": (2,)}, "axis 2 is out of range for rank 2"),
    ("ReverseV2", (X,), {"axis": (0, -2)}, "name one axis twice"),
    ("ReverseSequence", (X, _ints(1, 1)), {}, "seq_dim and batch_dim must be two axes, got 0 and 0"),
    ("ReverseSequence", (X, _ints(1, 1)), {"seq_dim": -2}, "seq_dim and batch_dim must be two axes"),
    ("ReverseSequence", (X, _ints(4, 1)), {"seq_dim": 1}, r"lengths must be 0 to 3, got \[4, 1\]"),
    ("ReverseSequence", (X, _ints(0, -1)), {"seq_dim": 1}, r"lengths must be 0 to 3, got \[0, -1\]"),
    ("Crop", (X, X), {"axis": 1, "offsets": (0, 0)}, r"offsets must be 1 or 1 values >= 0 for axis 1, got \[0, 0\]"),
    ("Crop", (X, X), {"offsets": (-1,)}, r"offsets must be 1 or 2 values >= 0 for axis 0, got \[-1\]"),
    ("Crop", (X, X), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("SplitWithOverlap", (X,), {}, "number_split must be at least 1, got 0"),
    ("SplitWithOverlap", (X,), {"number_split": 2}, "ratio must hold 2 values, got None"),
    ("SplitWithOverlap", (X,), {"number_split": 2, "ratio": (1,)}, r"ratio must hold 2 values, got \[1\]"),
    ("SplitWithOverlap", (X,), {"number_split": 1, "ratio": (0,)}, r"not all 0, got \[0\]"),
    ("SplitWithOverlap", (X,), {"number_split": 2, "ratio": (2, -1)}, r"ratio must hold values >= 0"),
    (
        "SplitWithOverlap",
        (X,),
        {"number_split": 2, "ratio": (1, 1), "extend_top": (1, 0)},
        r"parts \[\(-1, 1\), \(1, 2\)\] leave a dimension of 2",
    ),
    (
        "SplitWithOverlap",
        (X,),
        {"number_split": 2, "ratio": (1, 1), "extend_bottom": (0,)},
        r"extend_bottom must hold 2 values, got \[0\]",
    ),
    ("FormatTranspose", (IMAGE,), {"dst_format": "NC4HW4"}, "no packed channels, got NHWC, NC4HW4"),
    ("FormatTranspose", (IMAGE,), {"dst_format": "KCHW"}, "formats must have the same letters"),
    ("Tril", (X, _ints(1, 2)), {}, "k must hold exactly one value"),
    ("Triu", (X, X), {}, "k must hold integers, got dtype float32"),
    ("CumSum", (X, _ints(2)), {}, "axis 2 is out of range for rank 2"),
    ("CumSum", (X, _ints(0, 1)), {}, "axis must hold exactly one value"),
    ("SpaceToBatch", (IMAGE,), {}, r"block must hold at least one size, each at least 1, got \[\]"),
    ("SpaceToBatchND", (IMAGE,), {"block_shape": (0, 2)}, r"each at least 1, got \[0, 2\]"),
    (
        "SpaceToBatchND",
        (IMAGE,),
        {"block_shape": (2, 2), "paddings": ((0, 0),)},
        r"borders must be 4 values >= 0 for block \[2, 2\], got \[0, 0\]",
    ),
    ("BatchToSpace", (IMAGE, _ints(2, 2), _rows([0, 0], [0, -1])), {}, "borders must be 4 values >= 0"),
    ("InvertPermutation", (_ints(0, 2),), {}, r"input must hold each of 0..1 once, got \[0, 2\]"),
    ("InvertPermutation", (_ints(1, 1, 0),), {}, "input must hold each of 0..2 once"),
    ("InvertPermutation", (_ints(0, -1),), {}, "input must hold each of 0..1 once"),
    ("TopKFusion", (X, _ints(3)), {}, "k must be 0 to 2, got 3"),
    ("TopKFusion", (X, _ints(-1)), {}, "k must be 0 to 2, got -1"),
    ("TopKFusion", (X, _ints(1)), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("ArgMaxFusion", (X,), {"top_k": 3}, "top_k must be 1 to 2, got 3"),
    ("ArgMaxFusion", (_floats(0, 2),), {}, "top_k must be 1 to 0, got 1"),
    ("ArgMinFusion", (X,), {}, "top_k must be 1 to 2, got 0"),
    ("ArgMinFusion", (X,), {"axis": -3, "top_k": 1}, "axis -3 is out of range for rank 2"),
    ("UnsortedSegmentSum", (X, _ints(0, 2), _ints(2)), {}, "segment id 2 is out of range for 2 segments"),
    ("UnsortedSegmentSum", (X, _ints(0, 0), _ints(-1)), {}, "num_segments must not be negative, got -1"),
    ("UnsortedSegmentSum", (X, _ints(0, 0), _ints(0)), {}, "segment id 0 is out of range for 0 segments"),
    ("SparseToDense", (_rows([0, 2]), _ints(2, 2), _floats(1)), {}, "index 2 is out of range for a dimension of 2"),
    ("SparseToDense", (_rows([-1, 0]), _ints(2, 2), _floats(1)), {}, "index -1 is out of range .* expected 0..1"),
    ("SparseToDense", (_ints(0), _ints(), _floats(1)), {}, "shape must hold at least one dimension, got none"),
    ("SparseReshape", (_rows([0, 3]), _ints(2, 3), _ints(6)), {}, "index 3 is out of range for a dimension of 3"),
    ("SparseReshape", (_rows([0, -1]), _ints(2, 3), _ints(6)), {}, "index -1 is out of range .* expected 0..2"),
    ("SparseReshape", (_rows([0, 0]), _ints(0, 3), _ints(0, -1)), {}, r"0 elements do not fill new_shape \[0, -1\]"),
    ("SparseReshape", (_rows([0, 0]), _ints(2, 3), _ints(5)), {}, r"\(2, 3\) cannot become \[5\], the element counts"),
    ("SparseReshape", (_rows([0, 0]), _ints(2, 3), _ints(-1, 4)), {}, r"6 elements do not fill new_shape \[-1, 4\]"),
    ("SparseReshape", (_rows([0, 0]), _ints(2, 3), _ints(-1, -1)), {}, "at most one -1"),
    ("SparseReshape", (_rows([0, 0]), _ints(2, 3), _ints(-2, 3)), {}, "at most one -1"),
    ("SparseSegmentSum", (X, _ints(0, 2), _ints(0, 0)), {}, "index 2 is out of range .* expected 0..1"),
    ("SparseSegmentSum", (X, _ints(0, -1), _ints(0, 0)), {}, "index -1 is out of range"),
    (
        "SparseSegmentSum",
        (X, _ints(0, 0), _ints(1, 0)),
        {},
        r"segment_ids must be >= 0 and never decrease, got \[1, 0\]",
    ),
    ("SparseSegmentSum", (X, _ints(0, 0, 0), _ints(0, 2, 1)), {}, r"never decrease, got \[0, 2, 1\]"),
    ("SparseSegmentSum", (X, _ints(0, 0), _ints(-1, 0)), {}, "segment_ids must be >= 0"),
    ("SparseFillEmptyRows", (_rows([2, 0]), _floats(1), _ints(2, 9), _one(0)), {}, "index 2 is out of range"),
    ("SparseFillEmptyRows", (_rows([-1, 0]), _floats(1), _ints(2, 9), _one(0)), {}, "index -1 is out of range"),
    ("RaggedRange", (_ints(0, 1), _ints(5, 5), _ints(1, 0)), {}, "the step must not be 0"),
    ("RaggedRange", (_one(0), _one(np.inf), _one(1)), {}, "has no length"),
    ("EmbeddingLookupFusion", (X, X, _ints(4)), {}, "index 4 is out of range for a dimension of 4, expected 0..3"),
    ("EmbeddingLookupFusion", (X, _ints(-1)), {}, "index -1 is out of range"),
    ("HashtableLookup", (_ints(1), _ints(2, 1), X), {}, "keys must be sorted in ascending order"),
    ("HashtableLookup", (_ints(1), _ints(1, 3, 2), _floats(3)), {}, "keys must be sorted in ascending order"),
]

# rejected by infer, which runs before; run may trust that
WRONG_BEFORE: list[tuple[str, tuple[Array, ...], dict[str, Any], str]] = [
    ("GatherNd", (X, _rows([0, 0, 0])), {}, r"coordinates of 3 values are too long for shape \(2, 3\)"),
    ("GatherNd", (X, np.array(1)), {}, "indices must have at least one dimension, got a scalar"),
    ("GatherNd", (X, X), {}, "indices must be one of int8, int16"),
    ("GatherD", (X, _ints(1), X), {}, "indices must be one of int8, int16"),
    ("ScatterNd", (_ints(2, 3), _rows([0]), _floats(1, 2)), {}, "inputs must agree on axis 1"),
    ("ScatterNdUpdate", (X, _rows([0]), _floats(3)), {}, "inputs must have one rank"),
    ("ScatterNdUpdate", (X, _rows([0]), _rows([0, 0, 0])), {}, "inputs must have one dtype, got float32, int32"),
    ("TensorScatterAdd", (X > 0, _rows([0]), X > 0), {}, "input 0 must be one of float32, .* got bool"),
    ("ScatterElements", (X, _rows([0]), _floats(1, 2)), {}, "inputs must agree on axis 1"),
    ("ScatterElements", (X, _rows([0, 0, 0, 0]), _floats(1, 4)), {}, r"indices of shape \(1, 4\) leave an input"),
    ("ScatterElements", (X, _ints(0), _floats(1)), {}, r"indices must have rank 2, got shape \(1,\)"),
    ("ScatterElements", (X, _rows([0]), _rows([0])), {}, "inputs must have one dtype, got float32, int32"),
    ("OneHot", (X, _ints(2), _one(1), _one(0)), {}, "indices must be one of int8, .* got float32"),
    ("OneHot", (_ints(0), _ints(2), _one(1)), {}, r"the input \[off, on\] must hold 2 values, got shape \(\)"),
    ("OneHot", (_ints(0), _ints(2), _floats(2), _one(1)), {}, r"on must hold 1 values, got shape \(2,\)"),
    ("OneHot", (_ints(0), _ints(2), _one(1), _floats(2)), {}, r"off must hold 1 values, got shape \(2,\)"),
    ("OneHot", (_ints(0), _ints(2), _one(1), _ints(0)), {}, "inputs must have one dtype"),
    ("Range", (X > 0,), {"limit": 3}, "input 0 must be one of float32, .* got bool"),
    ("Range", (_ints(0), _ints(5)), {}, "1 or 3 inputs are needed, got 2"),
    ("Range", (_ints(0), _ints(5), _one(1)), {}, "inputs must have one dtype"),
    ("Range", (_ints(0, 1), _ints(5), _ints(1)), {}, r"inputs must hold one element each, got shapes \[\(2,\)"),
    ("LinSpace", (_ints(0), _ints(5), _ints(2)), {}, "input 0 must be one of float32, float16, float64, got int32"),
    ("LinSpace", (_one(0), np.array(1.0), _ints(2)), {}, "inputs must have one dtype, got float32, float64"),
    ("LinSpace", (_floats(2), _floats(2), _ints(2)), {}, "start and stop must hold one element each"),
    ("Fill", (_floats(2), _ints(2)), {}, r"value must hold one element, got shape \(2,\)"),
    ("ReverseSequence", (X, _ints(1, 1, 1)), {"seq_dim": 1}, "lengths must hold one value per position"),
    ("ReverseSequence", (X, _floats(2)), {"seq_dim": 1}, "lengths must be one of int8"),
    ("Crop", (X, _floats(2)), {}, "inputs must have one rank"),
    ("Crop", (X, _floats(2, 3)), {"offsets": (0, 1)}, "offset 1 with size 3 leaves a dimension of 3"),
    ("SplitWithOverlap", (X,), {"split_dim": -1, "number_split": 1, "ratio": (1,)}, "split_dim must be 0 to 1"),
    ("FormatTranspose", (X,), {"dst_format": "NCHW"}, "one dimension per letter of NHWC"),
    ("Tril", (_floats(3),), {}, r"input must have at least two dimensions, got shape \(3,\)"),
    ("DepthToSpace", (IMAGE,), {"block_size": 1}, "block_size must be at least 2, got 1"),
    ("DepthToSpace", (X,), {"block_size": 2}, r"input must be \(N, H, W, C\), got shape \(2, 3\)"),
    ("DepthToSpace", (IMAGE,), {"block_size": 2}, "a channel count of 3 cannot be divided by 4"),
    ("SpaceToDepth", (IMAGE,), {"block_size": 2}, "format must be NHWC, got NCHW"),
    ("SpaceToDepth", (X,), {"block_size": 2, "format": "NHWC"}, r"input must be \(N, H, W, C\), got shape \(2, 3\)"),
    ("SpaceToDepth", (IMAGE,), {"block_size": 4, "format": "NHWC"}, "a height of 2 cannot be divided by 4"),
    ("SpaceToDepth", (IMAGE[:, :, :3],), {"block_size": 2, "format": "NHWC"}, "a width of 3 cannot be divided by 2"),
    ("SpaceToBatch", (IMAGE, _ints(2, 2)), {}, "the block input and the border input must be given together"),
    ("SpaceToBatch", (IMAGE,), {"block_size": (2, 3)}, "a padded axis of 4 cannot be divided by 3"),
    ("SpaceToBatch", (X,), {"block_size": (2, 3)}, r"needs an input of rank 3 or more, got shape \(2, 3\)"),
    ("BatchToSpace", (IMAGE,), {"block_size": (2, 1)}, "a batch of 1 cannot be divided by 2"),
    (
        "BatchToSpaceND",
        (_floats(4, 1, 1, 1),),
        {"block_shape": (2, 2), "crops": ((0, 0), (1, 2))},
        r"borders \(1, 2\) are wider than an axis of 2",
    ),
    ("CumSum", (X > 0, _ints(0)), {}, "got bool"),
    ("TopKFusion", (X > 0, _ints(1)), {}, "got bool"),
    ("ArgMaxFusion", (X > 0,), {}, "got bool"),
    ("InvertPermutation", (_rows([0, 1]),), {}, r"input must be 1-D, got shape \(1, 2\)"),
    ("InvertPermutation", (X,), {}, "got float32"),
    ("UnsortedSegmentSum", (X > 0, _ints(0, 1), _ints(3)), {}, "got bool"),
    ("UnsortedSegmentSum", (X, _floats(2), _ints(3)), {}, "segment_ids must be one of int8"),
    ("UnsortedSegmentSum", (X, _ints(0, 1, 2), _ints(3)), {}, "inputs must agree on axis 0"),
    ("UnsortedSegmentSum", (_floats(2), _rows([0], [1]), _ints(3)), {}, "have more dimensions than the input"),
    ("SparseToDense", (_rows([0, 0, 0]), _ints(2, 2), _floats(1)), {}, "must hold coordinates of 2 values"),
    ("SparseToDense", (_ints(0, 1), _ints(2, 2), _floats(2)), {}, "must hold coordinates of 2 values"),
    ("SparseToDense", (np.array(1), _ints(4), _floats(2)), {}, "values must hold 1 or 1 values"),
    ("SparseToDense", (X, _ints(2, 3), _floats(2)), {}, "indices must be one of int8"),
    ("SparseToDense", (_rows([0]), _ints(4), _floats(1), _ints(0)), {}, "inputs must have one dtype"),
    ("SparseToDense", (_rows([0], [1], [2]), _ints(4), _floats(2)), {}, "values must hold 1 or 3 values"),
    (
        "SparseToDense",
        (np.zeros((1, 1, 1), dtype=np.int32), _ints(4), _floats(1)),
        {},
        "indices must have at most two dimensions",
    ),
    ("SparseToDense", (_ints(0), _ints(4), _floats(1), _floats(2)), {}, "default must hold one value"),
    ("SparseReshape", (_rows([0, 0]), _ints(6), _ints(6)), {}, r"indices must be \(M, 1\), got shape \(1, 2\)"),
    ("SparseReshape", (X, _ints(2, 3), _ints(6)), {}, "indices must be one of int8"),
    ("SparseSegmentSum", (X > 0, _ints(0), _ints(0)), {}, "got bool"),
    ("SparseSegmentSum", (X, _ints(0), _floats(1)), {}, "segment_ids must be one of int8"),
    ("SparseSegmentSum", (X, _ints(0), _ints(0, 1)), {}, "inputs must agree on axis 0"),
    ("SparseSegmentSum", (X, _rows([0]), _ints(0)), {}, r"indices must be 1-D, got shape \(1, 1\)"),
    ("SparseSegmentSum", (_one(0), _ints(0), _ints(0)), {}, "at least one dimension, got a scalar"),
    ("SparseFillEmptyRows", (_ints(0), _floats(1), _ints(2), _one(0)), {}, "indices must be 2-D and values 1-D"),
    ("SparseFillEmptyRows", (X, _floats(2), _ints(2, 3), _one(0)), {}, "indices must be one of int8"),
    ("SparseFillEmptyRows", (_rows([0]), _floats(2), _ints(2), _one(0)), {}, "inputs must agree on axis 0"),
    ("SparseFillEmptyRows", (_rows([0]), _floats(1), _ints(), _one(0)), {}, "dense_shape must hold at least one"),
    ("SparseFillEmptyRows", (_rows([0]), _floats(1), _ints(2), _ints(0)), {}, "inputs must have one dtype"),
    ("RaggedRange", (_ints(0, 1), _ints(5), _ints(1)), {}, "inputs must agree on axis 0"),
    ("RaggedRange", (X[0] > 0, X[0] > 0, X[0] > 0), {}, "input 0 must be one of float32, .* got bool"),
    ("RaggedRange", (_ints(0), _ints(5), _one(1)), {}, "inputs must have one dtype"),
    ("RaggedRange", (_rows([0]), _ints(5), _ints(1)), {}, "inputs must be 1-D or scalars"),
    ("EmbeddingLookupFusion", (X,), {}, "at least one table and the ids are needed, got 1 inputs"),
    ("EmbeddingLookupFusion", (X, _ints(0)), {"max_norm": -1.0}, "max_norm must not be negative, got -1.0"),
    ("EmbeddingLookupFusion", (X, _rows([0, 1, 2]), _ints(0)), {}, "inputs must have one dtype"),
    ("EmbeddingLookupFusion", (X, _floats(2, 2), _ints(0)), {}, "inputs must agree on axis 1"),
    ("EmbeddingLookupFusion", (_ints(1), _ints(0)), {"max_norm": 1.0}, "got int32"),
    ("EmbeddingLookupFusion", (_one(1), _ints(0)), {}, "a table must have at least one dimension, got a scalar"),
    ("HashtableLookup", (_ints(1), _ints(2), X), {}, "inputs must agree on axis 0"),
    ("HashtableLookup", (X[0], X[0], X), {}, "input 0 must be one of int8"),
    ("HashtableLookup", (_ints(1), np.array([1, 2]), X), {}, "inputs must have one dtype, got int32, int64"),
    ("HashtableLookup", (_ints(1), _ints(1), _one(0)), {}, "values have rows"),
    ("HashtableLookup", (_rows([1]), _ints(1, 2), X), {}, "lookups and keys must be 1-D"),
    ("Splice", (X,), {}, r"input must be \(N, T, D\), got shape \(2, 3\)"),
    ("Splice", (_floats(1, 3, 2),), {}, "0 forward_indexes are not a whole number of frames for 0 of context"),
    ("Splice", (_floats(1, 3, 2),), {"context": (0, 1), "forward_indexes": (0, 1, 2)}, "3 forward_indexes are not"),
    (
        "Splice",
        (_floats(1, 3, 2),),
        {"context": (0, 1), "forward_indexes": (0, 1), "output_dim": 4},
        r"forward_indexes must hold 2 \* \(3 - 2 \+ 1\) values, got 2",
    ),
    (
        "Splice",
        (_floats(1, 3, 2),),
        {"context": (0, 1), "forward_indexes": (0, 1, 1, 3), "output_dim": 4},
        "index 3 is out of range for a dimension of 3, expected 0..2",
    ),
    (
        "Splice",
        (_floats(1, 3, 2),),
        {"context": (0, 1), "forward_indexes": (0, 1, 1, 2), "output_dim": 3},
        r"output_dim must be 2 \* 2, got 3",
    ),
]


# data that only run sees must fit the other inputs too
WRONG_DATA: list[tuple[str, tuple[Array, ...], dict[str, Any], str]] = [
    ("ScatterNd", (_ints(2, 3), _rows([0]), _floats(1, 2)), {}, "inputs must agree on axis 1"),
    ("ScatterNd", (_ints(2), _rows([0, 0]), _floats(1)), {}, r"coordinates of 2 values are too long for shape \(2,\)"),
    ("SparseToDense", (_rows([0, 0]), _ints(2, 2, 2, 2), _floats(1)), {}, "must hold coordinates of 4 values"),
    ("SparseReshape", (_rows([0, 0]), _ints(6), _ints(6)), {}, r"indices must be \(M, 1\), got shape \(1, 2\)"),
    ("SparseFillEmptyRows", (_rows([0]), _floats(1), _ints(), _one(0)), {}, "dense_shape must hold at least one"),
    ("SpaceToBatch", (IMAGE, _ints(2, 3), _rows([0, 0], [0, 0])), {}, "a padded axis of 4 cannot be divided by 3"),
    ("SpaceToBatchND", (X, _ints(1, 3), _rows([0, 0], [0, 0])), {}, "needs an input of rank 3 or more"),
    ("BatchToSpace", (IMAGE, _ints(2, 1), _rows([0, 0], [0, 0])), {}, "a batch of 1 cannot be divided by 2"),
    ("BatchToSpaceND", (IMAGE, _ints(1, 1), _rows([2, 1], [0, 0])), {}, "are wider than an axis of 2"),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "message"), WRONG + WRONG_DATA)
def test_run_rejects(op: str, inputs: tuple[Array, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        run(op, *inputs, **attributes)


@pytest.mark.parametrize(("op", "inputs", "attributes", "message"), WRONG + WRONG_BEFORE)
def test_infer_rejects(op: str, inputs: tuple[Array, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer(op, *(spec_of(x) for x in inputs), **attributes)


ROWS = ArraySpec(np.dtype(np.int32), (1, 1))


@pytest.mark.parametrize(
    ("op", "specs"),
    [
        ("ScatterNd", (ArraySpec(np.dtype(np.int32), (1,)), ROWS, ArraySpec(np.dtype("U1"), (1,)))),
        ("Fill", (ArraySpec(np.dtype("U1"), ()), ROWS)),
        ("Tril", (ArraySpec(np.dtype("U1"), (2, 2)),)),
        ("SparseFillEmptyRows", (ROWS, ArraySpec(np.dtype("U1"), (1,)), ROWS, ArraySpec(np.dtype("U1"), ()))),
        ("SparseToDense", (ROWS, ROWS, ArraySpec(np.dtype("U1"), (1,)))),
        ("HashtableLookup", (ArraySpec(np.dtype(np.int32), (1,)),) * 2 + (ArraySpec(np.dtype("U1"), (1,)),)),
    ],
)
def test_values_are_numbers(op: str, specs: tuple[ArraySpec, ...]) -> None:
    with pytest.raises(KernelInputError, match="must be one of bool, float32"):
        infer(op, *specs)
