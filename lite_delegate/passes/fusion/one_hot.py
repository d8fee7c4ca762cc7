"""OneHotFusionPass: rows of a matrix that a product with a one-hot vector takes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...ir import DataType, Node, Primitive, Value, to_numpy
from ..framework.draft import Array
from ..framework.patterns import is_activated, maker_of
from ..parts import NodeParts
from .forms.pattern import Scene
from .forms.pattern_pass import PatternPass

INDEX_TYPES = (DataType.INT32, DataType.INT64)


class OneHotFusionPass(PatternPass):
    """Makes a Gather of ``one_hot(indices) @ matrix + bias``, with the one-hot vectors spelled out.

    1. The vectors are a Cast of Equal of the indices, whose last axis has one element or is repeated, and of a
       constant that counts 0, 1, ... along the last axis; one number for each row of the matrix.
    2. The matrix is a finite constant of two dimensions, transposed or not; the bias, if any, a constant.
    3. An index that names no row gives zeros and the bias: the indices are bounded to one row below and one row above
       the matrix, and the table has such a row. The same bit for bit, but for the sign of zeros.
    4. A one-hot vector that another node reads stays, and so does a one-hot vector without a matrix product.
    """

    name: ClassVar[str] = "one-hot-fusion"
    needs = frozenset({"Equal"})

    def match(self, node: Node, scene: Scene) -> tuple[Primitive, list[Value | None]] | None:
        """Never one node alone."""
        return None

    def replacement(self, node: Node, scene: Scene) -> list[Node] | None:
        """The bounds on the indices, and the Gather."""
        shape, matrix = scene.shape(node.outputs[0]), _matrix(node, scene)
        if shape is None or matrix is None or node.inputs[0] is None:
            return None
        indices = _indices(node.inputs[0], len(matrix), scene)
        table = None if indices is None else _table(matrix, node, scene)
        return None if indices is None or table is None else _gather(NodeParts(node, indices, shape), table, shape)


def _matrix(node: Node, scene: Scene) -> Array | None:
    """The constant matrix on the right of a product, a row for each element of a vector on the left."""
    if node.op_type != "MatMulFusion" or is_activated(node) or node.primitive.attributes()["transpose_a"]:
        return None
    matrix = scene.draft.constant(node.inputs[1])
    if matrix is None or matrix.ndim != 2:
        return None
    return matrix.T if node.primitive.attributes()["transpose_b"] else matrix


def _table(matrix: Array, node: Node, scene: Scene) -> Array | None:
    """The rows of the matrix with the bias, between two that are the bias alone; None where they are not finite."""
    zeros = np.zeros((1, matrix.shape[1]), matrix.dtype)
    given = node.inputs[2] if len(node.inputs) > 2 else None
    bias = zeros if given is None else scene.draft.constant(given)
    if bias is None or not np.isfinite(matrix).all() or not np.isfinite(bias).all():
        return None
    return np.asarray(np.concatenate([zeros, matrix, zeros]) + bias.reshape(-1).astype(matrix.dtype))


def _indices(vectors: Value, count: int, scene: Scene) -> Value | None:
    """The indices that one-hot vectors of this length are of; their last axis has one element."""
    cast = maker_of(scene.draft, vectors, "Cast")
    equal = None if cast is None else maker_of(scene.draft, cast.inputs[0], "Equal")
    for value, counting in () if equal is None else (equal.inputs, equal.inputs[::-1]):
        if value is None or not _counts(scene.draft.constant(counting), count):
            continue
        source = _before_repeating(value, scene)
        shape, whole = scene.shape(source), scene.shape(vectors)
        if source.dtype in INDEX_TYPES and shape is not None and whole is not None and shape == (*whole[:-1], 1):
            return source
    return None


def _before_repeating(value: Value, scene: Scene) -> Value:
    """The value that a BroadcastTo repeats along the last axis; any other value itself."""
    node = maker_of(scene.draft, value, "BroadcastTo")
    source = None if node is None else node.inputs[0]
    before, after = None if source is None else scene.shape(source), scene.shape(value)
    if source is None or before is None or after is None or before[:-1] != after[:-1] or before[-1:] != (1,):
        return value
    return source


def _counts(data: Array | None, count: int) -> bool:
    if data is None or data.dtype.kind not in "iu" or data.size != count or data.shape[-1:] != (count,):
        return False
    return bool((data.reshape(-1) == np.arange(count)).all())


def _gather(parts: NodeParts, table: Array, shape: tuple[int, ...]) -> list[Node]:
    """Indices without their last axis, bounded and counted from 1, and the rows that they name."""
    dtype, flat = to_numpy(parts.x.dtype), shape[:-1]
    indices = parts.of("Reshape", parts.x, parts.ints(*flat), shape=flat)
    for op_type, number in (("Maximum", -1), ("Minimum", len(table) - 2), ("AddFusion", 1)):
        indices = parts.of(op_type, indices, parts.constant(np.array(number, dtype)), shape=flat)
    parts.of("Gather", parts.constant(table), indices, parts.constant(np.array(0, np.int32)))
    return list(parts.done())
