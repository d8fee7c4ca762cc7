"""The table of imported operators, and their converters."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...basics.deferred import by_family
from ..rejection import NotConvertible, Why
from .operators import qualified
from .unmapped import UNMAPPED

if TYPE_CHECKING:
    import onnx

    from .conversion import Converter

FAMILIES: dict[str, tuple[str, ...]] = {
    "activation": (
        "Celu",
        "Elu",
        "Gelu",
        "HardSigmoid",
        "HardSwish",
        "LeakyRelu",
        "Mish",
        "PRelu",
        "Relu",
        "Selu",
        "Shrink",
        "Sigmoid",
        "Softplus",
        "Softsign",
        "SwiGLU",
        "Swish",
        "Tanh",
        "ThresholdedRelu",
    ),
    "bits": ("BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"),
    "conditional": ("If",),
    "contrib_activation": (
        "com.microsoft.BiasGelu",
        "com.microsoft.FastGelu",
        "com.microsoft.Gelu",
        "com.microsoft.QuickGelu",
    ),
    "contrib_quantization": (
        "com.microsoft.QGemm",
        "com.microsoft.QLinearAdd",
        "com.microsoft.QLinearConcat",
        "com.microsoft.QLinearGlobalAveragePool",
        "com.microsoft.QLinearLeakyRelu",
        "com.microsoft.QLinearMul",
        "com.microsoft.QLinearSigmoid",
        "com.microsoft.QLinearSoftmax",
    ),
    "contrib_recurrent": ("com.microsoft.DynamicQuantizeLSTM",),
    "convolution": ("Conv", "ConvTranspose"),
    "dense": ("Gemm", "MatMul"),
    "einsum": ("Einsum",),
    "image": ("DepthToSpace", "LRN", "MaxUnpool", "SpaceToDepth"),
    "indexing": (
        "Compress",
        "CumProd",
        "CumSum",
        "EyeLike",
        "Gather",
        "GatherElements",
        "GatherND",
        "OneHot",
        "Scatter",
        "ScatterElements",
        "ScatterND",
        "TensorScatter",
    ),
    "loop": ("Loop", "Scan"),
    "movement": (
        "Concat",
        "Constant",
        "ConstantOfShape",
        "Dropout",
        "Expand",
        "Flatten",
        "Range",
        "Reshape",
        "ReverseSequence",
        "Shape",
        "Size",
        "Slice",
        "Split",
        "Squeeze",
        "Tile",
        "Transpose",
        "Trilu",
        "Unsqueeze",
    ),
    "normalization": (
        "BatchNormalization",
        "GroupNormalization",
        "Hardmax",
        "InstanceNormalization",
        "LayerNormalization",
        "LogSoftmax",
        "LpNormalization",
        "Softmax",
    ),
    "padding": ("CenterCropPad", "Pad"),
    "pooling": ("AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool", "MaxPool"),
    "quantization": (
        "ConvInteger",
        "DequantizeLinear",
        "DynamicQuantizeLinear",
        "MatMulInteger",
        "QLinearConv",
        "QLinearMatMul",
        "QuantizeLinear",
    ),
    "recurrent": ("GRU", "LSTM", "RNN"),
    "reduction": (
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSum",
        "ReduceLogSumExp",
        "ReduceMax",
        "ReduceMean",
        "ReduceMin",
        "ReduceProd",
        "ReduceSum",
        "ReduceSumSquare",
    ),
    "resize": ("Resize", "Upsample"),
    "search": ("ArgMax", "ArgMin", "NonMaxSuppression", "NonZero", "TopK", "Unique"),
    "sequence": (
        "ConcatFromSequence",
        "Optional",
        "OptionalGetElement",
        "OptionalHasElement",
        "SequenceAt",
        "SequenceConstruct",
        "SequenceEmpty",
        "SequenceErase",
        "SequenceInsert",
        "SequenceLength",
        "SequenceMap",
        "SplitToSequence",
    ),
}
"""The family of each operator, whose name follows its domain where the domain is not ONNX's own; all other operators
are in ``elementwise``. A family is imported when a model has an operator of it."""
_family_of = by_family(f"{__package__}.converters", FAMILIES, "elementwise")

NO_COUNTERPART = "there is no such operator in the .ms format, and ONNX defines it by no function"


def converter_of(name: str) -> Converter | None:
    """The converter of an operator, None for an operator without a converter.

    Args:
        name: the name of the operator, with its domain in front where it is not ONNX's own domain.
    """
    found: Converter | None = _family_of(name).CONVERTERS.get(name)
    return found


def rejection(node: onnx.NodeProto) -> NotConvertible | None:
    """The reason that the operator cannot be imported whatever its attributes are; None if it may be."""
    name = qualified(node)
    if converter_of(name) is not None:
        return None
    if name in UNMAPPED:
        return NotConvertible(Why.OPERATOR, UNMAPPED[name])
    return None if name in _by_function() else NotConvertible(Why.OPERATOR, NO_COUNTERPART)


@functools.cache
def _by_function() -> frozenset[str]:
    """The operators that ONNX defines by a function body in some version."""
    import onnx

    names = set()
    # The type stub lacks the functions of a schema.
    schemas: Any = onnx.defs.get_all_schemas_with_history()
    for schema in schemas:
        if schema.has_function or schema.has_context_dependent_function:
            names.add(f"{schema.domain}.{schema.name}" if schema.domain else schema.name)
    return frozenset(names)
