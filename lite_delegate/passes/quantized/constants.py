"""Constants that a graph dequantizes when it runs: the integers, and the real numbers that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import as_tuple
from lite_delegate_kernels.built_in import built_in_kernels

from ...basics.data_class import dataclass
from ...ir import Node, QuantParam, Value
from ...ir.traits import REARRANGING
from ..framework.draft import Draft
from .casts import CAST, parameters_of, source_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class QuantizedConstant:
    """Integers that stand for real numbers.

    Attributes:
        name: of the value in the graph.
        data: the integers, in the shape in which the graph uses them.
        parameters: one, or one per index along ``axis``.
        axis: which dimension has several scales; 0 for one scale.
    """

    name: str
    data: Array
    parameters: tuple[QuantParam, ...]
    axis: int

    def real(self) -> Array:
        """The real numbers, float32."""
        shape = [-1 if i == self.axis else 1 for i in range(self.data.ndim)] if len(self.parameters) > 1 else []
        scales = np.array([p.scale for p in self.parameters], np.float32).reshape(shape)
        points = np.array([p.zero_point for p in self.parameters], np.int64).reshape(shape)
        return np.asarray((self.data.astype(np.int64) - points).astype(np.float32) * scales)


def quantized_constant(draft: Draft, value: Value | None) -> QuantizedConstant | None:
    """The constant behind ``value``, if it is dequantized and moved in any order; None for everything else."""
    moves: list[Node] = []
    cast: Node | None = None
    current = value
    while current is not None and (node := draft.producer(current)) is not None:
        if node.op_type == CAST and cast is None:
            cast = node
            moves.append(node)
        elif node.op_type in REARRANGING and draft.is_plain(node) and _reads_constants(draft, node):
            moves.append(node)
        else:
            return None
        current = node.inputs[0]
    if (
        value is None
        or current is None
        or cast is None
        or draft.constant(current) is None
        or current.packed is not None
    ):
        return None
    return _moved(value.name, current, cast, moves[::-1])


def _moved(name: str, constant: Value, cast: Node, moves: list[Node]) -> QuantizedConstant | None:
    parameters = parameters_of(cast)
    assert constant.data is not None
    if not parameters or constant.data.dtype.kind not in "iu" or source_of(cast).dtype != constant.dtype:
        return None
    data, channels = constant.data, None
    for node in moves:
        if node is cast:
            channels = _channels(node, data, len(parameters))
            continue
        data = _run(node, data)
        channels = None if channels is None else _run(node, channels)
    axis = 0 if channels is None else _axis_of(channels, len(parameters))
    return None if axis is None else QuantizedConstant(name, data, parameters, axis)


def _channels(cast: Node, data: Array, count: int) -> Array | None:
    """The number of each element's scale, followed through the moves; None for a single scale."""
    if count == 1:
        return None
    axis = int(cast.primitive.attributes()["axis"]) % data.ndim
    numbers = np.arange(count, dtype=np.int32).reshape([-1 if i == axis else 1 for i in range(data.ndim)])
    return np.broadcast_to(numbers, data.shape)


def _axis_of(channels: Array, count: int) -> int | None:
    for axis, size in enumerate(channels.shape):
        expected = np.arange(count).reshape([-1 if i == axis else 1 for i in range(channels.ndim)])
        if size == count and np.array_equal(channels, np.broadcast_to(expected, channels.shape)):
            return axis
    return None


def _run(node: Node, array: Array) -> Array:
    kernel = built_in_kernels().find(node.op_type)
    assert kernel is not None
    others = [None if v is None else v.data for v in node.inputs[1:]]
    (moved,) = as_tuple(kernel.run(array, *others, **node.primitive.attributes()))
    return np.ascontiguousarray(moved)


def _reads_constants(draft: Draft, node: Node) -> bool:
    return all(v is None or draft.constant(v) is not None for v in node.inputs[1:])
