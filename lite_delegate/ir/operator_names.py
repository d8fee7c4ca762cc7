"""The operators of ONNX and TensorFlow Lite by name, known without the packages that read the formats."""

from __future__ import annotations

from collections.abc import Iterable

from ..basics.similar import did_you_mean

_ONNX = """
    Abs Acos Acosh Adagrad Adam Add AffineGrid And ArgMax ArgMin ArrayFeatureExtractor Asin Asinh Atan Atanh
    Attention AveragePool BatchNormalization Bernoulli Binarizer BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr
    BitwiseXor BlackmanWindow Cast CastLike CastMap CategoryMapper CausalConvWithState Ceil Celu CenterCropPad Clip
    Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose Cos Cosh
    CumProd CumSum DFT DeformConv DepthToSpace DequantizeLinear Det DictVectorizer Div Dropout DynamicQuantizeLinear
    Einsum Elu Equal Erf Exp Expand EyeLike FeatureVectorizer Flatten FlexAttention Floor GRU Gather GatherElements
    GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Gradient Greater GreaterOrEqual GridSample
    GroupNormalization HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If ImageDecoder Imputer
    InstanceNormalization IsInf IsNaN LRN LSTM LabelEncoder LayerNormalization LeakyRelu Less LessOrEqual
    LinearAttention LinearClassifier LinearRegressor Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulInteger
    Max MaxPool MaxRoiPool MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix Min Mish Mod Momentum Mul
    Multinomial Neg NegativeLogLikelihoodLoss NonMaxSuppression NonZero Normalizer Not OneHot OneHotEncoder Optional
    OptionalGetElement OptionalHasElement Or PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization
    RNN RandomNormal RandomNormalLike RandomUniform RandomUniformLike Range Reciprocal ReduceL1 ReduceL2
    ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare RegexFullMatch
    Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding Round STFT SVMClassifier SVMRegressor Scaler Scan
    Scatter ScatterElements ScatterND Selu SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert
    SequenceLength SequenceMap Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax SoftmaxCrossEntropyLoss
    Softplus Softsign SpaceToDepth Split SplitToSequence Sqrt Squeeze StringConcat StringNormalizer StringSplit Sub
    Sum SwiGLU Swish Tan Tanh TensorScatter TfIdfVectorizer ThresholdedRelu Tile TopK Transpose TreeEnsemble
    TreeEnsembleClassifier TreeEnsembleRegressor Trilu Unique Unsqueeze Upsample Where Xor ZipMap
"""
ONNX = frozenset(_ONNX.split())
"""Of all versions and all domains of the standard."""

