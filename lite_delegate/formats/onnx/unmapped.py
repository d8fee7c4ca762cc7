"""ONNX operators that have no counterpart and become Custom nodes, and why."""

from __future__ import annotations

_NO_OPERATOR = "there is no such operator in the .ms format"
_BITS = "the .ms format has no operator that reads bits as another type"
_TYPES = "works on sequences, optionals or strings, which kernels do not have"
_RANDOM = "random numbers of another generator"
_TRAINING = "training"

UNMAPPED: dict[str, str] = {
    "Acos": _NO_OPERATOR,
    "Asin": _NO_OPERATOR,
    "Atan": _NO_OPERATOR,
    "Bernoulli": _RANDOM,
    "BitCast": _BITS,
    "DeformConv": _NO_OPERATOR,
    "Det": _NO_OPERATOR,
    "GridSample": _NO_OPERATOR,
    "ImageDecoder": _NO_OPERATOR,
    "RandomNormal": _RANDOM,
    "RandomNormalLike": _RANDOM,
    "RandomUniform": _RANDOM,
    "RandomUniformLike": _RANDOM,
    "Multinomial": _RANDOM,
}
