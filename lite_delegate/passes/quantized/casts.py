"""Casts between integers and the real numbers that they stand for."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels import ArraySpec

from ...ir import DataType, Node, QuantParam, Value, has_numpy, to_numpy
from ..framework.draft import Draft

CAST = "QuantDTypeCast"
INTEGERS = (DataType.INT8, DataType.UINT8)
_DEFAULT = (QuantParam(),)


def parameters_of(cast: Node) -> tuple[QuantParam, ...]:
    """The meaning of a cast's integers: its output's parameters, else its input's."""
    source, result = cast.inputs[0], cast.outputs[0]
    for value in (result, source):
        if value is not None and value.quant_params and (value.quant_params != _DEFAULT or value.dtype in INTEGERS):
            return value.quant_params
    return ()


def dequantizing(draft: Draft, value: Value | None) -> Node | None:
    """The cast that gives ``value``, float32, from 8-bit integers with one scale; None for everything else."""
    cast = draft.producer(value)
    if cast is None or cast.op_type != CAST or cast.outputs[0].dtype != DataType.FLOAT32:
        return None
    source = cast.inputs[0]
    return cast if source is not None and _is_stored(source) and parameters_of(cast) == source.quant_params else None


def quantizing(draft: Draft, value: Value) -> Node | None:
    """The cast that alone reads ``value``, float32, and gives 8-bit integers with one scale; None for any other."""
    cast = draft.only_reader(value)
    if cast is None or cast.op_type != CAST or value.dtype != DataType.FLOAT32:
        return None
    result = cast.outputs[0]
    return cast if _is_stored(result) and parameters_of(cast) == result.quant_params else None


def source_of(cast: Node) -> Value:
    """The value that a cast reads."""
    source = cast.inputs[0]
    assert source is not None
    return source


def spec_of(value: Value | None) -> ArraySpec | None:
    """The graph's own words on a value."""
    if value is None:
        return None
    dtype = to_numpy(value.dtype) if has_numpy(value.dtype) else np.dtype(object)
    return ArraySpec(dtype, value.shape, value.data)


def _is_stored(value: Value) -> bool:
    params = value.quant_params
    return value.dtype in INTEGERS and len(params) == 1 and 0 < params[0].scale < np.inf
