"""Operators that move, pick and make elements, imported and run, against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.formats.tflite import read_tflite_buffer
from tests.formats.tflite.models import (
    G,
    Op,
    T,
    assert_same,
    check,
    const,
    fed,
    floats,
    int8,
    ints,
    litert,
    model_bytes,
    ours,
    out,
    qout,
    single,
)

X = floats(1, 2, 3, 4)
X_ROW = floats(2, 3, 4)
Q = int8(1, 2, 3, 4, scale=0.04, zero_point=-7)
SAME_Q = qout(0.04, -7)


def scalar(number: Any, dtype: Any = np.int32) -> T:
    return const(np.array(number, dtype))


def test_reshape_by_tensor_or_by_option() -> None:
    check("RESHAPE", [X, ints(4, -1)], table="ReshapeOptions")
    check("RESHAPE", [X], table="ReshapeOptions", newShape=[6, 4])
    check("RESHAPE", [X, T(np.array([8, 3], np.int32))], table="ReshapeOptions")


@pytest.mark.parametrize("dims", [[], [1], [-1, 0]])
def test_squeeze(dims: list[int]) -> None:
    check("SQUEEZE", [floats(1, 1, 1, 3, 1)], table="SqueezeOptions", squeezeDims=dims)


@pytest.mark.parametrize("axis", [0, 2, -1])
def test_expand_dims(axis: int) -> None:
    check("EXPAND_DIMS", [X, scalar(axis)])


@pytest.mark.parametrize(("kind", "dtype"), [(2, "int32"), (4, "int64")])
def test_shape(kind: int, dtype: str) -> None:
    check("SHAPE", [X], dtype, "ShapeOptions", outType=kind)


def test_rank() -> None:
    check("RANK", [X], "int32")


@pytest.mark.parametrize("x", [X, Q], ids=["float", "int8"])
def test_transpose(x: T) -> None:
    check("TRANSPOSE", [x, ints(2, 0, 1)], [SAME_Q] if x is Q else "float32", version=2)


@pytest.mark.parametrize("activation", [0, 1, 2, 3])
@pytest.mark.parametrize("axis", [1, -1])
def test_concatenation(axis: int, activation: int) -> None:
    if activation:
        content = single(
            "CONCATENATION", [X, X], [out()], "ConcatenationOptions", axis=axis, fusedActivationFunction=activation
        )
        bounds = {1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}[activation]
        assert_same(ours(content, fed([X, X])), [np.concatenate([X.data, X.data], axis).clip(*bounds)])
        return
    check("CONCATENATION", [X, floats(2, 2, 3, 4)], table="ConcatenationOptions", axis=axis)


def test_quantized_concatenation_of_different_scales() -> None:
    other = T(Q.data, scales=[0.04], zero_points=[-7])
    check("CONCATENATION", [Q, other], [SAME_Q], "ConcatenationOptions", axis=1, version=2)


def test_splits() -> None:
    check("SPLIT", [scalar(1), floats(1, 2, 6, 4)], [out()] * 3, "SplitOptions", numSplits=3)
    check("SPLIT_V", [floats(1, 2, 6, 4), ints(1, 3, 2), scalar(1)], [out()] * 3, "SplitVOptions", numSplits=3)
    check("SPLIT_V", [floats(1, 2, 6, 4), ints(1, -1, 2), scalar(1)], [out()] * 3, "SplitVOptions", numSplits=3)


def test_pack_and_unpack() -> None:
    check("PACK", [X, floats(2, 2, 3, 4)], table="PackOptions", axis=1, valuesCount=2)
    check("UNPACK", [X], [out()] * 3, "UnpackOptions", axis=1, num=3)


def test_tile_and_broadcast() -> None:
    check("TILE", [X, ints(1, 2, 3)])
    check("BROADCAST_TO", [floats(1, 3, 1), ints(2, 3, 4)], version=2)


def test_reversals() -> None:
    check("REVERSE_V2", [X, ints(1)])
    lengths = T(np.array([3, 1, 2], np.int32))
    check("REVERSE_SEQUENCE", [X, lengths], table="ReverseSequenceOptions", seqDim=2, batchDim=1)


@pytest.mark.parametrize("x", [X, Q], ids=["float", "int8"])
def test_padding(x: T) -> None:
    pads = const(np.array([[0, 1], [2, 0], [1, 1]], np.int32))
    result = [SAME_Q] if x is Q else "float32"
    check("PAD", [x, pads], result, version=2 if x is Q else 1)
    value = const(np.array([5], np.int8), scales=[0.04], zero_points=[-7]) if x is Q else scalar(1.5, np.float32)
    check("PADV2", [x, pads, value], result, version=2 if x is Q else 1)


@pytest.mark.parametrize("mode", [0, 1])
def test_mirrored_padding(mode: int) -> None:
    pads = const(np.array([[0, 1], [2, 0], [1, 1]], np.int32))
    check("MIRROR_PAD", [X, pads], table="MirrorPadOptions", mode=mode)


def test_batches_and_blocks() -> None:
    block, pads = ints(2, 2), const(np.array([[0, 0], [0, 1]], np.int32))
    check("SPACE_TO_BATCH_ND", [floats(1, 1, 4, 5, 2), block, pads])
    check("BATCH_TO_SPACE_ND", [floats(1, 4, 2, 3, 2), block, pads])
    quantized = int8(1, 1, 4, 5, 2, scale=0.04, zero_point=-7)
    check("SPACE_TO_BATCH_ND", [quantized, block, pads], [SAME_Q], version=2)


def test_slices() -> None:
    check("SLICE", [X, ints(0, 1, 1), ints(2, -1, 2)])
    check("SLICE", [Q, ints(0, 1, 1), ints(2, -1, 2)], [SAME_Q], version=2)


STRIDED = [
    ([0, 1, 0], [2, 3, 4], [1, 1, 2], {}),
    ([0, 0, 0], [0, 9, 2], [1, 1, 1], {"endMask": 1}),
    ([1, -1, 3], [0, -4, -5], [-1, -1, -2], {}),
    ([0, 0, 0], [0, 0, 0], [-1, -2, 1], {"beginMask": 7, "endMask": 7}),
    ([0, 1, 0], [0, 2, 0], [1, 1, 1], {"beginMask": 5, "endMask": 5, "shrinkAxisMask": 2}),
    ([-1, 0], [0, 2], [1, 1], {"shrinkAxisMask": 1}),
    ([1, 1], [2, 2], [1, 1], {"beginMask": 3, "endMask": 1, "shrinkAxisMask": 1}),
    ([1, 1, 2], [2, 2, 3], [1, 1, 1], {"beginMask": 6, "endMask": 4, "shrinkAxisMask": 6}),
    ([0, 1], [0, 3], [1, 1], {"ellipsisMask": 1}),
    ([0, 0, 1], [0, 0, 3], [1, 1, 1], {"ellipsisMask": 1, "newAxisMask": 2}),
    ([0, 0, 0], [1, 0, 2], [1, 1, 1], {"newAxisMask": 2}),
    ([1, 0, 0, 2], [2, 0, 0, 3], [1, 1, 1, 1], {"ellipsisMask": 2, "newAxisMask": 4, "shrinkAxisMask": 9}),
]


@pytest.mark.parametrize(("begin", "end", "strides", "masks"), STRIDED)
def test_strided_slices(begin: list[int], end: list[int], strides: list[int], masks: dict[str, Any]) -> None:
    check("STRIDED_SLICE", [X, ints(*begin), ints(*end), ints(*strides)], table="StridedSliceOptions", **masks)


def test_strided_slice_with_computed_bounds() -> None:
    begin, end = T(np.array([0, 1, 0], np.int32)), T(np.array([2, 3, 4], np.int32))
    check("STRIDED_SLICE", [X, begin, end, ints(1, 1, 2)], table="StridedSliceOptions", shrinkAxisMask=2)


def test_strided_slice_by_offsets() -> None:
    inputs = [X, ints(0, 1, 1), ints(2, 2, 3), ints(1, 1, 1)]
    check("STRIDED_SLICE", inputs, table="StridedSliceOptions", version=8, offset=True)


@pytest.mark.parametrize("x", [X, Q], ids=["float", "int8"])
def test_gather(x: T) -> None:
    result = [SAME_Q] if x is Q else "float32"
    check("GATHER", [x, T(np.array([[2, 0], [1, 1]], np.int32))], result, "GatherOptions", axis=1, version=2)


def test_gather_nd_and_scatter_nd() -> None:
    check("GATHER_ND", [X, ints(1, 2)])
    places = const(np.array([[1], [3], [1]], np.int32))
    check("SCATTER_ND", [places, floats(1, 3, 2), ints(5, 2)])


def test_selection() -> None:
    condition = T(X.data > 0)
    check("SELECT", [condition, X, floats(2, 2, 3, 4)])
    check("SELECT_V2", [condition, X, floats(2, 4)])
    check("SELECT_V2", [condition, Q, T(Q.data[::-1], scales=Q.scales, zero_points=Q.zero_points)], [SAME_Q])


def test_where() -> None:
    check("WHERE", [T(X.data > 0)], "int64")


@pytest.mark.parametrize("axis", [-1, 0])
def test_one_hot(axis: int) -> None:
    indices = T(np.array([[2, 0], [1, 5]], np.int32))
    on_off = [scalar(3.0, np.float32), scalar(-1.0, np.float32)]
    check("ONE_HOT", [indices, scalar(3), *on_off], table="OneHotOptions", axis=axis)


@pytest.mark.parametrize(("kind", "dtype"), [(2, "int32"), (4, "int64")])
def test_unique(kind: int, dtype: str) -> None:
    x = T(np.array([3, 1, 3, 2, 1], np.int32))
    check("UNIQUE", [x], [out("int32"), out(dtype)], "UniqueOptions", idxOutType=kind)


def test_fill_and_range() -> None:
    check("FILL", [ints(2, 3), T(np.array(2.5, np.float32))])
    check("RANGE", [T(np.array(v, np.int32)) for v in (2, 11, 3)], "int32")


def test_sparse_to_dense() -> None:
    inputs = [T(np.array([[0, 1], [2, 0]], np.int32)), ints(3, 2), floats(1, 2), scalar(-1.0, np.float32)]
    check("SPARSE_TO_DENSE", inputs, table="SparseToDenseOptions")


def test_hashtable_lookup() -> None:
    inputs = [T(np.array([4, 9, 1], np.int32)), ints(1, 4, 6), const(floats(1, 3, 2).data)]
    content = single("HASHTABLE_LOOKUP", inputs, [out(), out("uint8")])
    assert_same(ours(content, fed(inputs)), litert(content, fed(inputs)))


@pytest.mark.parametrize("kind", [1, 2])
def test_lsh_projection(kind: int) -> None:
    inputs = [const(floats(1, 3, 4).data), T(np.array([[3, 5], [7, 1]], np.int32)), floats(2, 2)]
    check("LSH_PROJECTION", inputs, "int32", "LSHProjectionOptions", type=kind)


def test_skip_gram() -> None:
    sentence = T(np.array([b"the quick brown fox jumps"], object), dtype="object", shape=(1,))
    options: dict[str, Any] = {"ngramSize": 3, "maxSkipSize": 1, "includeAllNgrams": False}
    content = single("SKIP_GRAM", [sentence], [out("object")], "SkipGramOptions", **options)
    (want,) = litert(content, [sentence.data])
    (got,) = ours(content, [sentence.data])
    assert got.tolist() == [s.decode() for s in want.ravel()]


@pytest.mark.parametrize("op", ["RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"])
def test_random_numbers_are_those_of_the_seeds(op: str) -> None:
    check(op, [ints(3, 5)], table="RandomOptions", seed=7, seed2=11, rtol=1e-4, atol=1e-5)


def test_quantizing() -> None:
    check("QUANTIZE", [floats(1, 3, 40)], [qout(0.02, 7)])
    check("QUANTIZE", [floats(1, 3, 40)], [qout(0.02, 130, "uint8")])
    check("DEQUANTIZE", [int8(1, 3, 40, scale=0.03, zero_point=9)], version=2)
    check("QUANTIZE", [int8(1, 3, 40, scale=0.03, zero_point=9)], [qout(0.05, -3)], version=2, quanta=1)
    check("QUANTIZE", [int8(1, 3, 40, scale=0.03, zero_point=9)], [qout(0.03, 137, "uint8")], version=2)


def test_one_node_shifts_integers_between_signed_and_unsigned() -> None:
    x = int8(1, 3, 40, scale=0.03, zero_point=9)
    content = single("QUANTIZE", [x], [qout(0.03, 137, "uint8")], version=2)
    assert [n.op_type for n in read_tflite_buffer(content).nodes] == ["QuantDTypeCast"]


def test_dequantizing_constants_per_channel() -> None:
    data = np.random.default_rng(1).integers(-128, 127, (3, 4)).astype(np.int8)
    tensors = [X_ROW, const(data, scales=[0.1, 0.2, 0.3, 0.4], axis=1), out(shape=(3, 4)), out(shape=(3, 4))]
    ops = [Op("DEQUANTIZE", [1], [2], version=5), Op("MUL", [0, 2], [3], "MulOptions")]
    content = model_bytes([G(tensors, ops, [0], [3])])
    assert_same(ours(content, fed([X_ROW])), [X_ROW.data * (data * np.array([0.1, 0.2, 0.3, 0.4], np.float32))])
