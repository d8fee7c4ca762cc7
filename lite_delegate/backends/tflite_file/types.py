"""Element types of TensorFlow Lite's builtin operators, as LiteRT's kernels take them.

``python -m tools.tflite_types`` finds the types that kernels run on. Left out here are float16 where older releases
lack it, and small integers that a kernel takes for quantized ones.
"""

from __future__ import annotations

_ALL = "float32 float16 float64 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool"
_PLAIN: dict[str, str] = {
    "float32": """
        ATAN2 AVERAGE_POOL_2D BATCH_MATMUL CEIL CONV_2D CONV_3D COS DEPTHWISE_CONV_2D ELU EXP FAKE_QUANT FLOOR
        FULLY_CONNECTED GELU HARD_SWISH L2_NORMALIZATION LEAKY_RELU LOCAL_RESPONSE_NORMALIZATION LOG LOGISTIC
        LOG_SOFTMAX MAX_POOL_2D PRELU QUANTIZE RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1 RESIZE_BILINEAR RFFT2D ROUND RSQRT
        SIN SOFTMAX SQRT SQUARE TANH TRANSPOSE_CONV UNIDIRECTIONAL_SEQUENCE_LSTM
    """,
    "float32 int32": """
        ABS DIV POW SIGN SQUARED_DIFFERENCE UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN UNSORTED_SEGMENT_PROD
        UNSORTED_SEGMENT_SUM
    """,
    "float32 int32 int64": "CUMSUM MEAN NEG RANGE REDUCE_PROD SUB SUM ZEROS_LIKE",
    "float32 int32 int64 int16": "ADD GREATER GREATER_EQUAL LESS LESS_EQUAL",
    "float32 int32 int64 int16 bool": "EQUAL",
    "float32 int32 int64 bool": "NOT_EQUAL",
    "float32 int32 uint32 int64 int16": "MUL",
    "float32 int32 int16 int8": "FLOOR_DIV",
    "float32 int32 int64 int16 int8": "FLOOR_MOD",
    "float32 int8 uint8 int16 int32 int64": "MAXIMUM MINIMUM REDUCE_MAX REDUCE_MIN SPLIT SPLIT_V TOPK_V2 UNIQUE",
    "float32 int8 uint8 int32": "ARG_MAX ARG_MIN",
    "float32 int8 uint8": "RESIZE_NEAREST_NEIGHBOR",
    "float32 int8 uint8 int32 uint32 int64 bool": "WHERE",
    "float32 int8 uint8 int32 int64": "DEPTH_TO_SPACE SPACE_TO_DEPTH SPARSE_TO_DENSE",
    "float32 uint8 int16 int32 int64": "REVERSE_SEQUENCE",
    "float32 int8 uint8 int32 int64 bool": "ONE_HOT SCATTER_ND",
    "float32 int8 uint8 int16 int32 uint32 int64": "PACK",
    "float32 int8 uint8 int16 int32 bool": "UNPACK",
    "float32 int8 uint8 int16 int32 uint32 int64 bool": "CONCATENATION",
    "float32 int8 uint8 int16 int32 int64 bool": "GATHER GATHER_ND PAD PADV2 REVERSE_V2",
    "bool": "LOGICAL_AND LOGICAL_NOT LOGICAL_OR REDUCE_ALL REDUCE_ANY",
    "int8 uint8 int16 uint16 int32 uint32": "BITWISE_XOR RIGHT_SHIFT",
    "float32 float16 float64 int8 uint8 int16 uint16 int32 uint32 int64 bool": "CAST",
    "float32 int8 uint8 int16 int32 int64 bool ": "BATCH_TO_SPACE_ND MIRROR_PAD SPACE_TO_BATCH_ND TILE",
    _ALL: """
        ASSIGN_VARIABLE BROADCAST_TO DYNAMIC_UPDATE_SLICE EXPAND_DIMS FILL RESHAPE SELECT_V2 SLICE SQUEEZE STRIDED_SLICE
        TRANSPOSE
    """,
    "int8 uint8 int16 float16": "DEQUANTIZE",
}
_QUANTIZED: dict[str, str] = {
    "int8": "ELU LOG RSQRT SQUARED_DIFFERENCE EXP",
    "int8 int16": "ABS BATCH_MATMUL",
    "int8 uint8": """
        ARG_MAX ARG_MIN DEPTH_TO_SPACE HARD_SWISH L2_NORMALIZATION LOG_SOFTMAX PRELU RELU_0_TO_1 RELU_N1_TO_1
        SPACE_TO_DEPTH TOPK_V2
    """,
    "int8 uint8 int16": """
        ADD AVERAGE_POOL_2D BATCH_TO_SPACE_ND BROADCAST_TO CONCATENATION CONV_2D DEPTHWISE_CONV_2D EQUAL EXPAND_DIMS
        FULLY_CONNECTED GATHER GATHER_ND GELU GREATER GREATER_EQUAL LEAKY_RELU LESS LESS_EQUAL LOGISTIC MAXIMUM
        MAX_POOL_2D MEAN MINIMUM MIRROR_PAD MUL NOT_EQUAL PACK PAD PADV2 QUANTIZE REDUCE_MAX REDUCE_MIN RELU RELU6
        RESHAPE RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR REVERSE_V2 SLICE SOFTMAX SPACE_TO_BATCH_ND SPLIT SPLIT_V SQUEEZE
        STRIDED_SLICE SUB SUM TANH TILE TRANSPOSE TRANSPOSE_CONV UNPACK
    """,
}
COARSE = frozenset({"EQUAL", "GELU", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT_EQUAL", "RESIZE_BILINEAR"})
"""Operators that LiteRT computes coarsely of int16, as only models that come from there mean: GELU by lines of a table,
RESIZE_BILINEAR by weights of 10 bits, and comparisons after rounding to 1/256 of the unit of real numbers.
"""
_DATA = {
    "SPLIT": 1,
    "SELECT_V2": 1,
    "SCATTER_ND": 1,
    "FILL": 1,
    "TRANSPOSE_CONV": 2,
    "ONE_HOT": 2,
    "SPARSE_TO_DENSE": 2,
}
"""The operand whose element type counts, where it is not the first one."""
_WIDER = {"float16": "float32", "int8": "int32", "uint8": "int32", "int16": "int32", "uint16": "int32", "bool": "int32"}
"""The types that hold all values of others."""


def _by_kind(groups: dict[str, str]) -> dict[str, frozenset[str]]:
    return {kind: frozenset(types.split()) for types, kinds in groups.items() for kind in kinds.split()}


PLAIN, QUANTIZED = _by_kind(_PLAIN), _by_kind(_QUANTIZED)
"""Element types by operator: of plain numbers, and of integers that stand for real numbers."""


def data_place(kind: str) -> int:
    """The position of the operand whose element type counts."""
    return _DATA.get(kind, 0)


def stand_in(kind: str, dtype: str) -> str | None:
    """The element type that an operator computes numbers of a type in: their own, or a wider one; None without one."""
    taken = PLAIN.get(kind, frozenset())
    if dtype in taken:
        return dtype
    wider = _WIDER.get(dtype)
    return wider if wider in taken else None
