"""Sensitive buffers: intermediate results for which float16 has too few digits, or too little range."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...device.instructions.binary import Binary, BinaryFunction, ScaleShift
from ...device.instructions.lookup import Function, Lookup
from ...device.instructions.movement import Permute, View
from ...device.instructions.reduction import Reduce, ReductionFunction
from ...device.instructions.repetition import Broadcast, Repeat
from ...device.programs.instruction import Instruction
from ...device.programs.program import ElementType, ProgramStep
from ...ir.editing import Edit

FLOATING = (ElementType.FLOAT16, ElementType.FLOAT32)
STATISTICS = frozenset(
    {
        ReductionFunction.ABS_SUM,
        ReductionFunction.L2,
        ReductionFunction.MEAN,
        ReductionFunction.SUM,
        ReductionFunction.SUM_SQUARE,
        ReductionFunction.VARIANCE,
    }
)
"""Reductions that add up."""
GROWING = frozenset({Function.EXP, Function.POWER, Function.SQUARE})
"""Functions whose results cover many more orders of magnitude than their operands."""
NEAR_ZERO = frozenset({Function.LOG, Function.POWER, Function.RECIPROCAL, Function.RSQRT, Function.SQRT})
"""Functions that turn the absolute error of a small operand into a large one."""
SMALLEST_NORMAL = 2.0**-14
"""The smallest float16 number that has all its digits."""
ELEMENTWISE = (Binary, ScaleShift, Lookup)
MOVES = (Broadcast, Permute, Repeat, View)


def sensitive_buffers(edit: Edit) -> frozenset[int]:
    """The buffers of real numbers that are to be float32, see ``PrecisionIslands`` for the cases."""
    statistics, derived = _statistics(edit)
    found = _read_by_arithmetic(edit, statistics)
    found |= set(_terms(edit))
    found |= set(_shifted_products(edit, derived))
    found |= set(_small_addends(edit))
    return frozenset(found)


def _statistics(edit: Edit) -> tuple[list[int], frozenset[int]]:
    """Sums over axes and the values computed of them alone: the values not larger than the sums, and all values."""
    small: list[int] = []
    derived: set[int] = set()
    for output, step in edit.steps.items():
        if edit.buffer(output).element not in FLOATING:
            continue
        variable = [i for i in step.operands if i not in edit.constants]
        if isinstance(step.instruction, Reduce) and step.instruction.reduction in STATISTICS:
            derived.add(output)
            small.append(output)
        elif variable and derived.issuperset(variable) and isinstance(step.instruction, (*ELEMENTWISE, *MOVES, Reduce)):
            derived.add(output)
            if set(small).issuperset(variable) and _keeps_size(edit, step, variable):
                small.append(output)
    return small, frozenset(derived)


def _keeps_size(edit: Edit, step: ProgramStep, variable: list[int]) -> bool:
    """True for a step that moves its operand, or computes no more numbers than it reads."""
    if isinstance(step.instruction, MOVES):
        return True
    return _size(edit, step.output) <= max(_size(edit, i) for i in variable)


def _read_by_arithmetic(edit: Edit, statistics: list[int]) -> set[int]:
    """The statistics that element-wise steps read, directly or through moves."""
    found: set[int] = set()
    for output in reversed(statistics):
        for reader in edit.readers(output):
            is_moved_there = isinstance(reader.instruction, MOVES) and reader.output in found
            if is_moved_there or isinstance(reader.instruction, (*ELEMENTWISE, Reduce)):
                found.add(output)
    return found


def _terms(edit: Edit) -> Iterator[int]:
    """Squares, powers and exponentials that are added up, and the moves between them and their sum."""
    for step in edit.steps.values():
        if not isinstance(step.instruction, Reduce) or step.instruction.reduction not in STATISTICS:
            continue
        path, maker = [step.operands[0]], edit.steps.get(step.operands[0])
        while maker is not None and isinstance(maker.instruction, Permute | View):
            path.append(maker.operands[0])
            maker = edit.steps.get(maker.operands[0])
        if maker is not None and _grows(maker):
            yield from path


def _grows(step: ProgramStep) -> bool:
    instruction = step.instruction
    if isinstance(instruction, Lookup):
        return instruction.function in GROWING
    if not isinstance(instruction, Binary):
        return False
    is_square = instruction.function is BinaryFunction.MUL and len(set(step.operands)) == 1
    return is_square or instruction.function is BinaryFunction.SQUARED_DIFFERENCE


def _shifted_products(edit: Edit, derived: frozenset[int]) -> Iterator[int]:
    """Of ``x * m + s``, with m and s derived from statistics, the product, s, and the terms of s.

    They cancel where x has an offset. A rounding of m is in both, and does no harm.
    """
    for step in edit.steps.values():
        if not _is(step.instruction, BinaryFunction.ADD, BinaryFunction.SUB):
            continue
        for product, shift in (step.operands, step.operands[::-1]):
            maker = edit.steps.get(product)
            if maker is None or shift not in derived or product in derived or edit.only_reader(product) is not step:
                continue
            if _is(maker.instruction, BinaryFunction.MUL) and derived.intersection(maker.operands):
                yield product
                yield from _addends(edit, shift, derived)


def _addends(edit: Edit, buffer: int, derived: frozenset[int]) -> Iterator[int]:
    """A buffer, and the derived ones of which it is a sum or a difference."""
    yield buffer
    maker = edit.steps.get(buffer)
    if maker is not None and _is(maker.instruction, BinaryFunction.ADD, BinaryFunction.SUB):
        for operand in derived.intersection(maker.operands):
            yield from _addends(edit, operand, derived)


def _small_addends(edit: Edit) -> Iterator[int]:
    """``x + c`` and ``max(x, c)`` with ``0 < c < SMALLEST_NORMAL`` in front of a division or root."""
    for output, step in edit.steps.items():
        if not _is(step.instruction, BinaryFunction.ADD, BinaryFunction.MAXIMUM):
            continue
        numbers = [float(edit.constants[i]().item()) for i in step.operands if i in edit.constants and _is_one(edit, i)]
        is_small = any(0.0 < number < SMALLEST_NORMAL for number in numbers)
        if is_small and any(_divides_by(reader, output) for reader in edit.readers(output)):
            yield output


def _divides_by(step: ProgramStep, buffer: int) -> bool:
    if isinstance(step.instruction, Lookup):
        return step.instruction.function in NEAR_ZERO
    return _is(step.instruction, BinaryFunction.DIV) and step.operands[1] == buffer


def _is(instruction: Instruction, *functions: BinaryFunction) -> bool:
    return isinstance(instruction, Binary) and instruction.function in functions


def _is_one(edit: Edit, buffer: int) -> bool:
    return edit.buffer(buffer).element in FLOATING and _size(edit, buffer) == 1


def _size(edit: Edit, buffer: int) -> int:
    return math.prod(edit.buffer(buffer).shape)
