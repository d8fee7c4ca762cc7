"""Affine steps: factor times x plus offset per channel, as constants say, worked out in float64."""

from __future__ import annotations

import numpy as np

from ....basics.data_class import dataclass
from ...device.instructions.binary import Binary, BinaryFunction, ScaleShift
from ...device.instructions.functions import UNFUSED, Fused
from ...device.instructions.normalize import Normalize
from ...device.programs.instruction import Array
from ...device.programs.program import ProgramStep
from ...ir.editing import Edit


@dataclass(frozen=True, slots=True)
class AffineMap:
    """``x * factor + offset`` along one axis of x.

    Attributes:
        factor: float64 (C,); None for ones.
        offset: float64 (C,).
        fused: the fused function of the result.
    """

    factor: Array | None
    offset: Array
    fused: Fused


def affine_of(edit: Edit, step: ProgramStep, source: int, axis: int) -> AffineMap | None:
    """``step`` as a map of buffer ``source``, where it is affine and the same all along every axis but ``axis``."""
    if step.operands.count(source) != 1 or edit.buffer(step.output) != edit.buffer(source):
        return None
    vectors = [_vector(edit, index, source, axis) for index in step.operands if index != source]
    given = [vector for vector in vectors if vector is not None]
    if len(given) != len(vectors):
        return None
    with np.errstate(all="ignore"):  # the caller rejects numbers that are not finite
        return _affine(step, given, step.operands.index(source))


def _affine(step: ProgramStep, vectors: list[Array], position: int) -> AffineMap | None:
    instruction = step.instruction
    if isinstance(instruction, Normalize) and position == 0:
        high, low, factor, offset = vectors
        return AffineMap(factor, offset - (high + low) * factor, UNFUSED)
    if isinstance(instruction, ScaleShift) and position == 0:
        shift = vectors[1] if len(vectors) > 1 else np.zeros_like(vectors[0])
        return AffineMap(vectors[0], shift, instruction.fused)
    if isinstance(instruction, Binary):
        return _of_binary(instruction, vectors[0], first=position == 0)
    return None


def _of_binary(binary: Binary, vector: Array, *, first: bool) -> AffineMap | None:
    """x with a vector; ``first``: x is the first of the two."""
    zero, one = np.zeros_like(vector), np.ones_like(vector)
    match binary.function:
        case BinaryFunction.ADD:
            return AffineMap(None, vector, binary.fused)
        case BinaryFunction.SUB:
            return AffineMap(None, -vector, binary.fused) if first else AffineMap(-one, vector, binary.fused)
        case BinaryFunction.MUL:
            return AffineMap(vector, zero, binary.fused)
        case BinaryFunction.DIV if first:
            return AffineMap(one / vector, zero, binary.fused)
        case _:
            return None


def _vector(edit: Edit, index: int, source: int, axis: int) -> Array | None:
    """A constant as one number for each channel, exact: (C,); None when it is not that."""
    make, shape, whole = edit.constants.get(index), edit.buffer(index).shape, edit.buffer(source).shape
    wide = (1,) * (len(whole) - len(shape)) + shape
    others = any(size != 1 for i, size in enumerate(wide) if i != axis)
    if make is None or len(wide) != len(whole) or others:
        return None
    return np.broadcast_to(make().astype(np.float64).reshape(-1), (whole[axis],))
