"""Kernels on tensors whose dimensions LiteRT works out while the file runs, from operands rather than constants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ....ir.primitives import StridedSlice
from ....ir.traits import ElementPattern, of_pattern
from ....ir.types.enums import CoordinateTransformMode
from ....semantics.operands import normalized, primitive_of
from ..node import DirectNode
from ..scope import OPEN
from ..table import Direct
from .movement import transpose as known_transpose
from .reduction import KINDS
from .reduction import reduce as known_reduce

_KNOWN = "LiteRT works out one dimension of a constant shape, the rest must be known"


def reshape(node: DirectNode) -> None:
    """RESHAPE by the second operand; -1 in place of the one dimension that is open."""
    x = node.x()
    if node.has(1) and not node.source(1).is_const:
        node.wanted(node.x(1).rank == 1, RejectCode.RANK, "the new shape is a vector")
        node.move("RESHAPE", [x, node.builtins.cast(node.x(1), "int32")], "ReshapeOptions")
        return
    dims = node.shape
    if node.has(1):
        dims = tuple(x.shape[place] if dim == 0 else dim for place, dim in enumerate(node.ints(1, "the new shape")))
    node.wanted(dims.count(OPEN) <= 1 and dims, RejectCode.SHAPE, _KNOWN, f"are {list(dims)}")
    node.move("RESHAPE", [x, node.builtins.ints(dims)], "ReshapeOptions", new_shape=np.array(dims, np.int32))


def squeeze(node: DirectNode) -> None:
    """SQUEEZE of the named dimensions."""
    x = node.x()
    gone = sorted(normalized(axis, x.rank) for axis in node.attribute("axis") or ())
    node.wanted(gone, RejectCode.SHAPE, "the dimensions that go must be named where some are open", f"are {x.shape}")
    node.move("SQUEEZE", [x], "SqueezeOptions", squeeze_dims=np.array(gone, np.int32))


def unsqueeze(node: DirectNode) -> None:
    """EXPAND_DIMS for each dimension that comes."""
    x, rank = node.x(), len(node.shape)
    axes = sorted(normalized(axis, rank) for axis in node.attribute("axis") or ())
    node.wanted(axes, RejectCode.ATTRIBUTE, "a dimension that comes")
    for axis in axes[:-1]:
        shape = (*x.shape[:axis], 1, *x.shape[axis:])
        x = node.computed("EXPAND_DIMS", [x, node.builtins.number(axis, "int32")], shape, "ExpandDimsOptions")
    node.move("EXPAND_DIMS", [x, node.builtins.number(axes[-1], "int32")], "ExpandDimsOptions")


def fill(node: DirectNode) -> None:
    """FILL of the dimensions that are given."""
    node.move("FILL", [_whole(node, 1), node.builtins.reshape(node.x(), ())], "FillOptions")


def broadcast_to(node: DirectNode) -> None:
    """BROADCAST_TO the dimensions that are given."""
    node.wanted(node.has(1), RejectCode.OPERATOR, "the dimensions are an operand")
    kept = node.source(1).is_const and OPEN in node.ints(1, "dimensions")
    node.wanted(not kept, RejectCode.SHAPE, "LiteRT's BROADCAST_TO keeps no dimension that is open")
    node.move("BROADCAST_TO", [node.x(), _whole(node, 1)], "BroadcastToOptions")


def tile(node: DirectNode) -> None:
    """TILE by the multiples that are given, one for each dimension."""
    x, axes = node.x(), node.attribute("dims")
    every = not axes or list(axes) == list(range(x.rank))
    node.wanted(every, RejectCode.ATTRIBUTE, "a multiple for each dimension", f"for {axes}")
    node.move("TILE", [x, _whole(node, 1)], "TileOptions")


def slice_fusion(node: DirectNode) -> None:
    """SLICE at the places that are given, one for each dimension."""
    x, axes = node.x(), node.attribute("axes")
    every = not axes or list(axes) == list(range(x.rank))
    node.wanted(every and 0 < x.rank <= 5, RejectCode.ATTRIBUTE, "a place for each of 1 to 5 dimensions", f"for {axes}")
    node.move("SLICE", [x, _whole(node, 1), _whole(node, 2)], "SliceOptions")


def strided_slice(node: DirectNode) -> None:
    """STRIDED_SLICE between the places that are given, one for each of the first dimensions."""
    x, primitive = node.x(), primitive_of(node.kernel, StridedSlice)
    strides = node.ints(4 if node.has(4) else 3, "strides")
    axes = node.ints(3, "axes") if node.has(4) else tuple(range(len(strides)))
    fits = axes == tuple(range(x.rank)) and min(strides, default=0) > 0 and x.rank <= 5
    node.wanted(fits, RejectCode.ATTRIBUTE, "places for each of 1 to 5 dimensions, and strides above 0", f"for {axes}")
    plain = not (primitive.ellipsis_mask or primitive.new_axis_mask)
    node.wanted(plain, RejectCode.ATTRIBUTE, "masks that open or drop dimensions alone")
    masks = {name: int(getattr(primitive, name) or 0) for name in ("begin_mask", "end_mask", "shrink_axis_mask")}
    operands = [x, _whole(node, 1), _whole(node, 2), node.builtins.ints(strides)]
    node.move("STRIDED_SLICE", operands, "StridedSliceOptions", **masks)


def range_between(node: DirectNode) -> None:
    """RANGE between computed limits, which ends the run where the step leads away from the limit."""
    node.wanted(len(node.kernel.operands) == 3, RejectCode.OPERATOR, "first number, limit and step are operands")
    limits = [node.builtins.reshape(x, ()) for x in node.xs()]
    node.plain_write("RANGE", limits, "RangeOptions")


def shape_of(node: DirectNode) -> None:
    """SHAPE."""
    node.builtins.graph.operator("SHAPE", [node.x()], [node.y()], "ShapeOptions", {"out_type": 2})


def rank_of(node: DirectNode) -> None:
    """RANK."""
    node.builtins.graph.operator("RANK", [node.x()], [node.y()], "RankOptions")


def gather(node: DirectNode) -> None:
    """GATHER along a constant axis."""
    x = node.x()
    axis = normalized(node.ints(2, "the axis")[0] if node.has(2) else 0, x.rank)
    node.move("GATHER", [x, _inside(node, x, axis, axis + 1)], "GatherOptions", axis=axis)


def gather_nd(node: DirectNode) -> None:
    """GATHER_ND."""
    x, depth = node.x(), node.x(1).shape[-1]
    node.wanted(depth != OPEN, RejectCode.SHAPE, "the number of coordinates of a place must be known")
    node.move("GATHER_ND", [x, _inside(node, x, 0, depth)], "GatherNdOptions")


def scatter_nd(node: DirectNode) -> None:
    """SCATTER_ND of the dimensions that are given, at places of a TensorFlow Lite file."""
    node.wanted(node.scope.purpose.is_tflite, RejectCode.NOT_CONSTANT, "places from the end are found beforehand")
    rows = node.builtins.cast(node.x(1), "int32")
    node.plain_write("SCATTER_ND", [rows, node.x(2), _whole(node, 0)], "ScatterNdOptions")


def sparse_to_dense(node: DirectNode) -> None:
    """SPARSE_TO_DENSE of the dimensions that are given, at places of a TensorFlow Lite file."""
    node.wanted(_as_in_its_file(node, 4), RejectCode.NOT_CONSTANT, "places are inside of the shape, each once")
    node.plain_write("SPARSE_TO_DENSE", [_whole(node, 0), _whole(node, 1), node.x(2), node.x(3)])


def one_hot(node: DirectNode) -> None:
    """ONE_HOT of the depth that is given, at places of a TensorFlow Lite file."""
    node.wanted(_as_in_its_file(node, 4), RejectCode.NOT_CONSTANT, "places from the end are found beforehand")
    depth = node.builtins.reshape(_whole(node, 1), ())
    operands = [_whole(node, 0), depth, node.x(2), node.x(3)]
    node.plain_write("ONE_HOT", operands, "OneHotOptions", axis=node.attribute("axis"))


def reduce(node: DirectNode) -> None:
    """The reduction of the mode over the axes that are given."""
    if node.has(1) and node.source(1).is_const:
        known_reduce(node)
        return
    kind, scale = KINDS.get(node.attribute("mode")), node.attribute("coeff")
    plain = kind is not None and node.has(1) and not node.is_quantized and not node.attribute("reduce_to_end")
    plain = plain and scale in (0.0, 1.0) and (kind != "MEAN" or node.x().dtype == "float32")
    node.wanted(plain, RejectCode.ATTRIBUTE, "a builtin reduction of plain numbers over computed axes")
    keeps = bool(node.attribute("keep_dims"))
    node.write(kind or "", [node.x(), _whole(node, 1)], "ReducerOptions", keep_dims=keeps)


def transpose(node: DirectNode) -> None:
    """TRANSPOSE by the order that is given."""
    if node.source(1).is_const:
        known_transpose(node)
    else:
        node.move("TRANSPOSE", [node.x(), _whole(node, 1)], "TransposeOptions")


def expand_dims(node: DirectNode) -> None:
    """EXPAND_DIMS along the axis that is given."""
    node.move("EXPAND_DIMS", [node.x(), node.builtins.reshape(_whole(node, 1), ())], "ExpandDimsOptions")


def blocks(kind: str) -> Direct:
    """A writer of an operator on blocks whose sizes and borders are given."""

    def write(node: DirectNode) -> None:
        node.wanted(_as_in_its_file(node, 3), RejectCode.NOT_CONSTANT, "sizes of blocks, and borders, are constant")
        node.move(kind, [node.x(), _whole(node, 1), _whole(node, 2)])

    write.__doc__ = f"{kind} of the blocks that are given."
    return write


def resize(node: DirectNode) -> None:
    """RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR to the size that a TensorFlow Lite file gives."""
    how, method = node.attribute("coordinate_transform_mode"), node.attribute("method").name
    kinds = {"LINEAR": ("RESIZE_BILINEAR", "ResizeBilinearOptions")}
    kinds["NEAREST"] = ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")
    known = method in kinds and _as_in_its_file(node, 2)
    node.wanted(known, RejectCode.NOT_CONSTANT, "the size must be constant", f"'{node.source(1).name}' is not")
    kind, table = kinds[method]
    flags = {
        "align_corners": how == CoordinateTransformMode.ALIGN_CORNERS,
        "half_pixel_centers": how == CoordinateTransformMode.HALF_PIXEL,
    }
    node.move(kind, [node.x(), _whole(node, 1)], table, **flags)


def drawn(kind: str) -> Direct:
    """A writer of an operator that draws random numbers of dimensions that are given."""

    def write(node: DirectNode) -> None:
        node.wanted(node.y_dtype == "float32", RejectCode.DTYPE, "float32 is drawn", f"is {node.y_dtype}")
        seeds = {"seed": node.attribute("seed"), "seed2": node.attribute("seed2")}
        node.builtins.graph.operator(kind, [_whole(node, 0)], [node.y()], "RandomOptions", seeds)

    write.__doc__ = f"{kind}."
    return write


def top_k(node: DirectNode) -> None:
    """TOPK_V2 along the last dimension."""
    x, axis = node.x(), node.attribute("axis")
    last = normalized(axis, x.rank) == x.rank - 1 and node.attribute("largest") == 1
    node.wanted(last, RejectCode.ATTRIBUTE, "the largest along the last dimension", f"along {axis}")
    node.one_meaning_of_first()
    node.parts("TOPK_V2", [x, node.builtins.reshape(_whole(node, 1), ())], "TopKV2Options")


def pad(node: DirectNode) -> None:
    """PAD with zeros by the widths that are given."""
    x, mode = node.x(), node.attribute("padding_mode").name
    plain = mode == "CONSTANT" and not node.has(2) and node.attribute("constant_value") == 0
    node.wanted(plain and x.rank <= 5, RejectCode.ATTRIBUTE, "a border of zeros of up to 5 dimensions", f"is {mode}")
    node.move("PAD", [x, node.builtins.reshape(_whole(node, 1), (x.rank, 2))], "PadOptions")


def _as_in_its_file(node: DirectNode, count: int) -> bool:
    """Whether a kernel has so many operands, with the meaning that they have in a TensorFlow Lite file."""
    return node.scope.purpose.is_tflite and len(node.kernel.operands) == count


def _whole(node: DirectNode, position: int) -> TfliteTensor:
    """An operand of integers as int32."""
    return node.builtins.cast(node.x(position), "int32")


def _inside(node: DirectNode, x: TfliteTensor, first: int, end: int) -> TfliteTensor:
    """Places that LiteRT's kernels take: those from the end are counted from the beginning.

    Args:
        node: whose operand 1 has the places.
        x: to pick from.
        first, end: the dimensions that the places are in.
    """
    tensor, places = node.source(1), _whole(node, 1)
    if node.scope.purpose.is_tflite or (tensor.is_const and bool((tensor.data >= 0).all())):
        return places
    sizes = _sizes(node, x, first, end)
    return node.builtins.op("FLOOR_MOD", [places, sizes], places.shape, None, "FloorModOptions")


def _sizes(node: DirectNode, x: TfliteTensor, first: int, end: int) -> TfliteTensor:
    """Dimensions of a tensor as a vector."""
    dims: Sequence[int] = x.shape[first:end]
    if OPEN not in dims:
        return node.builtins.ints(dims)
    whole = node.builtins.tensor("int32", (x.rank,))
    node.builtins.graph.operator("SHAPE", [x], [whole], "ShapeOptions", {"out_type": 2})
    operands = [whole, node.builtins.ints([first]), node.builtins.ints([end - first])]
    return node.builtins.op("SLICE", operands, (end - first,), None, "SliceOptions")


WRITERS: dict[str, Direct] = {
    "BatchToSpaceND": blocks("BATCH_TO_SPACE_ND"),
    "BroadcastTo": broadcast_to,
    "ExpandDims": expand_dims,
    "Fill": fill,
    "Flatten": reshape,
    "Gather": gather,
    "GatherNd": gather_nd,
    "OneHot": one_hot,
    "PadFusion": pad,
    "RandomStandardNormal": drawn("RANDOM_STANDARD_NORMAL"),
    "Range": range_between,
    "Rank": rank_of,
    "ReduceFusion": reduce,
    "Reshape": reshape,
    "Resize": resize,
    "ScatterNd": scatter_nd,
    "Shape": shape_of,
    "SliceFusion": slice_fusion,
    "SpaceToBatchND": blocks("SPACE_TO_BATCH_ND"),
    "SparseToDense": sparse_to_dense,
    "Squeeze": squeeze,
    "StridedSlice": strided_slice,
    "TileFusion": tile,
    "TopKFusion": top_k,
    "Transpose": transpose,
    "UniformReal": drawn("RANDOM_UNIFORM"),
    "Unsqueeze": unsqueeze,
}
"""Writers of this file by our names of operators."""
_ON_ELEMENTS = of_pattern(ElementPattern.UNARY) | {
    *("AddFusion", "SubFusion", "MulFusion", "DivFusion", "Maximum", "Minimum", "SquaredDifference", "PowFusion"),
    *("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr"),
    *("FloorDiv", "FloorMod", "Where", "Depend"),
}
FOLLOWING = _ON_ELEMENTS | {
    *("ArgMaxFusion", "ArgMinFusion", "Concat", "CumSum", "FullConnection", "LogSoftmax", "MatMulFusion"),
    *("NonZero", "ReverseV2", "Softmax", "Stack", "Unique"),
}
"""Operators whose usual form looks at no dimension that may be open."""
ANY_RANK = _ON_ELEMENTS | {"Shape", "Rank", "Reshape"}
"""Operators whose form does not look at the number of dimensions of an operand either."""
