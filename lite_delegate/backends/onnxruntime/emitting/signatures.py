"""Signatures: operands and results of ONNX's operators that have one element type share a letter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...lowering import Dtype

FIXED = {
    "b": np.dtype(bool),
    "i": np.dtype(np.int64),
    "f": np.dtype(np.float32),
    "u": np.dtype(np.uint8),
    "n": np.dtype(np.int32),
}
"""Letters that stand for one element type; T and U stand for any, the same wherever the letter is."""
ONE = """
    Abs Neg Sqrt Floor Ceil Round Erf Log Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Reciprocal Exp
    Relu Sigmoid Tanh Softplus Softsign Sign HardSigmoid HardSwish Gelu LeakyRelu Elu Selu Identity Transpose
    MaxPool AveragePool GlobalAveragePool Softmax LogSoftmax LRN LpNormalization DepthToSpace SpaceToDepth
    BitwiseNot Concat Einsum
"""
TWO = "Add Sub Mul Div Max Min Mod PRelu MatMul BitShift BitwiseAnd BitwiseOr BitwiseXor GridSample"
COMPARED = "Equal Greater GreaterOrEqual Less LessOrEqual"
REDUCED = "ReduceMean ReduceMax ReduceMin ReduceProd ReduceSum ReduceSumSquare ReduceL1 ReduceL2"
SIGNATURES = {
    **dict.fromkeys(ONE.split(), "T>T"),
    **dict.fromkeys(TWO.split(), "TT>T"),
    **dict.fromkeys(COMPARED.split(), "TT>b"),
    **dict.fromkeys(REDUCED.split(), "Ti>T"),
    **dict.fromkeys(("And", "Or", "Xor"), "bb>b"),
    **dict.fromkeys(("Conv", "ConvTranspose", "Gemm", "LayerNormalization", "Clip"), "TTT>T"),
    **dict.fromkeys(("InstanceNormalization", "GroupNormalization"), "TTT>T"),
    **dict.fromkeys(("Reshape", "Expand", "Tile", "ReverseSequence", "GatherND"), "Ti>T"),
    **dict.fromkeys(("Gather", "GatherElements"), "TU>T"),
    **dict.fromkeys(("ArgMax", "ArgMin"), "T>i"),
    **dict.fromkeys(("IsNaN", "IsInf"), "T>b"),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), "TTTTnTTT>T"),
    "Not": "b>b",
    "Pow": "TU>T",
    "Where": "bTT>T",
    "Cast": "T>U",
    "BatchNormalization": "TTTTT>T",
    "Split": "Ti>T",
    "Slice": "Tiiii>T",
    "ScatterElements": "TUT>T",
    "ScatterND": "TiT>T",
    "Pad": "TiTi>T",
    "Resize": "Tffi>T",
    "TopK": "Ti>Ti",
    "CumSum": "Tn>T",
    "OneHot": "TTU>U",
    "Trilu": "Ti>T",
    "QuantizeLinear": "TTU>U",
    "DequantizeLinear": "UTU>T",
    "DynamicQuantizeLinear": "f>ufu",
    **dict.fromkeys(("MatMulInteger", "ConvInteger"), "TUTU>n"),
    "Col2Im": "Tii>T",
    "DeformConv": "TTTTT>T",
    "Det": "T>T",
    "NonMaxSuppression": "ffiff>i",
    "RoiAlign": "TTi>T",
    "Shape": "T>i",
}
"""Operands, then results; the last letter of a side counts for all that follow."""


def letters_of(op: str, count: int, side: str) -> str:
    """The letters of so many operands ("taken") or results ("given") of an operator."""
    letters = SIGNATURES[op].split(">")[side == "given"]
    return "".join(letters[min(place, len(letters) - 1)] for place in range(count))


def bound(op: str, operands: Sequence[Dtype | None], results: Sequence[Dtype]) -> dict[str, Dtype] | str:
    """The element types that the letters T and U stand for in a node, or a message about the first type that does not
    fit.
    """
    letters = letters_of(op, len(operands), "taken") + letters_of(op, len(results), "given")
    found: dict[str, Dtype] = {}
    for letter, dtype in zip(letters, (*operands, *results), strict=True):
        if dtype is None:
            continue
        wanted = FIXED.get(letter) or found.setdefault(letter, dtype)
        if dtype != wanted:
            return f"{wanted}, has {dtype}"
    return found


def key_of(found: dict[str, Dtype]) -> str:
    """The names of the element types that T and U stand for, as the table of kernels has them."""
    return ",".join(found[letter].name for letter in "TU" if letter in found) or "any"
