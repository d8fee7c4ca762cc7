"""ONNX operators that have no counterpart, and why."""

from __future__ import annotations

_NO_OPERATOR = "no such operator in the .ms format"
_BITS = "the .ms format has no operator on bits"
_CONTROL = "control flow runs subgraphs, which is the runtime's work and no kernel's"
_TYPES = "works on sequences, optionals or strings, which kernels do not have"
_RANDOM = "random numbers of another generator"
_TRAINING = "training"

UNMAPPED: dict[str, str] = {
    "Acos": _NO_OPERATOR,
    "AffineGrid": "its function body has an If: " + _CONTROL,
    "Asin": _NO_OPERATOR,
    "Atan": _NO_OPERATOR,
    "Bernoulli": _RANDOM,
    "BitCast": _BITS,
    "BitShift": _BITS,
    "BitwiseAnd": _BITS,
    "BitwiseNot": _BITS,
    "BitwiseOr": _BITS,
    "BitwiseXor": _BITS,
    "Col2Im": _NO_OPERATOR,
    "Constant": "a value, no computation",
    "CumProd": _NO_OPERATOR,
    "DeformConv": _NO_OPERATOR,
    "Det": _NO_OPERATOR,
    "Einsum": _NO_OPERATOR,
    "GridSample": _NO_OPERATOR,
    "If": _CONTROL,
    "ImageDecoder": _NO_OPERATOR,
    "LinearAttention": "its function body is a Scan: " + _CONTROL,
    "Loop": _CONTROL,
    "MaxUnpool": _NO_OPERATOR,
    "MelWeightMatrix": _NO_OPERATOR,
    "OptionalGetElement": _TYPES,
    "OptionalHasElement": _TYPES,
    "RNN": _NO_OPERATOR,
    "RandomUniformLike": _RANDOM,
    "RegexFullMatch": _TYPES,
    "RoiAlign": "averages interpolated samples, where ROIPooling takes the maximum of pixels",
    "STFT": _NO_OPERATOR,
    "Scan": _CONTROL,
    "SequenceAt": _TYPES,
    "SequenceEmpty": _TYPES,
    "SequenceInsert": _TYPES,
    "SequenceLength": _TYPES,
    "SequenceMap": _TYPES,
    "SplitToSequence": _TYPES,
    "StringConcat": _TYPES,
    "StringNormalizer": _TYPES,
    "StringSplit": _TYPES,
    "TensorScatter": _NO_OPERATOR,
    "TfIdfVectorizer": _NO_OPERATOR,
    "ai.onnx.ml.ArrayFeatureExtractor": _NO_OPERATOR,
    "ai.onnx.ml.Binarizer": _NO_OPERATOR,
    "ai.onnx.ml.LabelEncoder": _NO_OPERATOR,
    "ai.onnx.ml.TreeEnsemble": _NO_OPERATOR,
    "ai.onnx.preview.training.Adagrad": _TRAINING,
    "ai.onnx.preview.training.Adam": _TRAINING,
    "ai.onnx.preview.training.Momentum": _TRAINING,
}
