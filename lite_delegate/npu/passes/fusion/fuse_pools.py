"""FusePools: the convolution before a pool applies it to its accumulators."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ...device.instructions.convolution import Convolution
from ...device.instructions.depthwise import DepthwiseConvolution
from ...device.instructions.functions import UNFUSED
from ...device.instructions.pooling import AveragePool, MaxPool, Pooled
from ...device.instructions.quantized_convolution import QuantizedConvolution
from ...device.instructions.quantized_depthwise import QuantizedDepthwiseConvolution
from ...device.instructions.quantized_pooling import QuantizedAveragePool, QuantizedMaxPool, QuantizedPooled
from ...device.programs.instruction import Instruction, Shape
from ...device.programs.program import ElementType, ProgramStep
from ...device.programs.window import Window
from ...ir.editing import Edit
from ...ir.module import Module
from ..dead_code import DeadCode
from ..layouts import PlacePermutes
from ..module_pass import ModulePass
from .functions import FLOATING, composed
from .fuse_activations import FuseActivations

OnReals = Convolution | DepthwiseConvolution
OnIntegers = QuantizedConvolution | QuantizedDepthwiseConvolution


class FusePools(ModulePass):
    """Lets a convolution search the largest of each two by two accumulators, or take their mean.

    1. Convolution, plain or depthwise, 3x3 taps, stride 1, padding 1 all around, no dilation, any groups and
       activation, + MaxPool, 2x2, stride 2, no padding before: a convolution with ``pooled``. A last pool window may
       overhang the input.
    2. As 1, with a clamp fused into the MaxPool: the clamp is applied before the search.
    3. As 1, with AveragePool, without a function fused into it, and with windows that lie on the input.
    4. As 1 to 3 on quantized integers, with the pool of integers and its bounds.

    Not for other windows, for pools with a fused function that is no clamp after an activation, and where another
    step needs the convolution's result.

    Largest: the same numbers as before (a zero may have another sign): rounding and clamping are monotone, so the
    largest of rounded numbers is the largest number rounded; the search starts at the same lowest finite number, and a
    NaN stays. Mean: accumulators are not rounded before they are added, so the mean has one rounding instead of two:
    with r the bound on one rounding, the difference is at most r of the largest accumulator and twice r of the mean.
    Integers: the same numbers.
    """

    name = "fuse-pools"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (DeadCode, PlacePermutes, FuseActivations)

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        for output in list(edit.steps):
            if output in edit.steps:
                _fuse(edit, edit.steps[output])
        return edit.finish()


def _fuse(edit: Edit, step: ProgramStep) -> None:
    convolution, reader = step.instruction, edit.only_reader(step.output)
    if not isinstance(convolution, (OnReals, OnIntegers)) or convolution.pooled is not None or reader is None:
        return
    window = getattr(reader.instruction, "window", None)
    x = edit.buffer(step.operands[0]).shape
    if not isinstance(window, Window) or not _is_pool(window) or not _is_same_3x3(convolution.window, x):
        return
    fused = _with_pool(convolution, reader.instruction, edit.buffer(step.output).element)
    if fused is not None:
        edit.fuse(step, reader, step, fused, step.operands)


def _with_pool(convolution: OnReals | OnIntegers, pool: Instruction, element: ElementType) -> Instruction | None:
    """The convolution that also computes the pool; None where it cannot."""
    if isinstance(convolution, OnIntegers):
        averages = isinstance(pool, QuantizedAveragePool)
        if not isinstance(pool, (QuantizedMaxPool, QuantizedAveragePool)):
            return None
        return replace(convolution, pooled=QuantizedPooled(pool.window, pool.low, pool.high, averages))
    if element not in FLOATING:
        return None
    lowest = float(np.finfo(element.numpy).min)
    if isinstance(pool, MaxPool):
        function = composed(convolution.fused, pool.fused)
        return None if function is None else replace(convolution, fused=function, pooled=Pooled(pool.window, lowest))
    if isinstance(pool, AveragePool) and pool.fused == UNFUSED and _is_inside(pool.window, convolution.window):
        return replace(convolution, pooled=Pooled(pool.window, lowest, averages=True))
    return None


def _is_inside(pool: Window, convolution: Window) -> bool:
    """True when no window of the pool overhangs the convolution's result."""
    reached = (2 * count for count in pool.output)
    return all(end <= size for end, size in zip(reached, convolution.output, strict=True))


def _is_pool(window: Window) -> bool:
    return (window.size, window.strides, window.dilations, window.before) == ((2, 2), (2, 2), (1, 1), (0, 0))


def _is_same_3x3(window: Window, shape: Shape) -> bool:
    taps = (window.size, window.strides, window.dilations, window.before) == ((3, 3), (1, 1), (1, 1), (1, 1))
    return taps and window.output == shape[2:]
