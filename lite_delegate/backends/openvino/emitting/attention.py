"""Attention in the form that OpenVINO fuses, with separate products for query, key and value."""

from __future__ import annotations

import numpy as np

from ....tensors.tensor import Array
from ...lowering import AttributeValue, Shape, Term
from ...rewriting import AttentionMatch, Projection, Recorder, WrittenOperator, attentions, constant_term, written_by

HEADS_FIRST = (0, 2, 1, 3)
KEY_LAST = (0, 2, 3, 1)


def split_attention(record: Recorder) -> int:
    """Takes query, key and value out of one product, with the scale in the query's weight; returns how often.

    OpenVINO splits a common product first, by a node of its own, which was measured to be slower.
    """
    found = [each for each in attentions(record) if each.query.product == each.key.product]
    for each in found:
        record.put(each.last, _written(each))
    return len(found)


def _written(found: AttentionMatch) -> list[WrittenOperator]:
    nodes: list[WrittenOperator] = []

    def write(op: str, operands: list[Term | None], shape: Shape, **attributes: AttributeValue) -> Term:
        nodes.append(written_by(found.last.layer, op, operands, [(np.dtype(np.float32), shape)], attributes))
        return nodes[-1].results[0]

    def heads_of(part: Projection, scale: float, rows: int, order: tuple[int, ...]) -> Term:
        x, shape = part.product.x, (batch, rows, heads, part.width // heads)
        flat = (*x.shape[:-1], part.width)
        y = write("MatMul", [x, _scaled(part.weight(), scale)], flat)
        if part.product.bias is not None:
            y = write("Add", [y, _scaled(part.bias(), scale)], flat)
        y = write("Reshape", [y, constant_term(np.array(shape, np.int64))], shape)
        return write("Transpose", [y], tuple(shape[axis] for axis in order), perm=order)

    batch, heads, queries, keys = found.shape
    query = heads_of(found.query, found.scale, queries, HEADS_FIRST)
    key = heads_of(found.key, 1.0, keys, KEY_LAST)
    value = heads_of(found.value, 1.0, keys, HEADS_FIRST)
    scores = write("MatMul", [query, key], found.shape)
    if found.bias is not None:
        scores = write("Add", [scores, found.bias], found.shape)
    weights = write("Softmax", [scores], found.shape, axis=len(found.shape) - 1)
    result = write("MatMul", [weights, value], query.shape)
    write("Transpose", [result], found.last.results[0].shape, **found.last.attributes)
    return nodes


def _scaled(array: Array, scale: float) -> Term:
    return constant_term(np.ascontiguousarray(array if scale == 1.0 else array * np.float32(scale)))
