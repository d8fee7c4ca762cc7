"""The table of direct forms: the function that writes each operator as builtin operators of its own kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from ...basics.deferred import by_family
from .node import DirectNode

Direct: TypeAlias = Callable[[DirectNode], None]

FAMILIES: dict[str, tuple[str, ...]] = {
    "activations": ("Activation", "Elu", "LeakyRelu", "LogSoftmax", "PReLUFusion", "Softmax"),
    "dense": ("FullConnection", "MatMulFusion"),
    "image": ("L2NormalizeFusion", "LRN", "Resize"),
    "indexing": (
        "Fill",
        "Gather",
        "GatherNd",
        "OneHot",
        "RandomStandardNormal",
        "ScatterNd",
        "SparseToDense",
        "UniformReal",
        "ZerosLike",
    ),
    "movement": (
        "BroadcastTo",
        "Concat",
        "Depend",
        "ExpandDims",
        "Flatten",
        "Reshape",
        "Squeeze",
        "Stack",
        "TileFusion",
        "Transpose",
        "Unsqueeze",
    ),
    "named": ("DetectionPostProcess", "tflite.ATAN2", "tflite.BITWISE_XOR", "tflite.CONV_3D", "tflite.RIGHT_SHIFT"),
    "quantization": ("FakeQuantWithMinMaxVars", "QuantDTypeCast"),
    "reduction": (
        "ArgMaxFusion",
        "ArgMinFusion",
        "CumSum",
        "ReduceFusion",
        "TopKFusion",
        "UnsortedSegmentSum",
        "tflite.UNSORTED_SEGMENT_MAX",
        "tflite.UNSORTED_SEGMENT_MIN",
        "tflite.UNSORTED_SEGMENT_PROD",
    ),
    "slicing": (
        "BatchToSpace",
        "BatchToSpaceND",
        "DepthToSpace",
        "PadFusion",
        "ReverseSequence",
        "ReverseV2",
        "SliceFusion",
        "SpaceToBatch",
        "SpaceToBatchND",
        "SpaceToDepth",
        "Split",
        "StridedSlice",
        "Unstack",
    ),
    "windows": ("AvgPoolFusion", "Conv2DFusion", "Conv2dTransposeFusion", "MaxPoolFusion"),
}
"""The operators of each family's file; others are in ``elementwise``."""
_family_of = by_family(f"{__package__}.direct", FAMILIES, "elementwise")


def all_direct() -> dict[str, Direct]:
    """The functions of all operators with a form of their own, by the operators' names."""
    modules = [_family_of(names[0]) for names in FAMILIES.values()]
    found = {op: write for module in (*modules, _family_of("AddFusion")) for op, write in module.WRITERS.items()}
    return dict(sorted(found.items()))


@cache
def direct_of(op_type: str) -> Direct | None:
    """The function that writes an operator in its own form, by its name in the schema; None without one."""
    found: Direct | None = _family_of(op_type).WRITERS.get(op_type)
    return found
