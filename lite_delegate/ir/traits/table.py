"""The traits of all operators, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from .record import Effect, ElementPattern, Traits

UNARY, BROADCAST, CHOICE, ALIKE = (
    ElementPattern.UNARY,
    ElementPattern.BROADCAST,
    ElementPattern.CHOICE,
    ElementPattern.ALIKE,
)
CHANNELS, VIEW, TRANSPOSE = ElementPattern.CHANNELS, ElementPattern.VIEW, ElementPattern.TRANSPOSE
PLACES, SHAPE, OTHER = ElementPattern.PLACES, ElementPattern.SHAPE, ElementPattern.OTHER

_TABLE = {
    "Abs": Traits(UNARY, exact=True),
    "Activation": Traits(UNARY),
    "AddFusion": Traits(BROADCAST, exact=True),
    "AddN": Traits(ALIKE),
    "AdderFusion": Traits(OTHER),
    "Affine": Traits(OTHER),
    "All": Traits(OTHER, exact=True),
    "AllGather": Traits(OTHER, exact=True, effect=Effect.ACTS),
    "ArgMaxFusion": Traits(OTHER, exact=True, along_axis=True),
    "ArgMinFusion": Traits(OTHER, exact=True, along_axis=True),
    "Assert": Traits(OTHER, exact=True, effect=Effect.ACTS),
    "Assign": Traits(OTHER, effect=Effect.ASSIGNS),
    "AssignAdd": Traits(OTHER, effect=Effect.ASSIGNS),
    "Attention": Traits(OTHER),
    "AudioSpectrogram": Traits(OTHER),
    "AvgPoolFusion": Traits(OTHER),
    "BatchNorm": Traits(CHANNELS),
    "BatchToSpace": Traits(PLACES),
    "BatchToSpaceND": Traits(PLACES),
    "BiasAdd": Traits(CHANNELS),
    "BroadcastTo": Traits(PLACES),
    "Call": Traits(OTHER, effect=Effect.ACTS),
    "Cast": Traits(UNARY, exact=True),
    "Ceil": Traits(UNARY, exact=True),
    "Clip": Traits(UNARY, exact=True),
    "Concat": Traits(PLACES, along_axis=True),
    "ConstantOfShape": Traits(OTHER, exact=True),
    "Conv2DFusion": Traits(OTHER, weight_axis=0),
    "Conv2dTransposeFusion": Traits(OTHER, weight_axis=-1),
    "Cos": Traits(UNARY, functions=7.0),
    "Crop": Traits(PLACES),
    "CropAndResize": Traits(OTHER),
    "CumSum": Traits(OTHER),
    "Custom": Traits(OTHER, effect=Effect.ACTS),
    "CustomExtractFeatures": Traits(OTHER),
    "CustomNormalize": Traits(OTHER),
    "CustomPredict": Traits(OTHER),
    "Depend": Traits(OTHER, exact=True, effect=Effect.ACTS),
    "DepthToSpace": Traits(PLACES),
    "DetectionPostProcess": Traits(OTHER),
    "DivFusion": Traits(BROADCAST, exact=True),
    "Dropout": Traits(UNARY, exact=True),
    "DynamicQuant": Traits(OTHER),
    "Eltwise": Traits(BROADCAST, exact=True),
    "Elu": Traits(UNARY, functions=12.0),
    "EmbeddingLookupFusion": Traits(OTHER),
    "Equal": Traits(BROADCAST, exact=True),
    "Erf": Traits(UNARY, functions=20.0),
    "ExpFusion": Traits(UNARY, functions=5.0),
    "ExpandDims": Traits(VIEW),
    "FakeQuantWithMinMaxVars": Traits(UNARY),
    "FakeQuantWithMinMaxVarsPerChannel": Traits(CHANNELS),
    "FftImag": Traits(OTHER, exact=True),
    "FftReal": Traits(OTHER, exact=True),
    "Fill": Traits(OTHER, exact=True),
    "FillV2": Traits(OTHER, exact=True),
    "Flatten": Traits(VIEW),
    "Floor": Traits(UNARY, exact=True),
    "FloorDiv": Traits(BROADCAST, exact=True, functions=3.0),
    "FloorMod": Traits(BROADCAST, exact=True, functions=60.0),
    "FormatTranspose": Traits(PLACES),
    "FullConnection": Traits(OTHER, weight_axis=0),
    "FusedBatchNorm": Traits(CHANNELS, functions=5.0),
    "GLU": Traits(OTHER, along_axis=True),
    "GRU": Traits(OTHER),
    "Gather": Traits(PLACES),
    "GatherD": Traits(PLACES),
    "GatherNd": Traits(PLACES),
    "Greater": Traits(BROADCAST, exact=True),
    "GreaterEqual": Traits(BROADCAST, exact=True),
    "GroupNormFusion": Traits(OTHER, functions=13.0),
    "HashtableLookup": Traits(OTHER, exact=True),
    "InstanceNorm": Traits(OTHER, functions=13.0),
    "InvertPermutation": Traits(OTHER, exact=True),
    "IsFinite": Traits(UNARY, exact=True),
    "L2NormalizeFusion": Traits(OTHER, along_axis=True, functions=6.0),
    "LRN": Traits(OTHER, functions=30.0),
    "LSTM": Traits(OTHER),
    "LayerNormFusion": Traits(OTHER, functions=13.0),
    "LeakyRelu": Traits(UNARY, functions=8.0),
    "Less": Traits(BROADCAST, exact=True),
    "LessEqual": Traits(BROADCAST, exact=True),
    "LinSpace": Traits(OTHER),
    "Log": Traits(UNARY, functions=5.0),
    "Log1p": Traits(UNARY, functions=5.0),
    "LogSoftmax": Traits(OTHER, along_axis=True, functions=14.0),
    "LogicalAnd": Traits(BROADCAST, exact=True),
    "LogicalNot": Traits(UNARY, exact=True),
    "LogicalOr": Traits(BROADCAST, exact=True),
    "LpNormalization": Traits(OTHER, along_axis=True, functions=6.0),
    "LshProjection": Traits(OTHER),
    "MatMulFusion": Traits(OTHER, weight_axis=-1),
    "MaxPoolFusion": Traits(OTHER, exact=True),
    "Maximum": Traits(BROADCAST, exact=True),
    "Mfcc": Traits(OTHER),
    "Minimum": Traits(BROADCAST, exact=True),
    "Mod": Traits(BROADCAST, exact=True, functions=80.0),
    "MulFusion": Traits(BROADCAST, exact=True),
    "Neg": Traits(UNARY, exact=True),
    "NonMaxSuppression": Traits(OTHER),
    "NonZero": Traits(OTHER, exact=True),
    "NotEqual": Traits(BROADCAST, exact=True),
    "OneHot": Traits(OTHER, exact=True),
    "OnesLike": Traits(UNARY, exact=True),
    "PReLUFusion": Traits(CHANNELS),
    "PadFusion": Traits(PLACES),
    "PowFusion": Traits(BROADCAST, functions=10.0),
    "PriorBox": Traits(OTHER),
    "QuantDTypeCast": Traits(UNARY),
    "ROIPooling": Traits(OTHER, exact=True),
    "RaggedRange": Traits(OTHER),
    "RandomNormal": Traits(OTHER, effect=Effect.RANDOM),
    "RandomStandardNormal": Traits(OTHER, effect=Effect.RANDOM),
    "Range": Traits(OTHER),
    "Rank": Traits(SHAPE),
    "RealDiv": Traits(BROADCAST, exact=True),
    "Reciprocal": Traits(UNARY, exact=True),
    "ReduceFusion": Traits(OTHER),
    "ReduceScatter": Traits(OTHER, effect=Effect.ACTS),
    "Reshape": Traits(VIEW),
    "Resize": Traits(OTHER, functions=8.0),
    "ReverseSequence": Traits(PLACES),
    "ReverseV2": Traits(PLACES, along_axis=True),
    "Rfft": Traits(OTHER),
    "Round": Traits(UNARY, exact=True),
    "Rsqrt": Traits(UNARY, functions=2.0),
    "ScaleFusion": Traits(OTHER),
    "ScatterElements": Traits(OTHER),
    "ScatterNd": Traits(OTHER),
    "ScatterNdUpdate": Traits(OTHER, exact=True),
    "Select": Traits(ALIKE, exact=True),
    "Shape": Traits(SHAPE),
    "Sin": Traits(UNARY, functions=7.0),
    "Size": Traits(SHAPE),
    "SkipGram": Traits(OTHER, exact=True),
    "SliceFusion": Traits(PLACES),
    "Softmax": Traits(OTHER, along_axis=True, functions=14.0),
    "SpaceToBatch": Traits(PLACES),
    "SpaceToBatchND": Traits(PLACES),
    "SpaceToDepth": Traits(PLACES),
    "SparseFillEmptyRows": Traits(OTHER, exact=True),
    "SparseReshape": Traits(OTHER, exact=True),
    "SparseSegmentSum": Traits(OTHER),
    "SparseToDense": Traits(OTHER, exact=True),
    "Splice": Traits(PLACES),
    "Split": Traits(PLACES, along_axis=True),
    "SplitWithOverlap": Traits(PLACES),
    "Sqrt": Traits(UNARY, exact=True),
    "Square": Traits(UNARY, exact=True),
    "SquaredDifference": Traits(BROADCAST, functions=4.0),
    "Squeeze": Traits(VIEW),
    "Stack": Traits(PLACES),
    "StridedSlice": Traits(PLACES),
    "SubFusion": Traits(BROADCAST, exact=True),
    "TensorArrayWrite": Traits(OTHER, effect=Effect.ACTS),
    "TensorScatterAdd": Traits(OTHER),
    "TileFusion": Traits(PLACES),
    "TopKFusion": Traits(OTHER, exact=True),
    "Transpose": Traits(TRANSPOSE),
    "Tril": Traits(PLACES),
    "Triu": Traits(PLACES),
    "UniformReal": Traits(OTHER, effect=Effect.RANDOM),
    "Unique": Traits(OTHER, exact=True),
    "UnsortedSegmentSum": Traits(OTHER),
    "Unsqueeze": Traits(VIEW),
    "Unstack": Traits(PLACES, along_axis=True),
    "Where": Traits(CHOICE, exact=True),
    "ZerosLike": Traits(UNARY, exact=True),
    "ai.onnx.Acos": Traits(UNARY),
    "ai.onnx.Asin": Traits(UNARY),
    "ai.onnx.Atan": Traits(UNARY),
    "ai.onnx.Cast": Traits(UNARY, exact=True),
    "tflite.ATAN2": Traits(BROADCAST),
    "tflite.BITWISE_XOR": Traits(BROADCAST, exact=True),
    "tflite.RIGHT_SHIFT": Traits(BROADCAST, exact=True),
}
TRAITS: Mapping[str, Traits] = MappingProxyType(_TABLE)
"""By the schema's name of the operator, or the type of a Custom node; see ``Traits``."""
UNKNOWN = Traits(OTHER)
"""The traits of operators without a row: operators of devices and of users."""


