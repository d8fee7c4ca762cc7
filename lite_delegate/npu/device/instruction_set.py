"""The instruction set: every instruction that a program may hold, by name."""

from __future__ import annotations

from .binary import Binary, ScaleShift
from .cast import ConvertElements
from .convolution import Convolution
from .depthwise import DepthwiseConvolution
from .instruction import Instruction
from .lookup import Lookup
from .matmul import MatMul
from .movement import Concatenate, Permute, View
from .normalize import Normalize
from .pooling import AveragePool, MaxPool
from .reduction import Reduce, SoftmaxAlong

ALL_INSTRUCTIONS: tuple[type[Instruction], ...] = (
    AveragePool,
    Binary,
    Concatenate,
    ConvertElements,
    Convolution,
    DepthwiseConvolution,
    Lookup,
    MatMul,
    MaxPool,
    Normalize,
    Permute,
    Reduce,
    ScaleShift,
    SoftmaxAlong,
    View,
)
INSTRUCTIONS: dict[str, type[Instruction]] = {kind.__name__: kind for kind in ALL_INSTRUCTIONS}
