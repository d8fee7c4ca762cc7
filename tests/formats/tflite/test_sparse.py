"""Constants that are stored sparsely, against LiteRT and against what was stored."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from lite_delegate import ModelFormatError
from lite_delegate.formats.tflite import read_tflite_buffer

from .models import G, Op, T, assert_same, floats, litert, model_bytes, ours, out, schema, single, stored

DENSE, CSR = 0, 1
VECTORS = {"int32": "Int32Vector", "uint16": "Uint16Vector", "uint8": "Uint8Vector"}
TYPES = {"float32": np.float32, "float16": np.float16, "int8": np.int8}


def sparse(
    dense: Any,
    formats: Sequence[int],
    *,
    order: Sequence[int] | None = None,
    blocks: Sequence[tuple[int, int]] = (),
    vectors: Sequence[str] = ("int32", "int32"),
) -> T:
    """A constant stored level by level.

    Args:
        dense: all elements.
        formats: of the levels.
        order: which dimension, and after those which block, each level counts.
        blocks: dimension and size of each block.
        vectors: types of segments and indices.
    """
    rank = dense.ndim
    order = list(range(rank + len(blocks))) if order is None else order
    sizes = dict(blocks)
    extents = [d // sizes.get(axis, 1) for axis, d in enumerate(dense.shape)] + [size for _, size in blocks]

    def element(places: dict[int, int]) -> Any:
        position = [places[axis] * sizes.get(axis, 1) for axis in range(rank)]
        for number, (axis, _) in enumerate(blocks):
            position[axis] += places[rank + number]
        return dense[tuple(position)]

    def is_empty(known: dict[int, int]) -> bool:
        left = [i for i in range(len(extents)) if i not in known]
        rest = product(*(range(extents[i]) for i in left))
        return all(element({**known, **dict(zip(left, places, strict=True))}) == 0 for places in rest)

    owners: list[dict[int, int]] = [{}]
    levels = []
    for which, form in zip(order, formats, strict=True):
        level = schema.DimensionMetadataT()
        level.format = form
        nested: list[dict[int, int]] = []
        segments, indices = [0], []
        for known in owners:
            found = [i for i in range(extents[which]) if form == DENSE or not is_empty({**known, which: i})]
            nested += [{**known, which: i} for i in found]
            indices += found
            segments.append(len(indices))
        if form == DENSE:
            level.denseSize = extents[which]
        else:
            level.arraySegmentsType, level.arraySegments = vector(vectors[0], segments)
            level.arrayIndicesType, level.arrayIndices = vector(vectors[1], indices)
        levels.append(level)
        owners = nested
    parameters = schema.SparsityParametersT()
    parameters.traversalOrder, parameters.blockMap = list(order), [axis for axis, _ in blocks] or None
    parameters.dimMetadata = levels
    kept = np.array([element(places) for places in owners], dense.dtype)
    return T(dense, constant=True, raw=kept.tobytes(), sparsity=parameters)


def vector(dtype: str, numbers: Sequence[int]) -> tuple[int, Any]:
    made = getattr(schema, f"{VECTORS[dtype]}T")()
    made.values = np.array(numbers, dtype)
    return getattr(schema.SparseIndexVector, VECTORS[dtype]), made


def pruned(seed: int, *shape: int, dtype: str = "float32", kept: float = 0.3, block: tuple[int, ...] = ()) -> Any:
    """An array most of whose blocks are zeros, none of the others."""
    rng = np.random.default_rng(seed)
    block = block or (1,) * len(shape)
    mask = rng.random([d // b for d, b in zip(shape, block, strict=True)]) < kept
    return (rng.integers(1, 100, shape) * np.kron(mask, np.ones(block))).astype(TYPES[dtype])


def densify(t: T) -> bytes:
    """A model that adds an input to what DENSIFY gives."""
    kind = t.kind
    if kind == "int8":
        return single("DENSIFY", [t], [out(kind, t.dims)])
    ops = [Op("DENSIFY", [1], [2]), Op("ADD", [0, 3 if kind == "float16" else 2], [4], "AddOptions")]
    if kind == "float16":
        ops.insert(1, Op("DEQUANTIZE", [2], [3]))
    tensors = [T(np.ones(t.dims, np.float32)), t, out(kind, t.dims), out("float32", t.dims), out("float32", t.dims)]
    return model_bytes([G(tensors, ops, [0], [4])])


LAYOUTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "rows": ((6, 8), {"formats": (DENSE, CSR)}),
    "both_levels": ((6, 8), {"formats": (CSR, CSR)}),
    "columns_first": ((6, 8), {"formats": (DENSE, CSR), "order": (1, 0)}),
    "all_dense": ((3, 4), {"formats": (DENSE, DENSE)}),
    "volume": ((3, 4, 5), {"formats": (DENSE, CSR, CSR)}),
    "convolution": ((4, 1, 1, 6), {"formats": (DENSE, DENSE, DENSE, CSR)}),
    "blocks_of_a_row": ((4, 16), {"formats": (DENSE, CSR, DENSE), "blocks": ((1, 4),)}),
    "square_blocks": ((4, 8), {"formats": (DENSE, CSR, DENSE, DENSE), "blocks": ((0, 2), (1, 2))}),
    "turned_blocks": (
        (4, 8),
        {"formats": (DENSE, CSR, DENSE, DENSE), "blocks": ((0, 2), (1, 2)), "order": (1, 0, 3, 2)},
    ),
    "short_numbers": ((6, 8), {"formats": (DENSE, CSR), "vectors": ("uint16", "uint8")}),
    "one_element_left": ((5,), {"formats": (CSR,)}),
}  # fmt: skip


@pytest.mark.parametrize("dtype", sorted(TYPES))
@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_densify_gives_what_litert_gives(name: str, dtype: str) -> None:
    shape, layout = LAYOUTS[name]
    block = [1] * len(shape)
    for axis, size in layout.get("blocks", ()):
        block[axis] = size
    dense = pruned(len(name), *shape, dtype=dtype, block=tuple(block))
    content = densify(sparse(dense, **layout))
    if dtype == "int8":
        (value,) = read_tflite_buffer(content).outputs
        assert value.data is not None
        got, arrays = [value.data], []
    else:
        arrays = [np.ones(shape, np.float32)]
        got = ours(content, arrays)
        np.testing.assert_array_equal(got[0], dense.astype(np.float32) + 1)
    assert_same(got, litert(content, arrays), rtol=0, atol=0)


def test_weights_may_be_sparse_without_densify() -> None:
    weights = pruned(4, 6, 8)
    content = single("FULLY_CONNECTED", [floats(1, 3, 8), sparse(weights, (DENSE, CSR)), None], [out()], "FullyConnectedOptions")  # fmt: skip # noqa: E501
    x = floats(1, 3, 8).data
    got = ours(content, [x])
    np.testing.assert_allclose(got[0], x @ weights.T, rtol=1e-5)
    assert_same(got, litert(content, [x]))


def test_sparse_convolution_weights_of_integers() -> None:
    weights = pruned(4, 4, 1, 1, 6, dtype="int8")
    scales: dict[str, Any] = {"scales": [0.1] * 4, "axis": 0}
    packed = sparse(weights, (DENSE, DENSE, DENSE, CSR))
    x, y = T(pruned(5, 1, 3, 3, 6, dtype="int8"), scales=[0.05]), out("int8", scales=[2.0])
    options: dict[str, Any] = {"strideH": 1, "strideW": 1}
    models = [
        single("CONV_2D", [x, T(**{**w.__dict__, **scales}), None], [y], "Conv2DOptions", **options)
        for w in (packed, stored(T(weights)))
    ]
    got, want = (ours(content, [x.data]) for content in models)
    assert_same(got, want)


def _levels(t: T) -> list[Any]:
    levels: list[Any] = t.sparsity.dimMetadata
    return levels


def _set(level: Any, name: str, numbers: Sequence[int]) -> None:
    member = getattr(level, name)
    member.values = np.array(numbers, member.values.dtype)


DAMAGE = {
    "an index out of range": (lambda t: _set(_levels(t)[1], "arrayIndices", [0, 1, 9, 2]), "indices below 4"),
    "a negative index": (lambda t: _set(_levels(t)[1], "arrayIndices", [0, 1, -1, 2]), "indices below 4"),
    "segments that descend": (lambda t: _set(_levels(t)[1], "arraySegments", [0, 3, 1, 4]), "ascend from 0 to 4"),
    "segments beyond the indices": (lambda t: _set(_levels(t)[1], "arraySegments", [0, 1, 2, 9]), "ascend from 0 to 4"),
    "too few segments": (lambda t: _set(_levels(t)[1], "arraySegments", [0, 4]), "expected 4 segments, found 2"),
    "no segments": (lambda t: setattr(_levels(t)[1], "arraySegments", None), "array_segments"),
    "a level of no kind": (lambda t: setattr(_levels(t)[1], "format", 7), "known kind of level, found 7"),
    "a dense level of another size": (lambda t: setattr(_levels(t)[0], "denseSize", 4), "dense level of 3, found 4"),
    "a level too few": (lambda t: _levels(t).pop(), "expected 2 levels"),
    "a dimension twice": (lambda t: setattr(t.sparsity, "traversalOrder", [1, 1]), "traversal_order"),
    "a dimension that is not there": (lambda t: setattr(t.sparsity, "traversalOrder", [0, 5]), "traversal_order"),
    "a block of no dimension": (lambda t: _block(t, 5), "block_map"),
    "a block that does not divide": (lambda t: _block(t, 1), "do not divide dimension 1"),
}


def _block(t: T, axis: int) -> None:
    """Adds a block of 3 along a dimension."""
    level = schema.DimensionMetadataT()
    level.denseSize = 3
    _levels(t).append(level)
    t.sparsity.traversalOrder, t.sparsity.blockMap = [0, 1, 2], [axis]


@pytest.mark.parametrize("name", sorted(DAMAGE))
def test_damage_is_named(name: str) -> None:
    damage, message = DAMAGE[name]
    dense = np.zeros((3, 4), np.float32)
    dense[0, 0] = dense[1, 1] = dense[1, 3] = dense[2, 2] = 1
    t = sparse(dense, (DENSE, CSR))
    damage(t)
    with pytest.raises(ModelFormatError, match=message):
        read_tflite_buffer(densify(t))


def test_elements_must_be_as_many_as_the_levels_hold() -> None:
    t = sparse(pruned(1, 3, 4), (DENSE, CSR))
    assert t.raw is not None
    for raw, message in ((t.raw + bytes(4), "its levels hold"), (t.raw[:-1], "whole elements of 4 bytes")):
        with pytest.raises(ModelFormatError, match=message):
            read_tflite_buffer(densify(T(**{**t.__dict__, "raw": raw})))


def test_a_small_file_does_not_take_much_memory() -> None:
    """Two levels of one element each, of a tensor of a terabyte."""
    t = sparse(np.ones((1, 1), np.float32), (CSR, CSR))
    huge = T(dtype="float32", shape=(1 << 20, 1 << 18), constant=True, data=t.data, raw=t.raw, sparsity=t.sparsity)
    content = single("DENSIFY", [huge], [out()])
    with pytest.raises(ModelFormatError, match="more than 16 times the file's size"):
        read_tflite_buffer(content)


def test_dimensions_of_a_constant_without_elements_take_no_memory() -> None:
    """A dense level of two billion positions, of a tensor that has no elements."""
    t = sparse(np.ones((1, 1), np.float32), (DENSE, DENSE))
    _levels(t)[0].denseSize, _levels(t)[1].denseSize = (1 << 31) - 1, 0
    t.sparsity.traversalOrder = [1, 0]
    empty = T(dtype="float32", shape=(0, (1 << 31) - 1), constant=True, raw=b"", sparsity=t.sparsity)
    (value,) = read_tflite_buffer(single("DENSIFY", [empty], [out()])).outputs
    assert value.data is not None
    assert value.data.shape == (0, (1 << 31) - 1)


def test_densify_unpacks_constants_only() -> None:
    with pytest.raises(ModelFormatError, match="DENSIFY unpacks a sparse constant, and 't0' is computed or an input"):
        read_tflite_buffer(single("DENSIFY", [floats(1, 2, 3)], [out()]))
    with pytest.raises(ModelFormatError, match="expected FLOAT32 as its input is, found FLOAT16"):
        read_tflite_buffer(single("DENSIFY", [sparse(pruned(1, 3, 4), (DENSE, CSR))], [out("float16")]))


def test_what_is_computed_cannot_be_sparse() -> None:
    packed = sparse(pruned(1, 3, 4), (DENSE, CSR))
    given = T(dtype="float32", shape=(3, 4), sparsity=packed.sparsity)
    with pytest.raises(Exception, match="it is stored sparsely, which only constants"):
        read_tflite_buffer(single("ADD", [given, floats(1, 3, 4)], [out()], "AddOptions"))
