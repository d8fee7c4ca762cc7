"""FuseActivations: the step before an activation applies it to its accumulators."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ...device.instructions.binary import Binary, ScaleShift
from ...device.instructions.convolution import Convolution
from ...device.instructions.depthwise import DepthwiseConvolution
from ...device.instructions.functions import Fused, FusedFunction
from ...device.instructions.matmul import MatMul
from ...device.instructions.pooling import AveragePool, MaxPool
from ...device.instructions.transposed_convolution import TransposedConvolution
from ...device.programs.program import ProgramStep
from ...ir.editing import Edit
from ...ir.module import Module
from ..canonicalize import Canonicalize
from ..dead_code import DeadCode
from ..layouts import PlacePermutes
from ..module_pass import ModulePass
from .fold_affine import FoldAffine
from .functions import FLOATING, composed, function_of

Fusing = (
    Convolution | DepthwiseConvolution | TransposedConvolution | MatMul | Binary | ScaleShift | AveragePool | MaxPool
)
WITH_LEAKY_RELU = (Convolution, DepthwiseConvolution, TransposedConvolution, Binary, ScaleShift)
"""Instructions that a LeakyReLU is fused into; clamps are fused into all."""


class FuseActivations(ModulePass):
    """Lets an instruction apply the activation of a following step to its accumulators before they are rounded.

    1. Convolution (plain, depthwise, transposed) + ReLU, ReLU6 or Clamp.
    2. Convolution + LeakyReLU.
    3. Pool (largest or mean) + ReLU, ReLU6 or Clamp.
    4. MatMul + ReLU, ReLU6 or Clamp.
    5. Element-wise function of two operands, or scale and shift, + ReLU, ReLU6 or Clamp, + LeakyReLU.
    6. A clamp after an instruction with a clamp: one clamp with the limits of the first clamped by the second.

    A Clamp is a lookup with that name, or the maximum or minimum with a constant of one element. Nothing is fused
    when another step needs the value before the activation, for other functions, after a LeakyReLU, or for integers.

    Clamps: the same numbers as before (a zero may have another sign). Rounding is monotone and keeps the limits,
    which are numbers of the element type: rounding a clamped sum is clamping the rounded sum.
    LeakyReLU: the sum a is not rounded before it is multiplied by alpha. With r(x) = 2**-11 |x| + 2**-25 (float16),
    the bound on rounding x, and three float32 roundings of alpha and the product, the difference is at most
    ``|alpha| r(a) + 2 r(|alpha a| + |alpha| r(a)) + 3 * 2**-24 |alpha a|``; zero where a is not negative.
    """

    name = "fuse-activations"
    follows: ClassVar[tuple[type[ModulePass], ...]] = (DeadCode, Canonicalize, PlacePermutes, FoldAffine)

    def rewrite(self, module: Module) -> Module:
        edit = Edit(module)
        for step in module.steps:
            current = edit.steps.get(step.output)
            while current is not None:
                current = _fused(edit, current)
        return edit.finish()


def _fused(edit: Edit, step: ProgramStep) -> ProgramStep | None:
    """The step with the following activation fused in; None when it cannot apply the activation."""
    instruction, reader = step.instruction, edit.only_reader(step.output)
    if not isinstance(instruction, Fusing) or reader is None or not _same_floats(edit, step, reader):
        return None
    function = function_of(edit, reader)
    if function is None or not _does(instruction, function):
        return None
    both = composed(instruction.fused, function)
    if both is None:
        return None
    return edit.fuse(step, reader, step, replace(instruction, fused=both), step.operands)


def _does(instruction: Fusing, function: Fused) -> bool:
    """True when the instruction has the function; one that also pools applies it before.

    Before a search for the largest only a clamp is the same as behind it, before a mean nothing is.
    """
    pooled = getattr(instruction, "pooled", None)
    if pooled is not None:
        return function.function is FusedFunction.CLAMP and not pooled.averages
    return function.function is FusedFunction.CLAMP or isinstance(instruction, WITH_LEAKY_RELU)


def _same_floats(edit: Edit, step: ProgramStep, reader: ProgramStep) -> bool:
    before, after = edit.buffer(step.output), edit.buffer(reader.output)
    return before == after and before.element in FLOATING
