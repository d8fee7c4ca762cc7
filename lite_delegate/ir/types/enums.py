"""The schema's enums: values of attributes (``PadMode.SAME``), quantization kinds."""

from .._generated.enums import (
    ActivationType,
    CoordinateTransformMode,
    EltwiseMode,
    LshProjectionType,
    NearestMode,
    PaddingMode,
    PadMode,
    PoolMode,
    QuantType,
    ReduceMode,
    Reduction,
    ResizeMethod,
    RoundMode,
    WeightQuantCompressType,
)

__all__ = [
    "ActivationType",
    "CoordinateTransformMode",
    "EltwiseMode",
    "LshProjectionType",
    "NearestMode",
    "PadMode",
    "PaddingMode",
    "PoolMode",
    "QuantType",
    "ReduceMode",
    "Reduction",
    "ResizeMethod",
    "RoundMode",
    "WeightQuantCompressType",
]
