"""Element types of ONNX's operators, by the letters of their signatures, where not every type is allowed.

Taken from the definitions of release 21 by `python -m tools.onnx_types`.
"""

GROUPS: dict[str, dict[str, str]] = {
    "T": {
        "float16 float32": """
        DequantizeLinear
    """,
        "float16 float32 float64": """
        Acos Acosh Asin Asinh Atan Atanh AveragePool BatchNormalization Ceil Conv ConvTranspose Cos Cosh DeformConv
        Det Elu Erf Exp Floor GRU Gelu GlobalAveragePool GridSample GroupNormalization HardSigmoid HardSwish
        InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Log LogSoftmax LpNormalization RNN
        Reciprocal RoiAlign Round Selu Sigmoid Sin Sinh Softmax Softplus Softsign Sqrt Tan Tanh
    """,
        "float16 float32 float64 int32 int64": """
        Pow
    """,
        "float16 float32 float64 int32 int64 uint32 uint64": """
        CumSum Gemm MatMul PRelu ReduceL1 ReduceL2 ReduceMean ReduceProd ReduceSum ReduceSumSquare
    """,
        "float16 float32 float64 int8 int16 int32 int64": """
        Neg Relu
    """,
        "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64": """
        Abs Add ArgMax ArgMin Clip Div Einsum Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul OneHot Sign
        Sub TopK
    """,
        "float16 float32 float64 int8 int32 int64 uint8 uint32 uint64 bool": """
        ReduceMax ReduceMin
    """,
        "float16 float32 float64 int8 uint8": """
        MaxPool
    """,
        "float16 float32 int32": """
        QuantizeLinear
    """,
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64": """
        BitwiseAnd BitwiseNot BitwiseOr BitwiseXor
    """,
        "int8 uint8": """
        ConvInteger MatMulInteger
    """,
        "uint8 uint16 uint32 uint64": """
        BitShift
    """,
    },
    "U": {
        "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64": """
        Pow
    """,
        "int32 int64": """
        Gather GatherElements ScatterElements
    """,
        "int8 int16 int32 uint8 uint16": """
        DequantizeLinear
    """,
        "int8 int16 uint8 uint16": """
        QuantizeLinear
    """,
        "int8 uint8": """
        ConvInteger MatMulInteger
    """,
    },
}
"""By letter and types: the operators."""
TYPES = {
    (op, letter): frozenset(names.split())
    for letter, groups in GROUPS.items()
    for names, ops in groups.items()
    for op in ops.split()
}
