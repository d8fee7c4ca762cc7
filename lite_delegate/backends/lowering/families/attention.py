"""Attention: multi-head attention with its projections."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import Kernel, RejectCode
from ....ir.primitives import Attention
from ....semantics.operands import primitive_of, required
from ....tensors.tensor import Tensor
from ..lowering import Lowering, constant_value, wanted
from ..term import Dtype, Lowered, Shape, Term
from .elementwise import cast
from .movement import transposed
from .reshaping import reshaped
from .results import as_model, given_dtype, given_shape

MASKED = -10000.0
"""Added to the score of a key that a query may not look at, as in BERT; no file holds it."""


@dataclass(frozen=True, slots=True)
class AttentionOperands:
    """The operands after query, key and value.

    Attributes:
        weights, biases: the weights and biases of query, key and value; biases may be missing.
        output_weight, output_bias: the weight and bias of the output.
        position_bias: the term that is added to scores.
        mask: 1 where a query may look, 0 where it may not.
    """

    weights: Sequence[Lowered]
    output_weight: Lowered
    biases: Sequence[Lowered]
    output_bias: Lowered | None
    position_bias: Lowered | None
    mask: Lowered | None


def lower_attention(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """``softmax(scale * Q K^T + position bias + (1 - mask) * -10000) V``, head by head, then projected.

    float16 is computed in float32.
    """
    primitive = primitive_of(kernel, Attention)
    given, own = _parts(kernel, lowering, primitive.cross), given_dtype(kernel)
    dtype = own if own == np.float64 else np.dtype(np.float32)
    heads = primitive.head_num
    queries, keys, values = (
        _heads(lowering, required(kernel, place), given, place, heads, dtype) for place in range(3)
    )
    scale = primitive.scale or 1 / math.sqrt(queries.shape[3])
    terms = [lowering.in_order(value) for value in (queries, transposed(keys, (0, 1, 3, 2)), values)]
    small = lowering.emit("Mul", [terms[0], lowering.scalar(scale, dtype)], dtype, terms[0].shape)
    scores = _product(lowering, small, terms[1])
    scores = _shifted(lowering, scores, given)
    shares = lowering.emit("Softmax", [scores], dtype, scores.shape, axis=-1)
    seen = transposed(as_model(_product(lowering, shares, terms[2])), (0, 2, 1, 3))
    flat = lowering.in_order(reshaped(lowering, seen, (*seen.shape[:2], seen.shape[2] * seen.shape[3])))
    y = _projected(lowering, flat, given.output_weight, given.output_bias)
    made = [reshaped(lowering, as_model(y), given_shape(kernel)), transposed(keys, (0, 1, 3, 2)), values]
    return [_in_type(lowering, value, own) for value in made[: len(kernel.outputs)]]


def _parts(kernel: Kernel, lowering: Lowering, cross: bool) -> AttentionOperands:
    """The operands in the order of one of the forms that converters write, told apart by number and rank."""
    given = list(kernel.operands[3:])
    while given and given[-1] is None:
        given.pop()
    values = [lowering.value(tensor) for tensor in given if tensor is not None]
    wanted(len(values) == len(given), RejectCode.OPERATOR, "operands without gaps")
    if len(values) in (8, 9):
        return AttentionOperands(values[:3], values[3], values[4:7], values[7], None, _at(values, 8))
    packed = 2 if cross else 1
    wanted(packed + 2 <= len(values) <= packed + 4, RejectCode.OPERATOR, "a known form", f"{len(values)} parameters")
    weights, output_weight, rest = list(_unpacked(values[:packed])), values[packed], values[packed + 1 :]
    if len(rest) == 1 or (len(rest) == 2 and max(value.rank for value in rest) > 1):
        return AttentionOperands(weights, output_weight, (), None, rest[0], _at(rest, 1))
    return AttentionOperands(weights, output_weight, list(_unpacked(rest[:1])), rest[1], None, _at(rest, 2))


def _at(values: Sequence[Lowered], place: int) -> Lowered | None:
    return values[place] if len(values) > place else None


def _unpacked(values: Sequence[Lowered]) -> Iterator[Lowered]:
    """Query's, key's and value's, of which the last lie side by side on the last axis."""
    yield from values[:-1]
    count = 4 - len(values)
    constant = values[-1].constant
    wanted(constant is not None, RejectCode.NOT_CONSTANT, "weights and biases that lie side by side must be constant")
    assert constant is not None
    yield from (constant_value(np.ascontiguousarray(part)) for part in np.split(constant, count, axis=-1))


def _heads(
    lowering: Lowering, tensor: Tensor, given: AttentionOperands, place: int, heads: int, dtype: Dtype
) -> Lowered:
    """The projection of (B, S, F) or (S, F) as (B, H, S, d)."""
    value = lowering.value(tensor)
    wide = value.shape if value.rank == 3 else (1, *value.shape)
    x = cast(lowering, lowering.in_order(reshaped(lowering, value, wide)), dtype)
    y = _projected(lowering, x, given.weights[place], given.biases[place] if given.biases else None)
    batch, steps, width = y.shape
    return transposed(reshaped(lowering, as_model(y), (batch, steps, heads, width // heads)), (0, 2, 1, 3))


def _projected(lowering: Lowering, x: Term, weight: Lowered, bias: Lowered | None) -> Term:
    y = _product(lowering, x, cast(lowering, lowering.in_order(weight), x.dtype))
    if bias is None:
        return y
    return lowering.emit("Add", [y, cast(lowering, lowering.in_order(bias), y.dtype)], y.dtype, y.shape)


def _product(lowering: Lowering, a: Term, b: Term) -> Term:
    return lowering.emit("MatMul", [a, b], a.dtype, (*a.shape[:-1], b.shape[-1]))


def _shifted(lowering: Lowering, scores: Term, given: AttentionOperands) -> Term:
    """Scores (B, H, S, T) with position bias and mask added.

    A query's scores are shifted by the bias of its most visible key, which softmax ignores: for a query that may look
    at no key, float16 would lose scores below 10000.
    """
    dtype, shape = scores.dtype, scores.shape
    if given.position_bias is not None:
        bias = cast(lowering, lowering.in_order(given.position_bias), dtype)
        scores = lowering.emit("Add", [scores, bias], dtype, shape)
    if given.mask is None:
        return scores
    mask = given.mask
    by_head: Shape = mask.shape if mask.rank == 4 else (mask.shape[0], 1, *mask.shape[1:])
    seen = cast(lowering, lowering.in_order(reshaped(lowering, mask, by_head)), dtype)
    most = lowering.emit("ReduceMax", [seen, lowering.ints([-1])], dtype, (*by_head[:-1], 1), keepdims=1)
    hidden = lowering.emit("Sub", [most, seen], dtype, by_head)
    away = lowering.emit("Mul", [hidden, lowering.scalar(MASKED, dtype)], dtype, by_head)
    return lowering.emit("Add", [scores, away], dtype, shape)


def _in_type(lowering: Lowering, value: Lowered, dtype: Dtype) -> Lowered:
    if value.dtype == dtype:
        return value
    return Lowered(value.shape, dtype, value.order, cast(lowering, lowering.in_order(value, value.order), dtype))


LOWERINGS = {"Attention": lower_attention}
