"""Operators that pick and place elements, and that make tensors from numbers."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ....semantics.operands import normalized
from ....tensors.tensor import Array
from ...lowering.left_out import COUNTED
from ..node import DirectNode
from ..scope import OPEN
from ..table import Direct

MOST_SLICED = 5
"""The most dimensions that LiteRT's SLICE takes."""


def places_of(node: DirectNode, position: int, sizes: tuple[int, ...]) -> TfliteTensor:
    """Places as LiteRT's kernels take them: not counted from the end, so constant ones are counted anew.

    Raises:
        NotLowered: they are computed, or outside.
    """
    tensor = node.source(position)
    if not tensor.is_const and node.scope.purpose.is_tflite:
        x = node.x(position)
        return x if x.dtype in ("int32", "int64") else node.builtins.cast(x, "int32")
    node.wanted(tensor.is_const, RejectCode.NOT_CONSTANT, "places from the end are found beforehand")
    array, ends = tensor.data.astype(np.int64), np.array(sizes)
    inside = bool(((array >= -ends) & (array < ends)).all())
    node.wanted(inside and 0 not in sizes, RejectCode.ATTRIBUTE, "places are inside of the axis")
    return node.builtins.constant(np.where(array < 0, array + ends, array).astype(np.int32))


def gather(node: DirectNode) -> None:
    """GATHER along a constant axis at constant places; a SLICE where the places follow each other."""
    x = node.x()
    axis = normalized(node.ints(2, "the axis")[0] if node.has(2) else 0, x.rank)
    node.wanted(x.rank > 0, RejectCode.RANK, "an axis to pick from")
    places = places_of(node, 1, (x.shape[axis],))
    if places.data is None or x.rank > MOST_SLICED or not node.shape or not _follow(places.data):
        node.move("GATHER", [x, places], "GatherOptions", axis=axis)
        return
    begin, shape = [0] * x.rank, list(x.shape)
    begin[axis], shape[axis] = int(places.data.flat[0]), places.data.size
    operands = [x, node.builtins.ints(begin), node.builtins.ints(shape)]
    if tuple(shape) == node.shape:
        node.move("SLICE", operands, "SliceOptions")
        return
    part, new_shape = node.computed("SLICE", operands, shape, "SliceOptions"), np.array(node.shape, np.int32)
    node.move("RESHAPE", [part, node.builtins.ints(node.shape)], "ReshapeOptions", new_shape=new_shape)


def _follow(places: Array) -> bool:
    """Whether each place is behind the one before."""
    return places.size > 0 and bool((np.diff(places.reshape(-1)) == 1).all())


def gather_nd(node: DirectNode) -> None:
    """GATHER_ND at constant places."""
    x, depth = node.x(), node.source(1).shape[-1]
    node.move("GATHER_ND", [x, places_of(node, 1, x.shape[:depth])], "GatherNdOptions")


def scatter_nd(node: DirectNode) -> None:
    """SCATTER_ND at constant places."""
    shape = node.ints(0, "the shape")
    rows = node.builtins.cast(places_of(node, 1, shape[: node.source(1).shape[-1]]), "int32")
    node.wanted(not node.source(2).quant_params, RejectCode.DTYPE, "plain numbers are added")
    node.plain_write("SCATTER_ND", [rows, node.x(2), node.builtins.ints(shape)], "ScatterNdOptions")


def fill(node: DirectNode) -> None:
    """FILL of the result's dimensions."""
    value = node.x()
    node.wanted(value.rank == 0 and len(node.shape) > 0, RejectCode.RANK, "one number without dimensions")
    node.move("FILL", [node.builtins.ints(node.shape), value], "FillOptions")


def zeros_like(node: DirectNode) -> None:
    """ZEROS_LIKE."""
    node.wanted(not node.is_quantized, RejectCode.DTYPE, "zeros of plain numbers")
    node.write("ZEROS_LIKE", [node.x()], "ZerosLikeOptions")


