"""Attention in a record: products of query, key and value around a softmax, whose heads are parts of projections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ...basics.data_class import dataclass
from ..lowering import Shape, Term
from .projection import Projection, projection
from .recorder import Handle, Recorder, WrittenOperator, constant_term
from .views import lies_like, permuted, scaled_by

RANK = 4
Readers: TypeAlias = Mapping[Handle, Sequence[WrittenOperator]]


@dataclass(frozen=True, slots=True)
class AttentionMatch:
    """One attention of several heads, all of float32.

    Attributes:
        last: the node that gives (batch, queries, heads, depth), or the same memory in another shape.
        query: of (batch, queries, heads * depth).
        key: of (batch, keys, heads * depth).
        value: as ``key``.
        scale: of the scores, before the bias, with those of query and key.
        bias: added to the scores: (batch or 1, heads or 1, queries or 1, keys or 1); None for none.
        shape: batch, heads, queries, keys.
    """

    last: WrittenOperator
    query: Projection
    key: Projection
    value: Projection
    scale: float
    bias: Term | None
    shape: tuple[int, int, int, int]


def attentions(record: Recorder) -> Iterator[AttentionMatch]:
    """Each attention whose query, key and value are products with constants."""
    readers = record.readers()
    for node in list(record.nodes):
        found = _attention(node, readers) if node.op == "Softmax" else None
        if found is not None:
            yield found


def _attention(softmax: WrittenOperator, readers: Readers) -> AttentionMatch | None:
    (weights,) = softmax.results
    if len(weights.shape) != RANK or softmax.attributes.get("axis", -1) not in {-1, RANK - 1}:
        return None
    product, scores = _only_reader(weights, readers), _scores(softmax, readers)
    if weights.dtype != np.float32 or product is None or scores is None or not _multiplies(product, weights):
        return None
    last = _only_reader(product.results[0], readers)
    query, key, value = (_with_heads(each) for each in (*scores.product.operands, product.operands[1]))
    if last is None or query is None or key is None or value is None:
        return None
    (batch, heads, queries, depth), keys = query.shape, key.shape[-1]
    heads_of_key = (batch, keys, heads, depth)
    if value.shape != (batch, heads, keys, depth) or not _is_in_order(last, query.shape):
        return None
    q = projection(query, (batch, queries, heads, depth), (0, 2, 1, 3))
    k = projection(key, heads_of_key, (0, 2, 3, 1))
    v = projection(value, heads_of_key, (0, 2, 1, 3))
    if q is None or k is None or v is None or v.scale != 1.0:
        return None
    return AttentionMatch(last, q, k, v, scores.scale * q.scale * k.scale, scores.bias, (batch, heads, queries, keys))


def _with_heads(term: Term | None) -> Term | None:
    return term if term is not None and len(term.shape) == RANK else None


def _only_reader(term: Term, readers: Readers) -> WrittenOperator | None:
    found = readers.get(term.handle, ())
    return found[0] if len(found) == 1 else None


def _multiplies(node: WrittenOperator, first: Term) -> bool:
    operand = node.operands[0]
    return node.op == "MatMul" and operand is not None and operand.handle is first.handle


@dataclass(frozen=True, slots=True)
class _Scores:
    """The operand of a softmax: ``product * scale + bias``."""

    product: WrittenOperator
    scale: float
    bias: Term | None


def _scores(softmax: WrittenOperator, readers: Readers) -> _Scores | None:
    term, scale, added = softmax.operands[0], 1.0, list[WrittenOperator]()
    while term is not None and (node := term.handle.maker) is not None and _only_reader(term, readers):
        if node.op == "MatMul":
            bias = _bias(added, node.results[0].shape)
            return None if added and bias is None else _Scores(node, scale, bias)
        factor = scaled_by(node)
        if factor is not None:
            scale *= factor[1]
        elif node.op in {"Add", "Reshape"} and scale == 1.0:
            added.insert(0, node)
        else:
            return None
        term = _scored(node)
    return None


def _scored(node: WrittenOperator) -> Term | None:
    """The operand that leads to the product: none that is a constant, or that is broadcast."""
    found = [term for term in node.operands if term is not None and term.constant is None]
    if len(found) > 1:
        shape, makers = node.results[0].shape, {"MatMul", "Mul", "Div"}
        found = [each for each in found if each.shape == shape and each.handle.maker and each.handle.maker.op in makers]
    return found[0] if len(found) == 1 else None


def _bias(nodes: Sequence[WrittenOperator], shape: Shape) -> Term | None:
    """The term that sums and reshapes add to scores of a shape: one operand of a sum, or the sum of constants."""
    if not nodes or nodes[-1].results[0].shape != shape:
        return None
    if len(nodes) == 1 and nodes[0].op == "Add":
        (bias,) = (term for term in nodes[0].operands if term is not _scored(nodes[0]))
        return bias if bias is not None and len(bias.shape) == RANK else None
    total = np.zeros((1,) * len(shape), np.float32)
    for node in nodes:
        before = _scored(node)
        assert before is not None
        if node.op == "Reshape":
            total = np.broadcast_to(total, before.shape).reshape(node.results[0].shape)
            continue
        (term,) = (term for term in node.operands if term is not before)
        if term is None or term.constant is None:
            return None
        total = total + term.constant
    return constant_term(total)


def _is_in_order(last: WrittenOperator, shape: Shape) -> bool:
    """True for a transpose that puts the heads of a product (batch, heads, queries, depth) behind the queries."""
    batch, heads, queries, depth = shape
    memory = np.empty((batch, queries, heads, depth), np.int8)
    if last.op != "Transpose":
        return False
    result = permuted(memory.transpose(0, 2, 1, 3), last)
    return lies_like(result, memory.reshape(result.shape))
