"""FusePools: the pool after a convolution done on its accumulators."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ...device.convolution import Convolution
from ...device.instruction import Shape
from ...device.pooling import MaxPool, Pooled
from ...device.program import ProgramStep
from ...device.window import Window
from ...ir.editing import Edit
from ...ir.module import Module
from ..dead_code import DeadCode
from ..layouts import PlacePermutes
from ..module_pass import ModulePass
from .functions import FLOATING, composed
from .fuse_activations import FuseActivations


class FusePools(ModulePass):
    """Lets a convolution search the largest of each two by two accumulators.

    1. Convolution, 3x3 taps, stride 1, padding 1 all around, no dilation, any groups and activation, + MaxPool, 2x2,
       stride 2, no padding before: a convolution with ``pooled``. A last pool window may overhang the input.
    2. The same with a clamp fused into the MaxPool: it is done before the search.

    Not for other windows, for depthwise convolutions, for pools with a fused function that is no clamp after an
    activation, and where somebody else needs the convolution's result.

    The same numbers as before (a zero may have another sign): rounding and clamping are monotone, so the largest of
    rounded numbers is the largest number rounded; the search starts at the same lowest finite number, and a NaN
    stays.
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
    if not isinstance(convolution, Convolution) or convolution.pooled is not None or reader is None:
        return
    pool, element = reader.instruction, edit.buffer(step.output).element
    if not isinstance(pool, MaxPool) or element not in FLOATING:
        return
    fused = composed(convolution.fused, pool.fused)
    fits = _is_pool(pool.window) and _is_same_3x3(convolution.window, edit.buffer(step.operands[0]).shape)
    if fits and fused is not None:
        pooled = Pooled(pool.window, float(np.finfo(element.numpy).min))
        edit.fuse(step, reader, step, replace(convolution, fused=fused, pooled=pooled), step.operands)


def _is_pool(window: Window) -> bool:
    return (window.size, window.strides, window.dilations, window.before) == ((2, 2), (2, 2), (1, 1), (0, 0))


def _is_same_3x3(window: Window, shape: Shape) -> bool:
    taps = (window.size, window.strides, window.dilations, window.before) == ((3, 3), (1, 1), (1, 1), (1, 1))
    return taps and window.output == shape[2:]
