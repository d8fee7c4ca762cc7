"""Turns the quantized constants of weight-quantized nodes into float constants."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...errors import ModelFormatError
from ...ir import DataType, Format, Graph, Node, QuantParam, Value
from ...ir.types.enums import QuantType
from ..framework.base import PassResult
from ..framework.graph_pass import GraphPass
from ..framework.rewriting import rewrite_constants
from .channel_axis import channel_axis
from .unpack_constants import UnpackConstantsPass

Array = np.ndarray[Any, Any]

QUANTIZED = (DataType.INT8, DataType.INT16, DataType.INT32)
VAR_CORR_LIMIT = 10.0
"""A correction of the variance that is larger than this, or negative, counts as none."""


class DequantizeWeightsPass(GraphPass):
    """Makes constants of QUANT_WEIGHT nodes float32, so that the nodes run on float kernels.

    1. int8, int16 and int32 constants with one quantization parameter: ``(q - zero_point) * scale``.
    2. With one parameter per channel: ``(q - zero_point[c]) * scale[c] * var_corr[c] + mean_corr[c]``; ``channel_axis``
       finds the dimension of the channels.
    3. int8 constants with a codebook and no parameters: element b is entry b + 128.
    4. Other constants stay: float weights, constants without parameters, constants of other nodes.
    5. A constant that also other nodes read keeps its integers for them; nodes that mean the same floats share them.

    NOTE: MindSpore Lite also turns an int32 constant with a default parameter (scale 1, zero point 0, not inited)
    into floats. Here it stays: converters put such parameters on axes and shapes too.
    """

    name: ClassVar[str] = "dequantize-weights"
    runs_after: ClassVar[tuple[type[GraphPass], ...]] = (UnpackConstantsPass,)

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with float weights; idempotent.

        Raises:
            ModelFormatError: names the constant whose parameters do not fit it.
        """
        version = graph.info.version if graph.info is not None else None
        made: dict[tuple[Value, int], Value] = {}

        def rewrite(node: Node, position: int, value: Value) -> Value:
            if node.quant_type != QuantType.QUANT_WEIGHT or not _is_quantized(value):
                return value
            axis = channel_axis(node, position, version) if len(value.quant_params) > 1 else 0
            if (value, axis) not in made:
                made[value, axis] = _dequantized(value, axis, node)
            return made[value, axis]

        return rewrite_constants(graph, rewrite)


def _is_quantized(value: Value) -> bool:
    if value.data is None or value.dtype not in QUANTIZED:
        return False
    if not value.quant_params:
        return bool(value.quant_clusters)
    return value.dtype != DataType.INT32 or value.quant_params != (QuantParam(),)


def _dequantized(value: Value, axis: int, node: Node) -> Value:
    assert value.data is not None
    try:
        data = _floats(value.data, value, axis)
    except ValueError as e:
        raise ModelFormatError(f"Constant '{value.name}' of node '{node.name}' ({node.op_type}): {e}.") from e
    data.flags.writeable = False
    return Value(value.name, DataType.FLOAT32, data.shape, Format(value.format), data)


def _floats(q: Array, value: Value, axis: int) -> Array:
    params = value.quant_params
    if not params:
        return _from_codebook(q, value.quant_clusters)
    if len(params) == 1:
        return np.asarray(_centered(q, params[0].zero_point) * np.float32(params[0].scale))
    return _per_channel(q, params, axis)


def _from_codebook(q: Array, clusters: tuple[float, ...]) -> Array:
    if q.dtype != np.int8:
        raise ValueError(f"a constant with a codebook must be INT8, is {q.dtype}")
    indices = q.astype(np.int64) + 128
    if indices.max(initial=0) >= len(clusters):
        raise ValueError(f"element {int(indices.max())} of a codebook of {len(clusters)}")
    return np.asarray(np.array(clusters, np.float32)[indices])


def _per_channel(q: Array, params: tuple[QuantParam, ...], axis: int) -> Array:
    if not 0 <= axis < q.ndim or q.shape[axis] != len(params):
        raise ValueError(f"{len(params)} quantization parameters for dimension {axis} of shape {q.shape}")
    shape = [-1 if i == axis else 1 for i in range(q.ndim)]

    def each(numbers: list[float]) -> Array:
        return np.array(numbers, np.float32).reshape(shape)

    factors = each([p.scale for p in params])
    corrections = each([p.var_corr if 0 <= p.var_corr <= VAR_CORR_LIMIT else 1.0 for p in params])
    y = _centered(q, np.array([p.zero_point for p in params]).reshape(shape))
    y *= factors
    y *= corrections
    y += each([p.mean_corr for p in params])
    return y


def _centered(q: Array, zero_point: Array | int) -> Array:
    """``q - zero_point``, exact for the elements of weights, as float32."""
    wide = np.int64 if q.dtype == np.int32 else np.int32
    centered = np.subtract(q, zero_point, dtype=wide)
    return centered.astype(np.float32)
