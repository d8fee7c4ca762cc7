"""Operators on frames of sound and text: joined frames, gates, sequences, triangles."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import GLU, Affine, ReverseSequence, Splice
from ....semantics.operands import normalized, operand, primitive_of, required
from ..lowering import Lowering, wanted
from ..term import Lowered, Term
from .activations import activated
from .elementwise import as_it_lies, unary
from .movement import known
from .places import as_int64
from .reshaping import reshaped
from .results import as_model

INT64 = np.dtype(np.int64)


def lower_splice(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Frames side by side, as the attribute ``forward_indexes`` names them."""
    primitive, x = primitive_of(kernel, Splice), lowering.value(required(kernel, 0))
    count = len(primitive.context or ())
    frames = list(primitive.forward_indexes or ())
    wanted(x.rank == 3 and count > 0, RejectCode.ATTRIBUTE, "three dimensions and a context")
    return _joined(lowering, x, frames, count)


def _joined(lowering: Lowering, x: Lowered, frames: list[int], count: int) -> Lowered:
    batch, _, width = x.shape
    operands = [lowering.in_order(x), lowering.ints(frames)]
    y = lowering.emit("Gather", operands, x.dtype, (batch, len(frames), width), axis=1)
    return reshaped(lowering, as_model(y), (batch, len(frames) // count, count * width))


def lower_affine(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Frames around each frame side by side, times a weight, plus a bias, and an activation."""
    primitive, x = primitive_of(kernel, Affine), lowering.value(required(kernel, 0))
    context = list(primitive.context or ())
    wanted(x.rank == 3 and bool(context), RejectCode.ATTRIBUTE, "three dimensions and a context")
    count = x.shape[1] - (max(context) - min(context))
    frames = [frame + offset - min(context) for frame in range(count) for offset in context]
    joined, weight = _joined(lowering, x, frames, len(context)), lowering.value(required(kernel, 1))
    first = lowering.in_order(joined, (0, 2, 1) if primitive.transpose_a else None)
    second = lowering.in_order(weight, (1, 0) if primitive.transpose_b else None)
    shape = (*first.shape[:2], second.shape[1])
    y = lowering.emit("MatMul", [first, second], x.dtype, shape)
    bias = operand(kernel, 2)
    if bias is not None:
        y = lowering.emit("Add", [y, lowering.in_order(lowering.value(bias))], x.dtype, shape)
    return as_model(activated(lowering, y, primitive.activation_type))


def lower_glu(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The first half along an axis, times the sigmoid of the second."""
    x = lowering.value(required(kernel, 0))
    axis = normalized(primitive_of(kernel, GLU).axis, x.rank)
    half = x.shape[axis] // 2
    shape = (*x.shape[:axis], half, *x.shape[axis + 1 :])
    physical = tuple(shape[each] for each in x.order)
    operands = [as_it_lies(lowering, x), lowering.ints([half, half])]
    specs = [(x.dtype, physical)] * 2
    value, gate = lowering.emit_several("Split", operands, specs, axis=x.order.index(axis))
    y = lowering.emit("Mul", [value, unary(lowering, "Sigmoid", gate)], x.dtype, physical)
    return Lowered(shape, x.dtype, x.order, y)


def lower_triangle(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The elements on one side of a diagonal of the last two axes, 0 on the other."""
    x, given = lowering.value(required(kernel, 0)), operand(kernel, 1)
    diagonal = 0 if given is None else known(kernel, 1, "the diagonal")[0]
    place: Term = lowering.small(np.array(diagonal, np.int64))
    source = lowering.in_order(x)
    return as_model(lowering.emit("Trilu", [source, place], x.dtype, x.shape, upper=int(kernel.type == "Triu")))


def lower_reverse_sequence(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The first positions of each sequence turned round."""
    primitive = primitive_of(kernel, ReverseSequence)
    x, lengths = (lowering.value(required(kernel, position)) for position in (0, 1))
    sequence, batch = (normalized(axis, x.rank) for axis in (primitive.seq_dim, primitive.batch_dim))
    order = (batch, sequence, *(axis for axis in range(x.rank) if axis not in (batch, sequence)))
    counts = as_int64(lowering, lowering.in_order(lengths))
    operands = [lowering.in_order(x, order), counts]
    y = lowering.emit("ReverseSequence", operands, x.dtype, operands[0].shape, batch_axis=0, time_axis=1)
    return Lowered(x.shape, x.dtype, order, y)


LOWERINGS = {
    "Splice": lower_splice,
    "Affine": lower_affine,
    "GLU": lower_glu,
    "Tril": lower_triangle,
    "Triu": lower_triangle,
    "ReverseSequence": lower_reverse_sequence,
}
