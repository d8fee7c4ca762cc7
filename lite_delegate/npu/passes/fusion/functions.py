"""Functions that another instruction can apply to its accumulators."""

from __future__ import annotations

import math

import numpy as np

from ...device.instructions.binary import Binary, BinaryFunction
from ...device.instructions.functions import UNFUSED, Fused, FusedFunction
from ...device.instructions.lookup import Function, Lookup
from ...device.programs.program import Buffer, ElementType, ProgramStep
from ...ir.editing import Edit
from ...ir.module import packed

FLOATING = (ElementType.FLOAT16, ElementType.FLOAT32)
LIMITS: dict[Function, tuple[float, float]] = {Function.RELU: (0.0, math.inf), Function.RELU6: (0.0, 6.0)}
"""Lookups without parameters that clamp."""


def function_of(edit: Edit, step: ProgramStep) -> Fused | None:
    """The fused function that a step is of its only variable operand; None when it is no such function.

    Limits are rounded to the result's element type, which they would be at the latest with the result.
    """
    buffer = edit.buffer(step.output)
    if isinstance(step.instruction, Lookup):
        fused = _of_lookup(step.instruction, buffer)
    elif isinstance(step.instruction, Binary) and step.instruction.fused == UNFUSED:
        fused = _of_binary(edit, step, step.instruction.function)
    else:
        fused = None
    if fused is None or any(math.isnan(parameter) for parameter in fused.parameters):
        return None
    return fused


def composed(first: Fused, second: Fused) -> Fused | None:
    """The fused function that equals two fused functions in turn; None where none does.

    A clamp after a clamp has the limits of the first, clamped by the second: clamping is monotone.
    """
    if first == UNFUSED:
        return second
    if second == UNFUSED:
        return first
    if first.function is FusedFunction.CLAMP and second.function is FusedFunction.CLAMP:
        (low, high), (second_low, second_high) = first.parameters, second.parameters
        limits = (min(max(each, second_low), second_high) for each in (low, high))
        return Fused(FusedFunction.CLAMP, tuple(limits))
    return None


def _of_lookup(lookup: Lookup, buffer: Buffer) -> Fused | None:
    if lookup.function is Function.LEAKY_RELU:
        return Fused(FusedFunction.LEAKY_RELU, lookup.parameters)
    limits = lookup.parameters if lookup.function is Function.CLAMP else LIMITS.get(lookup.function)
    if limits is None:
        return None
    low, high = (_rounded(np.array(limit), buffer) for limit in limits)
    return Fused(FusedFunction.CLAMP, (low, high))


def _of_binary(edit: Edit, step: ProgramStep, function: BinaryFunction) -> Fused | None:
    """The largest or smallest of x and one constant number."""
    if function not in (BinaryFunction.MAXIMUM, BinaryFunction.MINIMUM):
        return None
    constants = [i for i in step.operands if i in edit.constants and math.prod(edit.buffer(i).shape) == 1]
    if len(constants) != 1:
        return None
    limit = _rounded(edit.constants[constants[0]](), edit.buffer(constants[0]))
    limits = (limit, math.inf) if function is BinaryFunction.MAXIMUM else (-math.inf, limit)
    return Fused(FusedFunction.CLAMP, limits)


def _rounded(array: np.ndarray, buffer: Buffer) -> float:
    """One number as device memory keeps it."""
    return float(packed(array, buffer).item())