def sparse_to_dense(node: DirectNode) -> None:
    """SPARSE_TO_DENSE at constant places, each of them once."""
    node.wanted(len(node.kernel.operands) == 4, RejectCode.OPERATOR, "four operands")
    tensor, shape = node.source(0), node.ints(1, "the shape")
    node.wanted(tensor.is_const, RejectCode.NOT_CONSTANT, "places are constant")
    array = tensor.data.astype(np.int64)
    rows = array.reshape(-1, len(shape)) if array.ndim == 2 else array.reshape(-1, 1)
    sound = rows.shape[1] == len(shape) and bool(((rows >= 0) & (rows < np.array(shape))).all())
    single = len(np.unique(rows, axis=0)) == len(rows)
    node.wanted(sound and single, RejectCode.ATTRIBUTE, "places are inside of the shape, each once")
    values, other = node.x(2), node.x(3)
    node.wanted(values.rank <= 1 and other.rank == 0, RejectCode.RANK, "numbers in a row, and one other number")
    node.wanted(values.quantization is None, RejectCode.DTYPE, "plain numbers")
    operands = [node.builtins.constant(array.astype(np.int32)), node.builtins.ints(shape), values, other]
    node.plain_write("SPARSE_TO_DENSE", operands, "SparseToDenseOptions")


def one_hot(node: DirectNode) -> None:
    """ONE_HOT with numbers that are apart."""
    node.wanted(len(node.kernel.operands) == 4, RejectCode.OPERATOR, "four operands")
    (depth,) = node.ints(1, "the depth")
    on, off = node.x(2), node.x(3)
    node.wanted(on.rank == off.rank == 0 and depth > 0, RejectCode.RANK, "numbers without dimensions")
    tensor = node.source()
    sound = tensor.is_const and bool((tensor.data >= 0).all())
    node.wanted(
        sound or node.scope.purpose.is_tflite, RejectCode.NOT_CONSTANT, "places from the end are found beforehand"
    )
    axis = node.attribute("axis")
    indices = node.builtins.cast(node.x(), "int32")
    operands = [indices, node.builtins.constant(np.array(depth, np.int32)), on, off]
    node.plain_write("ONE_HOT", operands, "OneHotOptions", axis=axis)


def unique(node: DirectNode) -> None:
    """UNIQUE of a vector; in files alone."""
    node.in_files_alone(COUNTED)
    x = node.x()
    flat = x if x.rank == 1 else node.builtins.reshape(x, (OPEN,))
    node.parts("UNIQUE", [flat], "UniqueOptions", idx_out_type=2)


def coordinates(node: DirectNode) -> TfliteTensor:
    """The rows that WHERE gives: int64 (found, rank)."""
    node.in_files_alone(COUNTED)
    x = node.x()
    node.wanted(x.rank > 0, RejectCode.RANK, "WHERE takes tensors with dimensions", "has none")
    return node.builtins.op("WHERE", [x], (OPEN, x.rank), "int64", "WhereOptions")


def non_zero(node: DirectNode) -> None:
    """WHERE and a TRANSPOSE; in files alone."""
    columns = node.builtins.transpose(coordinates(node), (1, 0))
    node.give(node.builtins.cast(columns, node.y_dtype))


def drawn(kind: str) -> Direct:
    """A writer of an operator that draws random numbers of a known shape."""

    def write(node: DirectNode) -> None:
        node.wanted(node.y_dtype == "float32", RejectCode.DTYPE, "float32 is drawn", f"is {node.y_dtype}")
        seeds = (node.attribute("seed"), node.attribute("seed2"))
        short = all(-(2**31) <= each < 2**31 for each in seeds)
        node.wanted(short, RejectCode.ATTRIBUTE, "seeds of 32 bits", f"{seeds}")
        options = {"seed": node.attribute("seed"), "seed2": node.attribute("seed2")}
        node.builtins.graph.operator(kind, [node.builtins.ints(node.shape)], [node.y()], "RandomOptions", options)

    write.__doc__ = f"{kind}."
    return write


WRITERS: dict[str, Direct] = {
    "Gather": gather,
    "GatherNd": gather_nd,
    "ScatterNd": scatter_nd,
    "Fill": fill,
    "ZerosLike": zeros_like,
    "SparseToDense": sparse_to_dense,
    "NonZero": non_zero,
    "OneHot": one_hot,
    "RandomStandardNormal": drawn("RANDOM_STANDARD_NORMAL"),
    "UniformReal": drawn("RANDOM_UNIFORM"),
    "Unique": unique,
}
"""Writers of this file by our names of operators."""
