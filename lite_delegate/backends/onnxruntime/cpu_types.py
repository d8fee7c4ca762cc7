"""Element types that ONNX Runtime's CPU provider has kernels for, by operator.

Found by experiment with onnxruntime 1.32.0 by `python -m tools.onnxruntime_types`: a model of one node for each
operator and type, made and run. Two types with a comma between them are the first and the second of the operator's
signature. float16 is mostly computed in float32 by ONNX Runtime.
"""

VERSION = "1.32.0"
KERNELS: dict[str, str] = {
    "Abs": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Acos": """
        float16 float32
    """,
    "Acosh": """
        float16 float32
    """,
    "Add": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "And": """
        any
    """,
    "ArgMax": """
        float16 float32 float64 int8 int32 int64 uint8
    """,
    "ArgMin": """
        float16 float32 float64 int8 int32 int64 uint8
    """,
    "Asin": """
        float16 float32
    """,
    "Asinh": """
        float16 float32
    """,
    "Atan": """
        float16 float32
    """,
    "Atanh": """
        float16 float32
    """,
    "AveragePool": """
        float16 float32
    """,
    "BatchNormalization": """
        float16 float32 float64
    """,
    "BitwiseAnd": """
        int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "BitwiseNot": """
        int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "BitwiseOr": """
        int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "BitwiseXor": """
        int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Cast": """
        float16,float16 float16,float32 float16,float64 float16,int8 float16,int16 float16,int32 float16,int64
        float16,uint8 float16,uint16 float16,uint32 float16,uint64 float16,bool float32,float16 float32,float32
        float32,float64 float32,int8 float32,int16 float32,int32 float32,int64 float32,uint8 float32,uint16
        float32,uint32 float32,uint64 float32,bool float64,float16 float64,float32 float64,float64 float64,int8
        float64,int16 float64,int32 float64,int64 float64,uint8 float64,uint16 float64,uint32 float64,uint64
        float64,bool int8,float16 int8,float32 int8,float64 int8,int8 int8,int16 int8,int32 int8,int64 int8,uint8
        int8,uint16 int8,uint32 int8,uint64 int8,bool int16,float16 int16,float32 int16,float64 int16,int8
        int16,int16 int16,int32 int16,int64 int16,uint8 int16,uint16 int16,uint32 int16,uint64 int16,bool
        int32,float16 int32,float32 int32,float64 int32,int8 int32,int16 int32,int32 int32,int64 int32,uint8
        int32,uint16 int32,uint32 int32,uint64 int32,bool int64,float16 int64,float32 int64,float64 int64,int8
        int64,int16 int64,int32 int64,int64 int64,uint8 int64,uint16 int64,uint32 int64,uint64 int64,bool
        uint8,float16 uint8,float32 uint8,float64 uint8,int8 uint8,int16 uint8,int32 uint8,int64 uint8,uint8
        uint8,uint16 uint8,uint32 uint8,uint64 uint8,bool uint16,float16 uint16,float32 uint16,float64 uint16,int8
        uint16,int16 uint16,int32 uint16,int64 uint16,uint8 uint16,uint16 uint16,uint32 uint16,uint64 uint16,bool
        uint32,float16 uint32,float32 uint32,float64 uint32,int8 uint32,int16 uint32,int32 uint32,int64 uint32,uint8
        uint32,uint16 uint32,uint32 uint32,uint64 uint32,bool uint64,float16 uint64,float32 uint64,float64
        uint64,int8 uint64,int16 uint64,int32 uint64,int64 uint64,uint8 uint64,uint16 uint64,uint32 uint64,uint64
        uint64,bool bool,float16 bool,float32 bool,float64 bool,int8 bool,int16 bool,int32 bool,int64 bool,uint8
        bool,uint16 bool,uint32 bool,uint64 bool,bool
    """,
    "Ceil": """
        float16 float32 float64
    """,
    "Clip": """
        float16 float32 float64 int8 int32 int64 uint8 uint32 uint64
    """,
    "Col2Im": """
        float16 float32
    """,
    "Concat": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Conv": """
        float16 float32
    """,
    "ConvInteger": """
        int8,int8 int8,uint8 uint8,int8 uint8,uint8
    """,
    "ConvTranspose": """
        float16 float32
    """,
    "Cos": """
        float16 float32 float64
    """,
    "Cosh": """
        float16 float32
    """,
    "CumSum": """
        float16 float32 float64 int32 int64
    """,
    "DeformConv": """
        float16 float32 float64
    """,
    "DepthToSpace": """
        float16 float32 float64 int8 uint8
    """,
    "DequantizeLinear": """
        float16,int8 float16,int16 float16,int32 float16,uint8 float16,uint16 float32,int8 float32,int16
        float32,int32 float32,uint8 float32,uint16
    """,
    "Det": """
        float16 float32
    """,
    "Div": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "DynamicQuantizeLinear": """
        any
    """,
    "Einsum": """
        float16 float32 float64 int32 int64
    """,
    "Elu": """
        float16 float32
    """,
    "Equal": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Erf": """
        float16 float32
    """,
    "Exp": """
        float16 float32 float64
    """,
    "Expand": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Floor": """
        float16 float32 float64
    """,
    "GRU": """
        float16 float32
    """,
    "Gather": """
        float16,int32 float16,int64 float32,int32 float32,int64 float64,int32 float64,int64 int8,int32 int8,int64
        int16,int32 int16,int64 int32,int32 int32,int64 int64,int32 int64,int64 uint8,int32 uint8,int64 uint16,int32
        uint16,int64 uint32,int32 uint32,int64 uint64,int32 uint64,int64 bool,int32 bool,int64
    """,
    "GatherElements": """
        float16,int32 float16,int64 float32,int32 float32,int64 float64,int32 float64,int64 int8,int32 int8,int64
        int16,int32 int16,int64 int32,int32 int32,int64 int64,int32 int64,int64 uint8,int32 uint8,int64 uint16,int32
        uint16,int64 uint32,int32 uint32,int64 uint64,int32 uint64,int64 bool,int32 bool,int64
    """,
    "GatherND": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Gelu": """
        float16 float32
    """,
    "Gemm": """
        float16 float32 float64
    """,
    "GlobalAveragePool": """
        float16 float32
    """,
    "Greater": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "GreaterOrEqual": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "GridSample": """
        float16 float32 float64
    """,
    "GroupNormalization": """
        float16 float32 float64
    """,
    "HardSigmoid": """
        float16 float32
    """,
    "HardSwish": """
        float16 float32
    """,
    "Identity": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "InstanceNormalization": """
        float16 float32
    """,
    "IsInf": """
        float16 float32 float64
    """,
    "IsNaN": """
        float16 float32 float64
    """,
    "LRN": """
        float16 float32
    """,
    "LSTM": """
        float16 float32
    """,
    "LayerNormalization": """
        float16 float32 float64
    """,
    "LeakyRelu": """
        float16 float32
    """,
    "Less": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "LessOrEqual": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Log": """
        float16 float32 float64
    """,
    "LogSoftmax": """
        float16 float32 float64
    """,
    "LpNormalization": """
        float16 float32 float64
    """,
    "MatMul": """
        float16 float32 float64 int32 int64 uint32 uint64
    """,
    "MatMulInteger": """
        int8,int8 int8,uint8 uint8,int8 uint8,uint8
    """,
    "Max": """
        float16 float32 float64 int8 int32 int64 uint8 uint32 uint64
    """,
    "MaxPool": """
        float16 float32 float64 int8 uint8
    """,
    "Min": """
        float16 float32 float64 int8 int32 int64 uint8 uint32 uint64
    """,
    "Mod": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Mul": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Neg": """
        float16 float32 float64 int8 int16 int32 int64
    """,
    "NonMaxSuppression": """
        any
    """,
    "Not": """
        any
    """,
    "OneHot": """
        float16,float16 float16,float32 float32,float16 float32,float32 int32,float16 int32,float32 int64,float16
        int64,float32 int64,int64
    """,
    "Or": """
        any
    """,
    "PRelu": """
        float16 float32
    """,
    "Pad": """
        float16 float32 float64 int8 int32 int64 uint8 uint32 uint64 bool
    """,
    "Pow": """
        float16,float16 float16,float32 float16,float64 float16,int32 float16,int64 float32,float16 float32,float32
        float32,float64 float32,int32 float32,int64 float64,float16 float64,float32 float64,float64 float64,int32
        float64,int64 int32,float16 int32,float32 int32,float64 int32,int32 int32,int64 int64,float16 int64,float32
        int64,float64 int64,int32 int64,int64
    """,
    "QuantizeLinear": """
        float16,int8 float16,int16 float16,uint8 float16,uint16 float32,int8 float32,int16 float32,uint8
        float32,uint16
    """,
    "RNN": """
        float16 float32
    """,
    "Reciprocal": """
        float16 float32 float64
    """,
    "ReduceL1": """
        float16 float32 float64 int32 int64
    """,
    "ReduceL2": """
        float16 float32 float64 int32 int64
    """,
    "ReduceMax": """
        float16 float32 float64 int8 int32 int64 uint8 bool
    """,
    "ReduceMean": """
        float16 float32 float64 int32 int64
    """,
    "ReduceMin": """
        float16 float32 float64 int8 int32 int64 uint8 bool
    """,
    "ReduceProd": """
        float16 float32 float64 int32 int64
    """,
    "ReduceSum": """
        float16 float32 float64 int32 int64
    """,
    "ReduceSumSquare": """
        float16 float32 float64 int32 int64
    """,
    "Relu": """
        float16 float32 float64 int8 int32
    """,
    "Reshape": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Resize": """
        float16 float32 int8 int32 uint8
    """,
    "ReverseSequence": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "RoiAlign": """
        float16 float32 float64
    """,
    "Round": """
        float16 float32 float64
    """,
    "ScatterElements": """
        float16,int32 float16,int64 float32,int32 float32,int64 float64,int32 float64,int64 int8,int32 int8,int64
        int16,int32 int16,int64 int32,int32 int32,int64 int64,int32 int64,int64 uint8,int32 uint8,int64 uint16,int32
        uint16,int64 uint32,int32 uint32,int64 uint64,int32 uint64,int64 bool,int32 bool,int64
    """,
    "ScatterND": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Selu": """
        float16 float32
    """,
    "Shape": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Sigmoid": """
        float16 float32 float64
    """,
    "Sign": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Sin": """
        float16 float32 float64
    """,
    "Sinh": """
        float16 float32
    """,
    "Slice": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Softmax": """
        float16 float32 float64
    """,
    "Softplus": """
        float16 float32
    """,
    "Softsign": """
        float16 float32
    """,
    "SpaceToDepth": """
        float16 float32 float64 int8 uint8
    """,
    "Split": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Sqrt": """
        float16 float32 float64
    """,
    "Sub": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
    """,
    "Tan": """
        float16 float32
    """,
    "Tanh": """
        float16 float32 float64
    """,
    "Tile": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "TopK": """
        float16 float32 float64 int8 int16 int32 int64 uint8
    """,
    "Transpose": """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
    """,
    "Trilu": """
        float16 float32 float64 int32 int64 bool
    """,
    "Where": """
        float16 float32 float64 int8 int32 int64 uint8 uint32
    """,
    "Xor": """
        any
    """,
}