def traits_of(op_type: str) -> Traits:
    """The traits of an operator; of one that has no row, no fact is known."""
    return TRAITS.get(op_type, UNKNOWN)


def operators_with(holds: Callable[[Traits], bool]) -> frozenset[str]:
    """The operators whose traits satisfy a condition."""
    return frozenset(name for name, traits in TRAITS.items() if holds(traits))


def of_pattern(*patterns: ElementPattern) -> frozenset[str]:
    """The operators of these patterns."""
    return operators_with(lambda traits: traits.pattern in patterns)


ASSIGNMENTS = operators_with(lambda traits: traits.effect is Effect.ASSIGNS)
"""Operators that change their first input."""
RANDOM = operators_with(lambda traits: traits.effect is Effect.RANDOM)
"""Operators that may give something else each time."""
SIDE_EFFECTS = operators_with(lambda traits: traits.has_effect)
"""Operators whose nodes stay whoever reads their results."""
ALONG_AXIS = operators_with(lambda traits: traits.along_axis)
"""Operators that compute together what lies along the axes of the attribute ``axis``."""
VIEWS = of_pattern(VIEW)
"""Operators whose output has the elements of the input in the same order."""
REARRANGING = of_pattern(VIEW, TRANSPOSE)
"""Operators that give all elements of one array, in another shape or order of axes; further inputs say which."""
