"""Element types that ONNX Runtime's CPU provider has kernels for, by operator.

Found by experiment with onnxruntime 1.32.0 by `python -m tools.onnxruntime_types`: a model of one node for each
operator and type, made and run. Two types with a comma between them are the first and the second of the operator's
signature. float16 is mostly computed in float32 by ONNX Runtime.
"""

VERSION = "1.32.0"
GROUPS = (
    (
        """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
        """,
        """
        Abs Add Div Greater GreaterOrEqual Less LessOrEqual Mod Mul Sign Sub
        """,
    ),
    (
        """
        float16 float32
        """,
        """
        Acos Acosh Asin Asinh Atan Atanh AveragePool Col2Im Conv ConvTranspose Cosh Det Elu Erf GRU Gelu
        GlobalAveragePool HardSigmoid HardSwish InstanceNormalization LRN LSTM LeakyRelu PRelu RNN Selu Sinh
        Softplus Softsign Tan
        """,
    ),
    (
        """
        any
        """,
        """
        And DynamicQuantizeLinear NonMaxSuppression Not Or Xor
        """,
    ),
    (
        """
        float16 float32 float64 int8 int32 int64 uint8
        """,
        """
        ArgMax ArgMin
        """,
    ),
    (
        """
        float16 float32 float64
        """,
        """
        BatchNormalization Ceil Cos DeformConv Exp Floor Gemm GridSample GroupNormalization IsInf IsNaN
        LayerNormalization Log LogSoftmax LpNormalization Reciprocal RoiAlign Round Sigmoid Sin Softmax Sqrt Tanh
        """,
    ),
    (
        """
        uint8 uint16 uint32 uint64
        """,
        """
        BitShift
        """,
    ),
    (
        """
        int8 int16 int32 int64 uint8 uint16 uint32 uint64
        """,
        """
        BitwiseAnd BitwiseNot BitwiseOr BitwiseXor
        """,
    ),
    (
        """
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
        """
        Cast
        """,
    ),
    (
        """
        float16 float32 float64 int8 int32 int64 uint8 uint32 uint64
        """,
        """
        Clip Max Min
        """,
    ),
    (
        """
        float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
        """,
        """
        Concat Equal Expand GatherND Identity Reshape ReverseSequence ScatterND Shape Slice Split Tile Transpose
        """,
    ),
    (
        """
        int8,int8 int8,uint8 uint8,int8 uint8,uint8
        """,
        """
        ConvInteger MatMulInteger
        """,
    ),
    (
        """
        float16 float32 float64 int32 int64
        """,
        """
        CumSum Einsum ReduceL1 ReduceL2 ReduceMean ReduceProd ReduceSum ReduceSumSquare
        """,
    ),
    (
        """
        float16 float32 float64 int8 uint8
        """,
        """
        DepthToSpace MaxPool SpaceToDepth
        """,
    ),
    (
        """
        float16,int8 float16,int16 float16,int32 float16,uint8 float16,uint16 float32,int8 float32,int16
        float32,int32 float32,uint8 float32,uint16
        """,
        """
        DequantizeLinear
        """,
    ),
    (
        """
        float16,int32 float16,int64 float32,int32 float32,int64 float64,int32 float64,int64 int8,int32 int8,int64
        int16,int32 int16,int64 int32,int32 int32,int64 int64,int32 int64,int64 uint8,int32 uint8,int64 uint16,int32
        uint16,int64 uint32,int32 uint32,int64 uint64,int32 uint64,int64 bool,int32 bool,int64
        """,
        """
        Gather GatherElements ScatterElements
        """,
    ),
    (
        """
        float16 float32 float64 int32 int64 uint32 uint64
        """,
        """
        MatMul
        """,
    ),
    (
        """
        float16 float32 float64 int8 int16 int32 int64
        """,
        """
        Neg
        """,
    ),
    (
        """
        float16,float16 float16,float32 float32,float16 float32,float32 int32,float16 int32,float32 int64,float16
        int64,float32 int64,int64
        """,
        """
        OneHot
        """,
    ),
    (
        """
        float16 float32 float64 int8 int32 int64 uint8 uint32 uint64 bool
        """,
        """
        Pad
        """,
    ),
    (
        """
        float16,float16 float16,float32 float16,float64 float16,int32 float16,int64 float32,float16 float32,float32
        float32,float64 float32,int32 float32,int64 float64,float16 float64,float32 float64,float64 float64,int32
        float64,int64 int32,float16 int32,float32 int32,float64 int32,int32 int32,int64 int64,float16 int64,float32
        int64,float64 int64,int32 int64,int64
        """,
        """
        Pow
        """,
    ),
    (
        """
        float16,int8 float16,int16 float16,uint8 float16,uint16 float32,int8 float32,int16 float32,uint8
        float32,uint16
        """,
        """
        QuantizeLinear
        """,
    ),
    (
        """
        float16 float32 float64 int8 int32 int64 uint8 bool
        """,
        """
        ReduceMax ReduceMin
        """,
    ),
    (
        """
        float16 float32 float64 int8 int32
        """,
        """
        Relu
        """,
    ),
    (
        """
        float16 float32 int8 int32 uint8
        """,
        """
        Resize
        """,
    ),
    (
        """
        float16 float32 float64 int8 int16 int32 int64 uint8
        """,
        """
        TopK
        """,
    ),
    (
        """
        float16 float32 float64 int32 int64 bool
        """,
        """
        Trilu
        """,
    ),
    (
        """
        float16 float32 float64 int8 int32 int64 uint8 uint32
        """,
        """
        Where
        """,
    ),
)
"""Types, and the operators that have kernels for them."""
KERNELS: dict[str, str] = {op: types for types, ops in GROUPS for op in ops.split()}
"""By operator: the types."""
