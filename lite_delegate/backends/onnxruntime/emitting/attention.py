"""Attention as ONNX Runtime's own operator, with its projections."""

from __future__ import annotations

import numpy as np

from ...lowering import AttributeValue, Shape, Term
from ...rewriting import AttentionMatch, Projection, Recorder, WrittenOperator, attentions, constant_term, written_by
from .emitter import CONTRIB


def fuse_attention(record: Recorder) -> int:
    """Puts each self-attention in the form of one operator; returns how many there were.

    It was measured to be faster than products, transposes and softmax of their own, most for many short sequences.
    """
    found = [each for each in attentions(record) if _is_of_one_tensor(each)]
    for each in found:
        record.put(each.last, _written(each))
    return len(found)


def _is_of_one_tensor(found: AttentionMatch) -> bool:
    _, _, queries, keys = found.shape
    tensors = {part.product.x.handle for part in (found.query, found.key, found.value)}
    return len(tensors) == 1 and queries == keys and found.scale != 0.0


def _written(found: AttentionMatch) -> list[WrittenOperator]:
    nodes: list[WrittenOperator] = []

    def write(op: str, operands: list[Term | None], shape: Shape, **attributes: AttributeValue) -> Term:
        nodes.append(written_by(found.last.layer, op, operands, [(np.dtype(np.float32), shape)], attributes))
        return nodes[-1].results[0]

    def shaped(op: str, term: Term, shape: Shape) -> Term:
        return write(op, [term, constant_term(np.array(shape, np.int64))], shape)

    batch, heads, queries, keys = found.shape
    product, bias = found.query.product, found.bias
    x = shaped("Reshape", product.x, (batch, queries, product.x.shape[-1]))
    if bias is not None and bias.shape[2:] != (queries, keys):
        bias = shaped("Expand", bias, (*bias.shape[:2], queries, keys))
    operands = [x, *_together([found.query, found.key, found.value]), None, None, bias]
    shape = (batch, queries, found.query.width)
    result = write(f"{CONTRIB}.Attention", operands, shape, num_heads=heads, scale=found.scale)
    shaped("Reshape", result, found.last.results[0].shape)
    return nodes


def _together(parts: list[Projection]) -> tuple[Term, Term | None]:
    """The weights and biases of query, key and value side by side; as they are where they lie so."""
    product, width = parts[0].product, parts[0].width
    weight, bias = product.weight, product.bias
    side_by_side = all(part.product == product and part.start == place * width for place, part in enumerate(parts))
    is_whole = weight.shape[-1] == len(parts) * width and not product.is_transposed
    if side_by_side and is_whole and (bias is None or len(bias.shape) == 1):
        return weight, bias
    joined = np.concatenate([part.weight() for part in parts], axis=1)
    return constant_term(joined), constant_term(np.concatenate([part.bias() for part in parts]))
