"""The table of lowerings: the function that lowers each operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from ...basics.deferred import by_family
from ...delegate import Kernel
from .lowering import Lowering
from .term import Lowered

Lower: TypeAlias = Callable[[Kernel, Lowering], Lowered | Sequence[Lowered]]

FAMILIES: dict[str, tuple[str, ...]] = {
    "activations": ("Activation", "Elu", "LeakyRelu"),
    "adders": ("AdderFusion",),
    "attention": ("Attention",),
    "blocks": ("BatchToSpace", "BatchToSpaceND", "DepthToSpace", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth"),
    "borders": ("BroadcastTo", "PadFusion", "TileFusion"),
    "channels": ("BatchNorm", "BiasAdd", "FusedBatchNorm", "LRN", "PReLUFusion", "ScaleFusion"),
    "crops": ("CropAndResize",),
    "division": ("FloorDiv", "FloorMod", "Mod"),
    "fake_quantization": ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"),
    "filling": (
        "ConstantOfShape",
        "Fill",
        "FillV2",
        "LinSpace",
        "OnesLike",
        "Range",
        "Rank",
        "Shape",
        "Size",
        "ZerosLike",
    ),
    "frames": ("Affine", "GLU", "ReverseSequence", "Splice", "Tril", "Triu"),
    "grids": ("ai.onnx.AffineGrid",),
    "indexing": ("EmbeddingLookupFusion", "Gather", "GatherD", "GatherNd", "OneHot"),
    "integer_products": ("ai.onnx.ConvInteger", "ai.onnx.DynamicQuantizeLinear", "ai.onnx.MatMulInteger"),
    "layer_norm": ("LayerNormFusion",),
    "movement": (
        "Concat",
        "Crop",
        "Depend",
        "Dropout",
        "ExpandDims",
        "Flatten",
        "FormatTranspose",
        "Reshape",
        "ReverseV2",
        "SliceFusion",
        "Split",
        "SplitWithOverlap",
        "Squeeze",
        "Stack",
        "StridedSlice",
        "Transpose",
        "Unsqueeze",
        "Unstack",
    ),
    "narrowing": ("ai.onnx.Cast",),
    "normalizing": ("GroupNormFusion", "InstanceNorm", "L2NormalizeFusion", "LpNormalization"),
    "onnx_operators": (
        "ai.onnx.Acos",
        "ai.onnx.Asin",
        "ai.onnx.Atan",
        "ai.onnx.Col2Im",
        "ai.onnx.Conv",
        "ai.onnx.ConvTranspose",
        "ai.onnx.DeformConv",
        "ai.onnx.Det",
        "ai.onnx.Einsum",
        "ai.onnx.GridSample",
        "ai.onnx.Reshape",
        "ai.onnx.RoiAlign",
    ),
    "ordering": ("ArgMaxFusion", "ArgMinFusion", "CumSum", "TopKFusion"),
    "pairs": ("tflite.ATAN2", "tflite.BITWISE_XOR", "tflite.RIGHT_SHIFT"),
    "priors": ("PriorBox",),
    "products": ("FullConnection", "MatMulFusion"),
    "quantization": ("QuantDTypeCast",),
    "recurrent": ("GRU", "LSTM", "ai.onnx.GRU", "ai.onnx.LSTM", "ai.onnx.RNN"),
    "reductions": ("All", "LogSoftmax", "ReduceFusion", "Softmax"),
    "resizing": ("Resize",),
    "running": ("ai.onnx.CumProd",),
    "scattering": (
        "InvertPermutation",
        "ScatterElements",
        "ScatterNd",
        "ScatterNdUpdate",
        "SparseToDense",
        "TensorScatterAdd",
        "ai.onnx.ScatterElements",
        "ai.onnx.ScatterND",
    ),
    "segments": (
        "SparseSegmentSum",
        "UnsortedSegmentSum",
        "tflite.UNSORTED_SEGMENT_MAX",
        "tflite.UNSORTED_SEGMENT_MIN",
        "tflite.UNSORTED_SEGMENT_PROD",
    ),
    "sparse": ("SparseReshape",),
    "training": ("ai.onnx.BatchNormalization",),
    "unpooling": ("ai.onnx.MaxUnpool",),
    "sounds": ("AudioSpectrogram", "Mfcc"),
    "spectra": ("FftImag", "FftReal", "Rfft", "ai.onnx.DFT", "ai.onnx.STFT"),
    "volumes": ("tflite.CONV_3D",),
    "windows": ("AvgPoolFusion", "Conv2DFusion", "Conv2dTransposeFusion", "MaxPoolFusion"),
}
"""The operators of each family's file, by their names in the schema; others are in ``elementwise``. A family
is imported when a model has an operator of it."""
_family_of = by_family(f"{__package__}.families", FAMILIES, "elementwise")


@cache
def lowering_of(op_type: str) -> Lower | None:
    """The function that lowers an operator, by its name in the schema; None without one."""
    found: Lower | None = _family_of(op_type).LOWERINGS.get(op_type)
    return found
