"""The table of direct forms: the function that writes each operator as builtin operators of its own kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from ...basics.deferred import by_family
from ...delegate import Kernel
from ...ir.custom import TFLITE, custom_type
from ...semantics.operands import op_type_of
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
        "NonZero",
        "OneHot",
        "RandomStandardNormal",
        "ScatterNd",
        "SparseToDense",
        "UniformReal",
        "Unique",
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
    "text": (
        "CustomExtractFeatures",
        "CustomNormalize",
        "CustomPredict",
        "HashtableLookup",
        "LshProjection",
        "SkipGram",
    ),
    "windows": ("AvgPoolFusion", "Conv2DFusion", "Conv2dTransposeFusion", "MaxPoolFusion"),
}
"""The operators of each family's file; others are in ``elementwise``."""
_family_of = by_family(f"{__package__}.direct", FAMILIES, "elementwise")


def _direct(module: str) -> Any:
    """A module of direct forms, which import the type of this one."""
    return import_module(f"{__package__}.direct.{module}")


def _kept(name: str) -> Direct:
    found: Direct = getattr(_direct("kept"), name)
    return found


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


def open_form_of(op_type: str) -> Direct | None:
    """The function that writes an operator on tensors whose dimensions are known when the file runs."""
    forms = _direct("open_dims")
    found: Direct | None = forms.WRITERS.get(op_type)
    follows = op_type in forms.FOLLOWING or op_type in FAMILIES["text"]
    return direct_of(op_type) if found is None and follows else found


def takes_any_rank(op_type: str) -> bool:
    """Whether the form for open shapes takes operands of an unknown number of dimensions."""
    return op_type in _direct("open_dims").ANY_RANK


def kept_form_of(kernel: Kernel, *, is_tflite: bool) -> Direct | None:
    """The function that writes an operator of a TensorFlow Lite file as it was there; None for other kernels.

    Args:
        kernel: to write.
        is_tflite: whether the model comes from such a file, so that its custom operators are LiteRT's.
    """
    if op_type_of(kernel) != "Custom" or kernel.primitive is None:
        return None
    if custom_type(kernel.primitive).startswith(f"{TFLITE}."):
        return _kept("builtin")
    return _kept("custom") if is_tflite else None
