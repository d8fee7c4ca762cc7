"""SVDF: a filter over the last steps. The steps that it remembers are a variable of the model."""

from __future__ import annotations

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....ir import DataType, Value
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from .activation import followed_node
from .steps import kept
from .variable import assign

_BIAS, _STATE = 3, 4


def svdf(c: OperatorConversion) -> None:
    """MatMulFusion, Concat, MulFusion and ReduceFusion, which keep their state: constant float32 weights."""
    options, (features, times) = c.option("SVDFOptions"), _weights(c)
    rank = options["rank"]
    count, memory = c.dim(features, 0), c.dim(times, 1)
    if rank < 1 or count % rank or c.dim(times, 0) != count:
        raise FormatProblem(f"{count} features, of rank {rank}, do not fit times {times.shape}", "inputs")
    state = kept(c, _STATE, count * memory)
    shape = (c.dim(state, 0), count, memory)
    remembered = _remembered(c, state, features, shape)
    weighted, summed = _made(c, "weighted", shape), _made(c, "summed", shape[:2])
    c.node("MulFusion", [remembered, times], weighted)
    c.node("ReduceFusion", [weighted, c.constant("time", [2])], summed, mode="ReduceSum", keep_dims=False)
    _finish(c, _by_rank(c, summed, shape[0], count // rank, rank), options["fused_activation_function"])


def _weights(c: OperatorConversion) -> tuple[Value, Value]:
    """The weights of features, (F, I), and of time, (F, M)."""
    c.reject_unless(c.x().dtype == DataType.FLOAT32, Why.DTYPE, f"the input must be FLOAT32, is {c.x().dtype.name}")
    for value in (c.x(1), c.x(2)):
        plain = value.dtype == DataType.FLOAT32 and value.data is not None and c.rank(value) == 2
        c.reject_unless(plain, Why.DTYPE, f"'{value.name}' must be a constant matrix of FLOAT32, found {value}")
    return c.x(1), c.x(2)


def _remembered(c: OperatorConversion, state: Value, features: Value, shape: tuple[int, int, int]) -> Value:
    """Adds the nodes that drop the oldest step and keep the new step; gives (B, F, M)."""
    batch, count, memory = shape
    product, newest = _made(c, "product", (batch, count)), _made(c, "newest", (batch, count, 1))
    c.node("MatMulFusion", [c.x(), features], product, transpose_b=True)
    c.node("Reshape", [product, c.constant("column", [batch, count, 1])], newest)
    remembered = newest
    if memory > 1:
        before, later = _made(c, "before", shape), _made(c, "later", (batch, count, memory - 1))
        c.node("Reshape", [state, c.constant("rows", list(shape))], before)
        begin, size = c.constant("second", [0, 0, 1]), c.constant("size", [batch, count, memory - 1])
        c.node("SliceFusion", [before, begin, size], later, axes=[0, 1, 2])
        remembered = _made(c, "remembered", shape)
        c.node("Concat", [later, newest], remembered, axis=2)
    flat = c.between(state, "after")
    c.node("Reshape", [remembered, c.constant("flat", [batch, count * memory])], flat)
    assign(c, state, flat)
    return remembered


def _by_rank(c: OperatorConversion, summed: Value, batch: int, units: int, rank: int) -> Value:
    """The filters of each unit added up: (B, units)."""
    if rank == 1:
        return summed
    filters, added = _made(c, "filters", (batch, units, rank)), _made(c, "units", (batch, units))
    c.node("Reshape", [summed, c.constant("ranks", [batch, units, rank])], filters)
    c.node("ReduceFusion", [filters, c.constant("rank", [2])], added, mode="ReduceSum", keep_dims=False)
    return added


def _finish(c: OperatorConversion, x: Value, activation: int) -> None:
    bias = c.optional(_BIAS) or c.constant("no-bias", np.zeros(1, np.float32))
    followed_node(c, "AddFusion", [x, bias], c.y(), activation)


def _made(c: OperatorConversion, suffix: str, shape: tuple[int, ...]) -> Value:
    return Value(f"{c.operator.name}/{suffix}", DataType.FLOAT32, shape)


CONVERTERS: dict[str, Converter] = {"SVDF": svdf}
"""Converters of this file by the schema's names."""
