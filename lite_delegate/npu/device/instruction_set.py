"""The instruction set: every instruction that a program may hold, by name."""

from __future__ import annotations

from .binary import Binary, ScaleShift
from .cast import ConvertElements
from .convolution import Convolution
from .crop import CropAndResize
from .depthwise import DepthwiseConvolution
from .dma import Dma, Join
from .gathering import Gather, Take
from .instruction import Instruction
from .lookup import Lookup
from .matmul import MatMul
from .movement import Concatenate, Permute, View
from .normalize import Normalize
from .padding import Pad
from .pooling import AveragePool, MaxPool
from .reduction import Reduce, SoftmaxAlong
from .repetition import Broadcast, Repeat
from .resize import ResizeLinear, ResizeNearest
from .slicing import Slice

ALL_INSTRUCTIONS: tuple[type[Instruction], ...] = (
    AveragePool,
    Binary,
    Broadcast,
    Concatenate,
    ConvertElements,
    Convolution,
    CropAndResize,
    DepthwiseConvolution,
    Dma,
    Gather,
    Join,
    Lookup,
    MatMul,
    MaxPool,
    Normalize,
    Pad,
    Permute,
    Reduce,
    Repeat,
    ResizeLinear,
    ResizeNearest,
    ScaleShift,
    Slice,
    SoftmaxAlong,
    Take,
    View,
)
INSTRUCTIONS: dict[str, type[Instruction]] = {kind.__name__: kind for kind in ALL_INSTRUCTIONS}
