"""Attention: multi-head attention with its projections."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ._attention_inputs import GROUPS, AttentionInputs, sort_inputs
from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import element_count
from .op_softmax import softmax

MASKED = -10000.0
"""Added to the score of a key that a query may not look at, as in BERT; the file does not hold it."""

_NAMES = ("query", "key", "value")


@np.errstate(all="ignore")
def attention(
    q: Array,
    k: Array,
    v: Array,
    *parameters: Array | None,
    head_num: int = 0,
    head_size: int = 0,
    cross: bool = False,
    scale: float = 0.0,
    output_count: int = 1,
) -> Array | tuple[Array, ...]:
    """``softmax(scale * Q K^T + position bias + (1 - mask) * -10000) V``, head by head, then projected.

    Q, K and V are ``x @ weight + bias`` of query, key and value, cut into H heads of d columns; W is H * d.

    Args:
        q: (B, S, F), or (S, F) for a batch of one; float. float16 is computed in float32.
        k: (B, T, F'), or (T, F').
        v: (B, T, F"), or (T, F").
        parameters: one of these lists, each with the mask at its end or without it:
            weights of query, key, value (F, W) and output (W, O), biases of query, key, value (W,) and output (O,);
            weight of all three (F, 3W), output weight, bias of all three (3W,), output bias, if not ``cross``;
            weight of query (F, W), of key and value (F', 2W), and the rest as before, if ``cross``;
            either of the last two with a position bias, each dim that of (B, H, S, T) or 1, in place of the biases.
            The mask is (B, S, T) or (B, H, S, T), each dim may also be 1: 1 to look at a key, 0 not to.
        head_num: H.
        head_size: d; 0 takes the rows of the output weight, divided by H.
        cross: whether the packed weights part the query from key and value.
        scale: of the scores; 0 means 1 / sqrt(d), which a position bias does not allow.
        output_count: 1 or 3.

    Returns:
        (B, S, O), or (S, O); with three outputs also K as (B, H, d, T) and V as (B, H, T, d).

    NOTE: the lists are those that MindSpore Lite's converter has written (multi_head_attention_fusion.cc), the outputs
    those of attention_infer.c, which however takes O for W and, of two dims, the second of ``k`` for T.
    NOTE: all weights multiply from the right. The converter fuses models with and without a scale before a position
    bias and writes the same file, so such a node must say which.
    """
    given = sort_inputs([None if p is None else widen(p) for p in parameters], cross)
    queries, keys, values = (
        _heads(widen(x), weight, bias, head_num)
        for x, weight, bias in zip((q, k, v), _parts(given.weights), _parts(given.biases), strict=True)
    )
    scores = queries @ keys.swapaxes(2, 3)
    scores *= 1 / math.sqrt(queries.shape[3]) if scale == 0 else scale
    seen = softmax(_shifted(scores, given), axis=(-1,)) @ values
    joined = seen.swapaxes(1, 2).reshape(*q.shape[:-1], given.output_weight.shape[0])
    y = joined @ given.output_weight
    if given.output_bias is not None:
        y = y + given.output_bias
    outputs = (y, keys.swapaxes(2, 3), values)[:output_count]
    rounded = tuple(output.astype(q.dtype, copy=False) for output in outputs)
    return rounded[0] if output_count == 1 else rounded


def infer_attention(
    q: ArraySpec,
    k: ArraySpec,
    v: ArraySpec,
    *parameters: ArraySpec | None,
    head_num: int,
    head_size: int,
    cross: bool,
    scale: float,
    output_count: int,
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The specs of the output, K and V; raises KernelInputError for inputs, shapes and attributes that do not fit."""
    if output_count not in (1, 3):
        raise KernelInputError(f"1 or 3 outputs expected, got {output_count}")
    for i, spec in enumerate((q, k, v, *parameters)):
        if spec is not None:
            check_dtype(spec, FLOATS, f"input {i}")
    given = sort_inputs(parameters, cross)
    if given.position_bias is not None and scale == 0:
        raise KernelInputError("scale must be given with a position bias: models with one differ in it")
    size, width = _head_size(given.output_weight, head_num, head_size)
    batch, seq, keys, features = _sequences(q, k, v)
    _check_weights(given, features, width)
    _, columns = expect_shape("output weight", given.output_weight, (width, UNKNOWN))
    if given.output_bias is not None:
        (columns,) = expect_shape("output bias", given.output_bias, (columns,))
    scores = (batch, head_num, seq, keys)
    _check_added("position bias", given.position_bias, scores)
    mask_has_heads = given.mask is not None and given.mask.rank == 4
    _check_added("mask", given.mask, scores if mask_has_heads else (batch, seq, keys))
    lead = () if q.rank == 2 else (batch,)
    shape = None if q.rank is None else (*lead, seq, columns)
    shapes = (shape, (batch, head_num, size, keys), (batch, head_num, keys, size))
    specs = tuple(ArraySpec(q.dtype, s) for s in shapes[:output_count])
    return specs[0] if output_count == 1 else specs


def _parts(arrays: Sequence[Array]) -> list[Array | None]:
    """The parts of query, key and value, which lie side by side on the last dim; None for each of no arrays."""
    if not arrays:
        return [None] * 3
    groups = GROUPS[len(arrays)]
    return [part for x, group in zip(arrays, groups, strict=True) for part in np.split(x, len(group), axis=-1)]


def _heads(x: Array, weight: Array | None, bias: Array | None, head_num: int) -> Array:
    """The projection of (B, S, F) or (S, F) as (B, H, S, d)."""
    y = x @ weight
    if bias is not None:
        y += bias
    batch = y.shape[0] if y.ndim == 3 else 1
    return y.reshape(batch, y.shape[-2], head_num, y.shape[-1] // head_num).swapaxes(1, 2)


def _shifted(scores: Array, given: AttentionInputs[Array]) -> Array:
    """``scores`` (B, H, S, T) plus the position bias and what the mask makes of keys not to be looked at.

    A query is shifted by what its most visible key would be, which no softmax sees: for one that may look at no key,
    a sum with -10000 would leave few digits of its scores.
    """
    if given.position_bias is not None:
        scores = scores + given.position_bias
    if given.mask is not None:
        mask = given.mask if given.mask.ndim == 4 else given.mask[:, np.newaxis]
        scores = scores + (mask.max(axis=-1, keepdims=True, initial=-np.inf) - mask) * scores.dtype.type(MASKED)
    return scores


def _head_size(output_weight: ArraySpec, head_num: int, head_size: int) -> tuple[int, int]:
    """d and W."""
    if head_num < 1 or head_size < 0:
        raise KernelInputError(f"head_num must be positive and head_size not negative, got {head_num} and {head_size}")
    if head_size:
        return head_size, head_num * head_size
    rows, _ = expect_shape("output weight", output_weight, (UNKNOWN, UNKNOWN))
    if rows != UNKNOWN and (rows == 0 or rows % head_num):
        raise KernelInputError(f"head_num {head_num} must divide the {rows} rows of the output weight")
    return (UNKNOWN, UNKNOWN) if rows == UNKNOWN else (rows // head_num, rows)


def _sequences(q: ArraySpec, k: ArraySpec, v: ArraySpec) -> tuple[int, int, int, Shape]:
    """B, S, T and the features of query, key and value."""
    ranks = [s.rank for s in (q, k, v) if s.rank is not None]
    rank = ranks[0] if ranks else 3
    if rank not in (2, 3):
        raise KernelInputError(f"query, key and value must have 2 or 3 dims, got {rank}")
    q_dims = expect_shape("query", q, (UNKNOWN,) * rank)
    k_dims = expect_shape("key", k, (*q_dims[:-2], UNKNOWN, UNKNOWN))
    v_dims = expect_shape("value", v, (*k_dims[:-1], UNKNOWN))
    batch = v_dims[0] if rank == 3 else 1
    return batch, q_dims[-2], v_dims[-2], (q_dims[-1], k_dims[-1], v_dims[-1])


def _check_weights(given: AttentionInputs[ArraySpec], features: Shape, width: int) -> None:
    for weight, group in zip(given.weights, GROUPS[len(given.weights)], strict=True):
        name = " and ".join(_NAMES[i] for i in group)
        for i in group:
            expect_shape(f"weight of {name}", weight, (features[i], element_count((len(group), width))))
    for bias in given.biases:
        expect_shape("bias", bias, (element_count((3 // len(given.biases), width)),))


def _check_added(name: str, spec: ArraySpec | None, expected: Shape) -> None:
    if spec is None or spec.shape is None:
        return
    if len(spec.shape) != len(expected) or any(
        UNKNOWN not in (found, dim) and found not in (1, dim) for found, dim in zip(spec.shape, expected, strict=True)
    ):
        raise KernelInputError(f"{name} must have dims {expected}, or 1 for any of them, got shape {spec.shape}")


KERNEL = ReferenceKernel("Attention", attention, infer_attention, FLOATS, needs_output_count=True)
