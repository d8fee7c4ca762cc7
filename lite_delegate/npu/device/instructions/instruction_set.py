"""The instruction set: every instruction that a program may hold, by name."""

from __future__ import annotations

from ..programs.instruction import Instruction
from .binary import Binary, ScaleShift
from .cast import ConvertElements
from .choice import Choose
from .comparison import Compare
from .convolution import Convolution
from .crop import CropAndResample
from .depthwise import DepthwiseConvolution
from .detection import Detect
from .dma import Dma, Join
from .gathering import GatherAlong, Take
from .integer import IntegerUnary
from .length import NormalizeLength
from .local_response import LocalResponse
from .logic import Logical
from .lookup import Lookup
from .matmul import MatMul
from .moments import NormalizeMoments
from .movement import Concatenate, Permute, View
from .normalize import Normalize
from .padding import Pad
from .pooling import AveragePool, MaxPool
from .quantized_arithmetic import QuantizedProduct, QuantizedSum
from .quantized_conversion import Dequantize, Quantize
from .quantized_convolution import QuantizedConvolution
from .quantized_depthwise import QuantizedDepthwiseConvolution
from .quantized_lookup import ByteLookup
from .quantized_matmul import QuantizedMatMul
from .quantized_pooling import QuantizedAveragePool, QuantizedMaxPool
from .quantized_transposed_convolution import QuantizedTransposedConvolution
from .reduction import LogSoftmaxAlong, Reduce, SoftmaxAlong
from .repetition import Broadcast, Repeat
from .resize import ResizeLinear, ResizeNearest
from .selection import TopPlaces, TopValues
from .sequence import DecodeClasses
from .slicing import Slice
from .transposed_convolution import TransposedConvolution

ALL_INSTRUCTIONS: tuple[type[Instruction], ...] = (
    AveragePool,
    Binary,
    Broadcast,
    ByteLookup,
    Choose,
    Compare,
    Concatenate,
    ConvertElements,
    Convolution,
    CropAndResample,
    DecodeClasses,
    DepthwiseConvolution,
    Dequantize,
    Detect,
    Dma,
    GatherAlong,
    IntegerUnary,
    Join,
    LocalResponse,
    LogSoftmaxAlong,
    Logical,
    Lookup,
    MatMul,
    MaxPool,
    Normalize,
    NormalizeLength,
    NormalizeMoments,
    Pad,
    Permute,
    Quantize,
    QuantizedAveragePool,
    QuantizedConvolution,
    QuantizedDepthwiseConvolution,
    QuantizedMatMul,
    QuantizedMaxPool,
    QuantizedProduct,
    QuantizedSum,
    QuantizedTransposedConvolution,
    Reduce,
    Repeat,
    ResizeLinear,
    ResizeNearest,
    ScaleShift,
    Slice,
    SoftmaxAlong,
    Take,
    TopPlaces,
    TopValues,
    TransposedConvolution,
    View,
)
INSTRUCTIONS: dict[str, type[Instruction]] = {kind.__name__: kind for kind in ALL_INSTRUCTIONS}