_TFLITE = """
    ABS ADD ADD_N ARG_MAX ARG_MIN ASSIGN_VARIABLE ATAN2 AVERAGE_POOL_2D BATCH_MATMUL BATCH_TO_SPACE_ND
    BIDIRECTIONAL_SEQUENCE_LSTM BIDIRECTIONAL_SEQUENCE_RNN BITCAST BITWISE_XOR BROADCAST_ARGS BROADCAST_TO BUCKETIZE
    CALL CALL_ONCE CAST CEIL COMPLEX_ABS CONCATENATION CONCAT_EMBEDDINGS CONV_2D CONV_3D CONV_3D_TRANSPOSE COS
    CUMSUM CUSTOM DELEGATE DENSIFY DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE DILATE DIV DYNAMIC_UPDATE_SLICE ELU
    EMBEDDING_LOOKUP EMBEDDING_LOOKUP_SPARSE EQUAL EXP EXPAND_DIMS FAKE_QUANT FILL FLOOR FLOOR_DIV FLOOR_MOD
    FULLY_CONNECTED GATHER GATHER_ND GELU GREATER GREATER_EQUAL HARD_SWISH HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT
    HASHTABLE_LOOKUP HASHTABLE_SIZE IF IMAG L2_NORMALIZATION L2_POOL_2D LEAKY_RELU LESS LESS_EQUAL
    LOCAL_RESPONSE_NORMALIZATION LOG LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOGISTIC LOG_SOFTMAX LSH_PROJECTION LSTM
    MATRIX_DIAG MATRIX_SET_DIAG MAXIMUM MAX_POOL_2D MEAN MINIMUM MIRROR_PAD MUL MULTINOMIAL NEG
    NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 NOT_EQUAL ONE_HOT PACK PAD PADV2 PLACEHOLDER_FOR_GREATER_OP_CODES
    POW PRELU QUANTIZE RANDOM_STANDARD_NORMAL RANDOM_UNIFORM RANGE RANK READ_VARIABLE REAL REDUCE_ALL REDUCE_ANY
    REDUCE_MAX REDUCE_MIN REDUCE_PROD REDUCE_WINDOW RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1 RESHAPE RESIZE_BILINEAR
    RESIZE_NEAREST_NEIGHBOR REVERSE_SEQUENCE REVERSE_V2 RFFT2D RIGHT_SHIFT RNN ROUND RSQRT SCATTER_ND SEGMENT_SUM
    SELECT SELECT_V2 SHAPE SIGN SIN SKIP_GRAM SLICE SOFTMAX SPACE_TO_BATCH_ND SPACE_TO_DEPTH SPARSE_TO_DENSE SPLIT
    SPLIT_V SQRT SQUARE SQUARED_DIFFERENCE SQUEEZE STABLEHLO_ABS STABLEHLO_ADD STABLEHLO_AND
    STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CBRT STABLEHLO_CLAMP STABLEHLO_COMPARE STABLEHLO_COMPOSITE
    STABLEHLO_CONCATENATE STABLEHLO_CONVERT STABLEHLO_CONVOLUTION STABLEHLO_COSINE STABLEHLO_CUSTOM_CALL
    STABLEHLO_DIVIDE STABLEHLO_DOT_GENERAL STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE
    STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_GATHER STABLEHLO_IOTA STABLEHLO_LOG STABLEHLO_LOGISTIC
    STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_MULTIPLY STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_PAD
    STABLEHLO_POWER STABLEHLO_REDUCE STABLEHLO_REDUCE_WINDOW STABLEHLO_REMAINDER STABLEHLO_RESHAPE
    STABLEHLO_RNG_BIT_GENERATOR STABLEHLO_RSQRT STABLEHLO_SCATTER STABLEHLO_SELECT STABLEHLO_SHIFT_LEFT
    STABLEHLO_SLICE STABLEHLO_SORT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_TRANSPOSE STABLEHLO_WHILE
    STRIDED_SLICE SUB SUM SVDF TANH TILE TOPK_V2 TRANSPOSE TRANSPOSE_CONV UNIDIRECTIONAL_SEQUENCE_LSTM
    UNIDIRECTIONAL_SEQUENCE_RNN UNIQUE UNPACK UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN UNSORTED_SEGMENT_PROD
    UNSORTED_SEGMENT_SUM VAR_HANDLE WHERE WHILE ZEROS_LIKE
"""
TFLITE = frozenset(_TFLITE.split())
"""The builtin operators."""

FORMATS = {"ONNX": ONNX, "TensorFlow Lite": TFLITE}


def plain_name(word: str) -> str:
    """An operator's name without the name of ONNX's own domain: "Conv" for "ai.onnx.Conv"."""
    rest = word.removeprefix("ai.onnx.")
    return word if "." in rest else rest


def format_of(word: str) -> str:
    """The formats that have an operator of that name, "" where none has: "ONNX", "ONNX and TensorFlow Lite"."""
    return " and ".join(name for name, operators in FORMATS.items() if plain_name(word) in operators)


def near_operator(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown operator.

    Where another format has the operator, the text names the format, and offers no similar operator.
    """
    formats = format_of(word)
    return f"; it is an operator of {formats}, which has another name here." if formats else did_you_mean(word, known)
